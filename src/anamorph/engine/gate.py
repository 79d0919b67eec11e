"""Whether a finished run passes, fails or says too little, as an exit code and a sentence with the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from anamorph.config import Config, GateSettings, parse_share
from anamorph.config.settings import FLOOR
from anamorph.engine.budget import Spending, money
from anamorph.engine.further import REFUSED
from anamorph.engine.lost import calls_lost
from anamorph.engine.plan import hint_for
from anamorph.engine.requests import WAITING
from anamorph.engine.vocabulary import ENGLISH, Spoken, shown_names, unnameable_in
from anamorph.errors import NotTrusted
from anamorph.model import AnswerReading, CaptionReading, Grade, LabelSet, Reading, Tally, Unreadable, Wording
from anamorph.readers.english.wording import normal_wording
from anamorph.store.answers import answers_to_photos
from anamorph.store.floors import read_floors
from anamorph.store.run import RunStore

GateOutcome: TypeAlias = Literal["passed", "failed", "broken", "inconclusive"]
ReasonKind: TypeAlias = Literal[
    "violations",
    "new-causes",
    "no-answers",
    "machine",
    "no-cases",
    "undecided",
    "vacuous",
    "same-answers",
    "out-of-budget",
    "awaited-answers",
    "refused",
    "floor",
    "no-floor",
    "unnameable-classes",
    "other-labels",
    "other-language",
]
EXIT_CODES: Mapping[GateOutcome, int] = {"passed": 0, "failed": 1, "broken": 3, "inconclusive": 4}

# Fewer photos may well get the same answer from a system that looks at them.
FEWEST_PHOTOS = 10
# A share of this many answers is known well enough.
MOST_COUNTED = 5_000
_LONGEST_QUOTE = 80


@dataclass(frozen=True, slots=True)
class GateReason:
    """One thing that decided the gate: `count` of `total` (of a method's cases, or of all), against a limit."""

    kind: ReasonKind
    sentence: str
    method: str | None = None
    count: int | None = None
    total: int | None = None
    limit: str | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """How a run ends. Of a failed one, further reasons say what would have made it inconclusive."""

    outcome: GateOutcome
    sentence: str
    reasons: tuple[GateReason, ...] = ()
    # What makes a result doubtful, and is too little to change it.
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]


@dataclass(frozen=True, slots=True)
class MethodOutcomes:
    """How the cases of one method came out; of those that hold, `vacuous` do so vacuously, and `leads` are not proved.

    `hint` says what the scenes would need, where it planned none.
    """

    method: str
    holds: int = 0
    violated: int = 0
    undecided: int = 0
    vacuous: int = 0
    leads: int = 0
    hint: str = field(default="", kw_only=True)

    @property
    def decided(self) -> int:
        return self.holds + self.violated

    @property
    def cases(self) -> int:
        return self.decided + self.undecided


@dataclass(frozen=True, slots=True)
class CommonAnswer:
    """The commonest answer about different photos, and how many of the answers are that one; `photos` are counted up to
    the fewest that the gate needs.
    """

    shown: str
    count: int
    total: int
    photos: int = FEWEST_PHOTOS


@dataclass(frozen=True, slots=True)
class GateInput:
    """The input of the gate: every chosen method, the most frequent answers, and how asking went.

    `worked` is False if every one of the `failures` was the system's own: none was declined, and none answered blankly.
    `discarded` cases were left out by the melt check, which says nothing about the system. `counted` violations have
    the grades that the gate counts, or none, and are none of the `known` that a baseline has; without it, all count.
    `new_causes` is given where any of them fails the gate. Where cases were asked for what they may find, shares are
    those of the evenly drawn `sample`, of whose violations `sampled` count. `language` says what no answer could name,
    and `refused` why a method did not test the system. `lost` calls were not answered for want of memory.
    """

    methods: tuple[MethodOutcomes, ...]
    common: tuple[CommonAnswer, ...] = ()
    worked: bool = True
    failures: int = 0
    spending: Spending | None = None
    lacking: int = 0
    discarded: int = 0
    counted: int | None = None
    known: int = 0
    new_causes: int | None = None
    sample: tuple[MethodOutcomes, ...] | None = None
    sampled: int | None = None
    language: tuple[GateReason, ...] = ()
    refused: GateReason | None = None
    lost: int = 0
    # How many closed answers must be false, and how many there are.
    floor: tuple[int, int] | None = None

    @property
    def rated(self) -> tuple[MethodOutcomes, ...]:
        """The outcomes that shares are taken of."""
        return self.methods if self.sample is None else self.sample


