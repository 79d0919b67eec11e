"""A run against a baseline: which of its causes are new or known, and which of the baseline's are gone.

The same answer that does the same thing wrong is the same cause. Where another answer is to blame, because some of the
conflicts are gone, a cause is known if every one of its cases broke before about the same class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anamorph.model import Grade
from anamorph.report.baseline.file import CASE_DIGITS, Baseline, BaselineCause, BaselineFloor, ChosenBaseline
from anamorph.report.reviews import IssueReview, answers_of_case
from anamorph.report.wording import short
from anamorph.statistics.blame import SceneCause, Standing
from anamorph.store.causes import SceneIssues, case_digests, cause_digests, causes_with_cases, count_standings
from anamorph.store.floors import read_floors
from anamorph.store.marks import answers_digest
from anamorph.store.run import RunStore
from anamorph.store.verdicts import digest_of_plan, find_cases, is_decided


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """How a run compares with a baseline: counts of causes, and of the cases that count as held because all of their
    causes are false alarms.

    `not_tested` causes of the baseline have a case that this run does not have, or could not decide.
    """

    file: str
    new: int
    known: int
    suppressed: int
    suppressed_cases: int
    known_cases: int
    not_tested: int
    fixed: tuple[BaselineCause, ...]
    explanation: str = ""
    floor_before: BaselineFloor | None = None
    floor_now: BaselineFloor | None = None

    @property
    def sentence(self) -> str:
        """The counts: "1 new cause, 3 known, 1 fixed", and how the error floor moved."""
        parts = [f"{self.new:,} new {'cause' if self.new == 1 else 'causes'}", f"{self.known:,} known"]
        parts.append(f"{len(self.fixed):,} fixed")
        if self.suppressed or self.suppressed_cases:
            issues = "1 issue" if self.suppressed_cases == 1 else f"{self.suppressed_cases:,} issues"
            whole = f"{self.suppressed:,} suppressed as false alarms ({issues})"
            parts.append(whole if self.suppressed else f"{issues} suppressed as false alarms")
        if self.not_tested:
            parts.append(f"{self.not_tested:,} not tested here")
        floors = [self.floor_before, self.floor_now]
        moved = ""
        if any(floors):
            before, now = ("none" if floor is None else f"{floor.share:.1%}" for floor in floors)
            moved = f" The error floor was {before} and is {now}."
        return f"Against {self.file}: {', '.join(parts)}.{moved}"


@dataclass(slots=True)
class BaselineMatch:
    """Sorts the causes of one run by what a baseline knows, a scene at a time.

    `repeats` is how often the run asked. `excused` causes have no case left that people did not find a false alarm.
    """

    chosen: ChosenBaseline
    repeats: int = 1
    new: Counter[Grade | None] = field(default_factory=Counter)
    known: int = 0
    false_alarms: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    _by_digest: dict[str, BaselineCause] = field(default_factory=dict)
    _by_class: dict[tuple[str, str], list[BaselineCause]] = field(default_factory=dict)
    _excuses: set[str] = field(default_factory=set)
    _excused_cases: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for cause in self.chosen.baseline.causes:
            self._by_digest[cause.digest] = cause
            self._by_class.setdefault((cause.scene, cause.label), []).append(cause)
            self._excuses.update(cause.false_alarms)
        self._excused_cases = frozenset(text.partition(":")[0] for text in self._excuses)

    def sort(self, store: RunStore, issues: SceneIssues, causes: Sequence[SceneCause]) -> list[SceneCause]:
        """The causes of a scene with their standing, without those that are false alarms."""
        digests = cause_digests(store, issues, causes)
        cases = case_digests(store, list({case for cause in causes for case in cause.cases}))
        kept = []
        for cause, digest in zip(causes, digests, strict=True):
            standing = self._standing(issues.name, cause, digest, cases)
            if standing is None:
                self.false_alarms.add(digest)
                continue
            left = tuple(case for case in cause.cases if self.excuse(store, cases[case]) is None)
            if not left:
                self.excused.add(digest)
                continue
            if standing == "new":
                self.new[cause.grade] += 1
            else:
                self.known += 1
            example = cause.example if cause.example in left else left[0]
            kept.append(replace(cause, cases=left, example=example, standing=standing))
        return kept

    def excuse(self, store: RunStore, digest: str) -> str | None:
        """The baseline's false alarm that a case still is, with the same answers; None if it is not one."""
        if digest[:CASE_DIGITS] not in self._excused_cases:
            return None
        (case,) = find_cases(store, digest)
        text = false_alarm_text(digest, answers_digest(answers_of_case(store, case, self.repeats)))
        return text if text in self._excuses else None

    def _standing(self, scene: str, cause: SceneCause, digest: str, digests: Mapping[int, str]) -> Standing | None:
        """Whether a cause is new or known; None for a false alarm."""
        own = {digests[case][:CASE_DIGITS] for case in cause.cases}
        related = [each for each in self._by_class.get((scene, cause.label), ()) if not own.isdisjoint(each.cases)]
        self._seen.update(each.digest for each in related)
        same = self._by_digest.get(digest)
        if same is not None:
            self._seen.add(digest)
            return None if same.mark == "false-alarm" else "known"
        if not own.issubset(case for each in related for case in each.cases):
            return "new"
        return None if all(each.mark == "false-alarm" for each in related) else "known"

    def untested(self, store: RunStore) -> frozenset[str]:
        """The causes of the baseline that were not seen again, and may be there: not all of their cases are decided."""
        return frozenset(
            cause.digest
            for cause in self.chosen.baseline.causes
            if cause.digest not in self._seen and not all(is_decided(store, case) for case in cause.cases)
        )

    def result(self, store: RunStore, seed: int, methods: Sequence[str]) -> AgainstBaseline:
        """The counts, and the fixed causes of the baseline, once all scenes are sorted."""
        # A false alarm that is not raised any more is nothing that was mended.
        unseen = [each for each in self.chosen.baseline.causes if each.digest not in self._seen]
        unseen = [each for each in unseen if each.mark != "false-alarm"]
        untested = self.untested(store)
        standings = count_standings(store)
        return AgainstBaseline(
            self.chosen.file,
            self.new.total(),
            self.known,
            len(self.false_alarms) + len(self.excused),
            standings.get("suppressed", 0),
            standings.get("known", 0),
            sum(cause.digest in untested for cause in unseen),
            tuple(cause for cause in unseen if cause.digest not in untested),
            self._explanation(store, seed, methods),
            self.chosen.baseline.floor,
            floor_of(store),
        )

    def _explanation(self, store: RunStore, seed: int, methods: Sequence[str]) -> str:
        """Why the baseline and the run do not have the same cases; empty where they have."""
        baseline = self.chosen.baseline
        if baseline.plan == digest_of_plan(store):
            return ""
        reasons = []
        if baseline.seed != seed:
            reasons.append(f"the baseline has seed {baseline.seed}, this run {seed}")
        if set(baseline.methods) != set(methods):
            names = short(", ".join(sorted(baseline.methods)), 200) or "no method"
            reasons.append(f"the baseline has {names}, this run {', '.join(sorted(methods)) or 'no method'}")
        why = "; ".join(reasons) or "other photos, settings, or another version of Anamorph"
        return (
            f"This run has another plan than the baseline ({why}): new causes may come from cases that the baseline "
            "never had, and what this run did not test is not counted as fixed."
        )