@dataclass(slots=True)
class AnswerCounts:
    """Counts equal answers: those to questions for themselves, because a system may write captions and answer.

    A plain yes or no is left out: to one question it may be right for every photo.
    """

    _counts: dict[bool, Counter[str | frozenset[str]]] = field(default_factory=dict)
    _photos: dict[bool, set[object]] = field(default_factory=dict)

    def add(self, photo: object, asked: bool, reading: Reading) -> None:
        """Count the answer about a photo; `asked` if it answers a question."""
        match reading:
            case LabelSet(labels):
                key: str | frozenset[str] = labels
            case Wording(_, normal):
                key = normal
            case CaptionReading(text) | AnswerReading(text):
                key = normal_wording(text)
            case _:
                return
        if isinstance(key, str) and key.startswith(("yes", "no")) and key[:3].rstrip(" ,.;:!") in ("yes", "no"):
            return
        self._counts.setdefault(asked, Counter())[key] += 1
        photos = self._photos.setdefault(asked, set())
        if len(photos) < FEWEST_PHOTOS:
            photos.add(photo)

    @property
    def commonest(self) -> tuple[CommonAnswer, ...]:
        """The commonest answer without a question and the commonest to questions."""
        found = []
        for asked, counts in sorted(self._counts.items()):
            key, count = counts.most_common(1)[0]
            shown = key if isinstance(key, str) else ", ".join(sorted(key)) or "no label"
            found.append(CommonAnswer(shown, count, counts.total(), len(self._photos[asked])))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class RunOutcomes:
    """How a run came out, in numbers: `missing` answers and `discarded` cases among them.

    `counted` violations have the grades that count, and are none of the `known` that a baseline has; `new_causes` is
    given if any of them fails the gate. `sample` has the evenly drawn cases if shares are theirs.
    """

    tallies: Sequence[Tally]
    spending: Spending
    missing: int
    discarded: int
    counted: int | None = None
    known: int = 0
    new_causes: int | None = None
    sample: Sequence[Tally] | None = None
    sampled: int | None = None


def gate_of_run(store: RunStore, config: Config, run: RunOutcomes) -> GateResult:
    """The gate of a run, from its outcomes and its stored answers."""
    counts, spoken, readers = AnswerCounts(), Spoken(), config.readers()
    for scene, asked, answer in answers_to_photos(store, MOST_COUNTED):
        try:
            reading = readers.read("wording" if answer.labels is None else "labels", answer)
        except NotTrusted as problem:
            reading = Unreadable(answer.text or "", str(problem))
        counts.add(scene, asked, reading)
        spoken.add(answer, reading, by_rules=readers.name_of("answer" if asked else "caption") == ENGLISH)
    chosen = dict.fromkeys((*(method.kind for method in config.methods), *(tally.method for tally in run.tallies)))
    outcomes = {method: _outcomes(method, run.tallies) for method in chosen}
    for method in config.methods:
        if not outcomes[method.kind].cases and store.fact("planned"):
            outcomes[method.kind] = replace(outcomes[method.kind], hint=hint_for(store, method))
    seen = GateInput(
        tuple(outcomes.values()),
        counts.commonest,
        bool(store.fact("system_worked", True) or store.count("answers")),
        store.count("failures"),
        run.spending,
        run.missing,
        run.discarded,
        run.counted,
        run.known,
        run.new_causes,
        None if run.sample is None else tuple(_outcomes(method, run.sample) for method in chosen),
        run.sampled,
        (*_unspeakable(store, config, spoken), *_awaited(store)),
        _refused(store),
        calls_lost(store),
        next(((row.fewest, row.answers) for row in read_floors(store, "all") if row.answers), None),
    )
    return gate(seen, config.settings.gate)


def _all_alike(common: Sequence[CommonAnswer]) -> Iterator[str]:
    """Answers that are all the same, about too few photos for the gate to count it."""
    for each in common:
        if 1 < each.photos < FEWEST_PHOTOS and each.count == each.total:
            yield (
                f"All {each.total:,} answers about {each.photos:,} photos are the same, {_quoted(each.shown)}. "
                "A system that does not look at the photos answers like this. "
                f"With {FEWEST_PHOTOS} photos or more, the run would be inconclusive."
            )


def _lost(seen: GateInput) -> list[GateReason]:
    """Calls that failed for want of memory: what that leaves open is not the system's fault."""
    if not seen.lost:
        return []
    calls = "1 call was" if seen.lost == 1 else f"{seen.lost:,} calls were"
    sentence = f"{calls} not answered because the machine had no memory left; `anamorph resume` asks them again"
    return [GateReason("machine", sentence, None, seen.lost)]


def _outcomes(method: str, tallies: Sequence[Tally]) -> MethodOutcomes:
    own = [tally for tally in tallies if tally.method == method]
    names = ("holds", "violated", "undecided", "vacuous", "leads")
    return MethodOutcomes(method, *(sum(getattr(tally, name) for tally in own) for name in names))


def _unspeakable(store: RunStore, config: Config, spoken: Spoken) -> Iterator[GateReason]:
    """Classes that no answer could name, so that cases about them say nothing."""
    labels = config.settings.labels
    silent = unnameable_in(store, config)
    if silent:
        subject = "1 class" if len(silent) == 1 else f"{len(silent):,} classes"
        sentence = (
            f"no answer can name {subject} of the photos in the label space {labels}: {shown_names(silent)}; "
            "`anamorph list labels propose` makes a label space with words for them"
        )
        yield GateReason("unnameable-classes", sentence, None, len(silent))
    tested, never = spoken.tested(store)
    if tested and len(never) == len(tested):
        sentence = (
            f"the system never gives a label that is tested ({shown_names(never)}), and gives "
            f"{shown_names(sorted(spoken.labels))} instead; a label space says which of them mean the same "
            "(`anamorph list labels propose`)"
        )
        yield GateReason("other-labels", sentence, None, len(never), len(tested))
    if spoken.is_foreign:
        sentence = (
            f"{spoken.foreign:,} of {spoken.texts:,} answers look like another language than English, which is all "
            "that the rules read; choose the reader llm for others (docs/readers/llm.md)"
        )
        yield GateReason("other-language", sentence, None, spoken.foreign, spoken.texts)


def _awaited(store: RunStore) -> Iterator[GateReason]:
    """Closed questions whose answers are made elsewhere, and are not there yet."""
    waiting = int(store.fact(WAITING, 0))
    if waiting:
        subject = "1 answer is" if waiting == 1 else f"{waiting:,} answers are"
        sentence = f"{subject} to be made elsewhere before all suspicions are settled (requests-*.jsonl in the run)"
        yield GateReason("awaited-answers", sentence, None, waiting)


def _refused(store: RunStore) -> GateReason | None:
    """Why a method did not test the system, where its first answers showed that nothing can be learned from it."""
    found = store.fact(REFUSED)
    return None if found is None else GateReason("refused", found["why"], found["method"])


def gate(seen: GateInput, settings: GateSettings) -> GateResult:
    """Compare a run with its limits, and warn of what they are too coarse for."""
    return replace(_compared(seen, settings), warnings=tuple(_all_alike(seen.common)))