def false_alarm_text(case: str, answers: str) -> str:
    """A false alarm as a baseline has it."""
    return f"{case[:CASE_DIGITS]}:{answers[:CASE_DIGITS]}"


def _excuse(store: RunStore, case: str, review: IssueReview | None, earlier: BaselineMatch | None) -> str | None:
    if review is not None:
        return false_alarm_text(case, review.answers) if review.decision == "wrong" else None
    return None if earlier is None else earlier.excuse(store, case)


def baseline_of(
    store: RunStore,
    seed: int,
    methods: Sequence[str],
    earlier: BaselineMatch | None = None,
    untested: Collection[str] = (),
    reviews: Sequence[IssueReview] = (),
) -> Baseline:
    """The causes of a run as a baseline; they must have been found through this connection, all of them.

    Of an `earlier` baseline, marks and notes are kept, and so is what the run did not test, and what people found to be
    a false alarm, unless the `reviews` say otherwise now.
    """
    reviewed = {review.case: review for review in reviews}
    known = {} if earlier is None else {cause.digest: cause for cause in earlier.chosen.baseline.causes}
    causes = {}
    for digest, scene, what, label, blamed, cases in causes_with_cases(store):
        before = known.get(digest)
        found = BaselineCause(digest, scene, what, label, blamed, tuple(case[:CASE_DIGITS] for case in cases))
        if before is not None:
            found = replace(found, mark=before.mark, note=before.note)
        elif earlier is not None and digest in earlier.false_alarms:
            found = replace(found, mark="false-alarm")
        excuses = tuple(text for case in cases if (text := _excuse(store, case, reviewed.get(case), earlier)))
        causes[digest] = replace(found, false_alarms=excuses)
    for digest, cause in known.items():
        if digest not in causes and (digest in untested or cause.mark == "false-alarm"):
            causes[digest] = cause
    return Baseline(seed, tuple(sorted(methods)), digest_of_plan(store), tuple(causes.values()), floor_of(store))


def floor_of(store: RunStore) -> BaselineFloor | None:
    """The error floor of a run as a baseline has it; None if it has none."""
    total = next(iter(read_floors(store, "all")), None)
    return None if total is None or not total.answers else BaselineFloor(total.fewest, total.answers)