def _compared(seen: GateInput, settings: GateSettings) -> GateResult:
    """Compare a run with its limits; a broken or empty system never looks like a pass or like a bug.

    Violations of a system whose answers do not depend on the photo are not bugs to report. Otherwise violations
    over the limit fail the run, also where much is undecided; and only where they are within it, a run that says too
    little is inconclusive.
    """
    lost = _lost(seen)
    if lost and not any(each.decided for each in seen.methods):
        return _ended("broken", "The machine failed", lost)
    if not seen.worked and seen.failures:
        sentence = f"the system answered none of {seen.failures:,} calls"
        return _ended("broken", "The system does not work", [GateReason("no-answers", sentence, count=seen.failures)])
    if seen.refused is not None:
        return _ended("inconclusive", "Inconclusive", [seen.refused])
    spent = _out_of_budget(seen)
    if spent is not None:
        return _ended("inconclusive", "Inconclusive", [spent])
    same = _same_answers(seen, settings)
    doubts = [*same, *seen.language, *_untested(seen), *_undecided(seen, settings), *_vacuous(seen, settings)]
    decided, violated = (sum(getattr(each, name) for each in seen.methods) for name in ("decided", "violated"))
    if seen.counted is not None:
        violated = seen.counted
    found = _found(violated, decided, settings, seen.known)
    share = violated / decided if decided else 0.0
    if seen.sample is not None:
        drawn = sum(each.decided for each in seen.sample)
        own = sum(each.violated for each in seen.sample) if seen.sampled is None else seen.sampled
        # A violation that was found outside the sample is one, but says nothing about how common they are.
        share = own / drawn if drawn else 0.0
        found = f"{found}; of {drawn:,} that were drawn evenly, {own:,} {'is' if own == 1 else 'are'} ({share:.1%})"
    if settings.fail_over_floor is None:
        too_many = _too_many_violations(violated, decided, share, found, settings)
    else:
        too_many = _too_high_floor(seen, settings.fail_over_floor, settings.fail_over)
        doubts += [] if seen.floor else [GateReason("no-floor", "no closed answers are linked, which a floor needs")]
    over = [*_new_causes(seen), *too_many]
    if over and not same:
        return _ended("failed", "Failed", [*over, *lost, *doubts])
    if lost and doubts:
        return _ended("broken", "The machine failed", [*lost, *doubts])
    if doubts:
        return _ended("inconclusive", "Inconclusive", doubts)
    if settings.fail_over_floor is not None and seen.floor is not None:
        fewest, answers = seen.floor
        found = f"at least {fewest:,} of {answers:,} closed answers are false ({fewest / answers:.1%}); {found}"
    leads = sum(each.leads for each in seen.methods)
    apart = f" {leads:,} {'lead is' if leads == 1 else 'leads are'} not counted." if leads else ""
    if violated or settings.grades or seen.known:
        return GateResult("passed", f"Passed: {found}, within the threshold.{apart}")
    if leads:
        return GateResult("passed", f"Passed: nothing is proved in {decided:,} decided cases.{apart}")
    return GateResult("passed", f"Passed: all {decided:,} decided cases hold.")


def _ended(outcome: GateOutcome, word: str, reasons: Sequence[GateReason]) -> GateResult:
    return GateResult(outcome, f"{word}: {'; '.join(reason.sentence for reason in reasons)}.", tuple(reasons))


def _new_causes(seen: GateInput) -> list[GateReason]:
    if not seen.new_causes:
        return []
    subject = "1 cause is" if seen.new_causes == 1 else f"{seen.new_causes:,} causes are"
    sentence = f"{subject} new to the baseline, and none may be"
    return [GateReason("new-causes", sentence, None, seen.new_causes, None, "0")]


def _too_many_violations(
    violated: int, decided: int, rate: float, found: str, settings: GateSettings
) -> list[GateReason]:
    if settings.fail_on is not None and violated >= settings.fail_on:
        sentence = f"{found}, and {settings.fail_on} or more fail the gate"
        return [GateReason("violations", sentence, None, violated, decided, str(settings.fail_on))]
    # With a number as the threshold and no share given, the number alone decides.
    share = parse_share(settings.fail_over, "fail_over")
    over = rate > share or (share == 0 and violated > 0)
    if decided and over and not (settings.fail_on is not None and share == 0):
        sentence = f"{found}, more than the {settings.fail_over} that the gate allows"
        return [GateReason("violations", sentence, None, violated, decided, settings.fail_over)]
    return []


def _too_high_floor(seen: GateInput, limit: float, shown: str) -> list[GateReason]:
    if seen.floor is None or seen.floor[0] / seen.floor[1] <= limit:
        return []
    fewest, answers = seen.floor
    sentence = (
        f"at least {fewest:,} of {answers:,} closed answers are false ({fewest / answers:.1%}), more than the "
        f"{shown.strip().removeprefix(FLOOR)} that the gate allows"
    )
    return [GateReason("floor", sentence, None, fewest, answers, shown)]


def _found(violated: int, decided: int, settings: GateSettings, known: int) -> str:
    share = f"({violated / decided if decided else 0:.1%})"
    counting = f", counting only {_listed(settings.grades)}" if settings.grades else ""
    without = f", not counting {known:,} that the baseline knows" if known else ""
    return f"{violated} of {decided} decided cases are violated {share}{counting}{without}"


def _listed(grades: Sequence[Grade]) -> str:
    *others, last = dict.fromkeys(f"{grade}s" for grade in grades)
    return f"{', '.join(others)} and {last}" if others else last


def counts_for_gate(grade: Grade | None, settings: GateSettings) -> bool:
    """Whether the gate counts violations of a grade; those without one were judged as published, and always count."""
    return grade is None or not settings.grades or grade in settings.grades


def _out_of_budget(seen: GateInput) -> GateReason | None:
    spending = seen.spending
    if spending is None or not spending.exhausted or not seen.lacking:
        return None
    cases, undecided = (sum(getattr(each, name) for each in seen.methods) for name in ("cases", "undecided"))
    images = "1 image" if spending.images_sent == 1 else f"{spending.images_sent:,} images"
    # What tokens cost is known only after a call.
    within = (spending.spent or 0) <= (spending.budget or 0) + 1e-9
    when = "before the budget of {:g} was exceeded" if within else "once the budget of {:g} was used up"
    sentence = (
        f"stopped {when.format(spending.budget or 0)}: {money(spending.spent or 0)} spent on "
        f"{images} sent, {seen.lacking:,} answers are missing, {undecided:,} of {cases:,} cases are undecided"
    )
    return GateReason("out-of-budget", sentence, None, undecided, cases)


def _untested(seen: GateInput) -> list[GateReason]:
    """Chosen methods that planned nothing, or of which nothing could be decided."""
    if not any(each.cases for each in seen.methods):
        hints = [f"{each.method}: {each.hint}" for each in seen.methods if each.hint]
        sentence = "the methods planned no case for these scenes, so nothing was tested"
        return [GateReason("no-cases", "; ".join([sentence, *hints]))]
    found = []
    for each in seen.methods:
        if not each.cases:
            sentence = f"{each.method} planned no case for these scenes{each.hint and f': {each.hint}'}"
            found.append(GateReason("no-cases", sentence, each.method, 0, 0))
        elif not each.decided:
            sentence = f"none of the {each.cases:,} cases of {each.method} could be decided"
            found.append(GateReason("undecided", sentence, each.method, each.undecided, each.cases))
    return found


def _undecided(seen: GateInput, settings: GateSettings) -> list[GateReason]:
    """Cases that the system left undecided; those that the melt check left out were never put to it."""
    every, left_open = (sum(getattr(each, name) for each in seen.rated) for name in ("cases", "undecided"))
    discarded = seen.discarded if seen.sample is None else 0
    cases, undecided = every - discarded, left_open - discarded
    if cases <= 0 or undecided == cases or undecided / cases <= parse_share(settings.max_undecided, "max_undecided"):
        return []
    sentence = (
        f"{undecided:,} of {cases:,} cases are undecided ({undecided / cases:.1%}), "
        f"more than the {settings.max_undecided} that the gate allows"
    )
    return [GateReason("undecided", sentence, None, undecided, cases, settings.max_undecided)]


def _vacuous(seen: GateInput, settings: GateSettings) -> list[GateReason]:
    limit = parse_share(settings.max_vacuous, "max_vacuous")
    return [
        GateReason(
            "vacuous",
            f"{each.vacuous:,} of {each.decided:,} decided cases of {each.method} hold only because the answers name "
            f"nothing that could be compared ({each.vacuous / each.decided:.1%}), more than the "
            f"{settings.max_vacuous} that the gate allows",
            each.method,
            each.vacuous,
            each.decided,
            settings.max_vacuous,
        )
        for each in seen.rated
        if each.decided and each.vacuous / each.decided > limit
    ]


def _same_answers(seen: GateInput, settings: GateSettings) -> list[GateReason]:
    limit = parse_share(settings.max_same, "max_same")
    return [
        GateReason(
            "same-answers",
            f"the answers do not depend on the photo: {each.count:,} of {each.total:,} about different photos are "
            f"{_quoted(each.shown)} ({each.count / each.total:.1%}), more than the {settings.max_same} that the gate "
            "allows",
            None,
            each.count,
            each.total,
            settings.max_same,
        )
        for each in seen.common
        if each.photos >= FEWEST_PHOTOS and each.count / each.total > limit
    ]


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}\u2026")
