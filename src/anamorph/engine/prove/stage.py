"""Proving: suspicions are settled by closed questions, planned in rounds like any other probes.

A round plans what the suspicions that are open need next; the stage that asks asks it; and when nothing more is needed,
all of them are settled at once from what is stored, so that judging again settles them again, for nothing.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Advised, Event, ProofPlanned, Settled
from anamorph.engine.further import calls_at_most
from anamorph.engine.judge import Claims, Judge
from anamorph.engine.prove.by_account import settled_by_account
from anamorph.engine.prove.by_answer import AskedCase, settled_by_answers
from anamorph.engine.prove.by_caption import CaptionedCase, CaptionProof, settled_by_witness
from anamorph.engine.prove.by_class import ClosedProof, Pair, pairs_of
from anamorph.engine.prove.evidence import EvidenceKind, expected_evidence, kept_evidence
from anamorph.engine.prove.findings import Finding
from anamorph.engine.prove.hearing import Hearing
from anamorph.engine.prove.subjects import class_subject
from anamorph.engine.render.maker import edits_from_json
from anamorph.errors import NotTrusted
from anamorph.ledger import Link
from anamorph.model import (
    SUSPICION_STATES,
    Answer,
    Conflict,
    Edit,
    Reading,
    Relation,
    Scene,
    SuspicionState,
    Verdict,
    surest,
)
from anamorph.model.protocols import RelationOptions
from anamorph.model.verdict import KnownNumber
from anamorph.reading.labels import label_space
from anamorph.relations.accounts.account import Account, Entry
from anamorph.store.answers import answers_of, questions_of, scene_of
from anamorph.store.causes import forget_causes
from anamorph.store.proofs import (
    EXISTENCE,
    ROUNDS,
    OrderBook,
    ProbeOrder,
    captions_of_scene,
    closed_probes,
    count_proving,
    edits_of_probes,
    is_ordered,
    order_probes,
    record_proofs,
    scene_row,
    scenes_of_probes,
    suspected_by_scene,
)
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, unfair_by_rule

# A suspicion goes through this many rounds at most: wholes, places, again, and each of them more sternly.
MOST_ROUNDS = 8
NOT_ASKED = "It was not asked about: `prove.most` allows no more questions, or the run was judged without asking."
NOT_COUNTED = "Things that come in bunches, heaps and pairs are not counted (`prove.existence_only`)."
NOT_PROVABLE = "Its relation says nothing that a closed question could settle."


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A case that raised suspicions, with all that settling them needs."""

    case: StoredCase
    verdict: Verdict
    relation: Relation
    edits: tuple[tuple[Edit, ...], ...]
    questions: tuple[str | None, ...]
    answers: tuple[Mapping[int, Answer], ...]
    # The rows of the scenes that its probes are about; nearly always one.
    scenes: tuple[int, ...]


# How many suspicions a case over captions, and one over answers, raised with a strong model, and how many calls it took
# to settle one.
SUSPICIONS_A_CAPTION, SUSPICIONS_AN_ANSWER, CALLS_A_SUSPICION = 0.4, 0.1, 2.7


def proving_calls(store: RunStore, config: Config) -> tuple[int, int] | None:
    """How many calls proving is expected to take, and the most that it may; None if nothing is asked."""
    if expected_evidence(store, config) == "captions":
        return None
    probes, asking = store.count("probes", "round = 0"), store.count("probes", "round = 0 AND question IS NOT NULL")
    most = config.settings.prove.most_calls(calls_at_most(store, config))
    share = asking / probes if probes else 0.0
    suspicions = store.count("cases") * (share * SUSPICIONS_AN_ANSWER + (1 - share) * SUSPICIONS_A_CAPTION)
    return min(most, round(suspicions * CALLS_A_SUSPICION)), most


def plan_proofs(store: RunStore, config: Config, claims: Claims | None = None) -> Iterator[Event]:
    """Plan the next closed questions; where nothing new is needed, nothing is planned."""
    settings, repeats = config.settings, config.settings.ask.repeats
    if settings.prove.enabled is False or kept_evidence(store) == "captions":
        return
    number = int(store.fact(ROUNDS, 0)) + 1
    if number > MOST_ROUNDS:
        return
    planned = store.count("probes", "round = 0") * repeats
    left = settings.prove.most_calls(planned) - count_proving(store, repeats)[1]
    book = OrderBook(store)
    for room in _rooms(store, config, claims):
        for _, conflict, finding in room.findings():
            if finding.orders:
                for scene, some in room.by_scene(finding.orders).items():
                    book.add(room.rank(conflict), scene, some)
    new = 0
    with store.transaction():
        for row, name, orders in book.ranked():
            if left - new >= sum(attempts for _, _, attempts, _ in orders):
                new += order_probes(store, row, name, orders, number, repeats)
        if new:
            store.set_fact(ROUNDS, number)
    if new:
        yield ProofPlanned(number, len(book), new)


def settle_stage(store: RunStore, config: Config, claims: Claims | None = None) -> Iterator[Event]:
    """Settle every suspicion from what is stored; nothing is asked."""
    if not store.count("suspicions"):
        return
    counts: Counter[SuspicionState] = Counter()
    for room in _rooms(store, config, claims):
        found: dict[int, list[tuple[Conflict, Finding]]] = {}
        suspects = {suspect.case.id: suspect for suspect in room.suspects}
        for suspect, conflict, finding in room.findings(final=True):
            found.setdefault(suspect.case.id, []).append((conflict, finding))
        settled = [
            (case, _settled(suspects[case].verdict, some), [finding.proof for _, finding in some])
            for case, some in found.items()
        ]
        with store.transaction():
            record_proofs(store, settled)
        counts.update(each.state for _, verdict, _ in settled for each in verdict.conflicts)
    with store.transaction():
        forget_causes(store)
        store.set_fact("judged", True)
    yield Settled(counts["proved"], counts["refuted"], counts["unfair"], counts["lead"], counts["undecided"])
    rules = unfair_by_rule(store)
    if rules:
        told = "; ".join(f"{method}, {rule}: {unfair:,} of {judged:,}" for method, rule, unfair, judged in rules)
        yield Advised(f"Unfair edits, which count against no system, by what made them: {told}.")


def _settled(verdict: Verdict, found: Sequence[tuple[Conflict, Finding]]) -> Verdict:
    """A verdict whose suspicions are settled, with the reason for what it is now."""
    conflicts = tuple(replace(conflict, state=finding.state, why=finding.why) for conflict, finding in found)
    state = min((each.state for each in conflicts), key=SUSPICION_STATES.index)
    weightiest = next(each for each in conflicts if each.state == state)
    if state == "proved":
        grade = surest(each.grade for each in conflicts if each.state == "proved")
        return replace(verdict, conflicts=conflicts, grade=grade, reason=f"{verdict.reason} {weightiest.why}")
    if state == "undecided":
        return replace(verdict, outcome="undecided", conflicts=conflicts, reason=weightiest.why)
    if state == "lead":
        return replace(verdict, outcome="lead", conflicts=conflicts, reason=f"{verdict.reason} {weightiest.why}")
    word = "Unfair edit" if state == "unfair" else "Refuted"
    reason = f"{word}. {weightiest.why} Suspected was: {verdict.reason}"
    return replace(verdict, outcome="holds", conflicts=conflicts, reason=reason)


def _rooms(store: RunStore, config: Config, claims: Claims | None) -> Iterator[_Room]:
    """Every scene with suspicions, and all that is stored about it."""
    claims = claims or Claims(store, config.unloaded)
    judge = Judge(config.readers(), config.settings.ask.repeats)
    evidence = kept_evidence(store)
    for row, cases in suspected_by_scene(store):
        scene = scene_of(store, row, catalog.find)
        probes = list(dict.fromkeys(probe for case, _ in cases for probe in case.probes))
        edits = {probe: edits_from_json(text, catalog.find) for probe, text in edits_of_probes(store, probes).items()}
        answers, questions = answers_of(store, probes), questions_of(store, probes)
        rows_of = scenes_of_probes(store, probes)
        suspects = []
        for case, verdict in cases:
            try:
                relation = claims.of(case)
            except NotTrusted:
                continue
            suspects.append(
                _Suspect(
                    case,
                    verdict,
                    relation,
                    tuple(edits[probe] for probe in case.probes),
                    tuple(questions[probe] for probe in case.probes),
                    tuple(answers[probe] for probe in case.probes),
                    tuple(rows_of[probe] for probe in case.probes),
                )
            )
        yield _Room(store, config, judge, evidence, row, scene, tuple(suspects))


@dataclass(frozen=True, slots=True)
class _Room:
    """One scene, the cases that raised suspicions about it, and whose word counts."""

    store: RunStore
    config: Config
    judge: Judge
    evidence: EvidenceKind
    row: int
    scene: Scene
    suspects: tuple[_Suspect, ...]

    def findings(self, *, final: bool = False) -> Iterator[tuple[_Suspect, Conflict, Finding]]:
        """The outcome of each suspicion, case by case; if `final`, no more is asked, and none is open."""
        settings, repeats = self.config.settings, self.config.settings.ask.repeats
        hearing = Hearing.of(self.scene.id, closed_probes(self.store, self.row), self.evidence == "witness", repeats)
        closed = ClosedProof(self.scene, hearing, settings.prove)
        exhaustive = self.scene.complete is not None
        captions = CaptionProof(
            self.scene,
            functools.cache(self._described),
            exhaustive,
            settings.prove.arguable,
            functools.cache(lambda: self.config.readers().read_references(self.scene.captions)),
        )
        for suspect in self.suspects:
            # Once for all conflicts: an answer may have as many labels as there are conflicts.
            captioned = functools.cache(functools.partial(self._captioned, suspect))
            for conflict in suspect.verdict.conflicts:
                finding = self._finding(suspect, conflict, closed, captions, captioned)
                if final and finding.state == "open":
                    finding = self._closed(suspect, conflict, finding, captions, captioned)
                yield suspect, conflict, finding

    def _closed(
        self,
        suspect: _Suspect,
        conflict: Conflict,
        finding: Finding,
        captions: CaptionProof,
        captioned: Callable[[], CaptionedCase],
    ) -> Finding:
        """A suspicion that waits for answers, as it stands when no more is asked."""
        repeats = self.config.settings.ask.repeats
        if all(is_ordered(self.store, order, repeats) for order in finding.orders):
            return replace(finding, state="undecided")
        if self.evidence == "witness" and RelationOptions.changes.of(suspect.relation) is not None:
            # A witness that was not asked must not prove less than no witness would.
            return captions.settled(captioned(), conflict)
        return Finding("lead", NOT_ASKED)

    def _finding(
        self,
        suspect: _Suspect,
        conflict: Conflict,
        closed: ClosedProof,
        captions: CaptionProof,
        captioned: Callable[[], CaptionedCase],
    ) -> Finding:
        questions = self.config.settings.questions
        account = RelationOptions.account.of(suspect.relation)
        if account is not None:
            return self._by_account(account(len(suspect.edits)), suspect, conflict)
        if conflict.what == "answer":
            asked = AskedCase(
                suspect.relation,
                suspect.edits,
                [question or "" for question in suspect.questions],
                [given.get(min(given)) if given else None for given in suspect.answers],
            )
            if self.evidence == "captions":
                return Finding("proved", "The answers stand as they were given, since nothing was asked again.")
            return settled_by_answers(closed, asked, questions)
        changes = RelationOptions.changes.of(suspect.relation)
        if changes is None:
            return Finding("lead", NOT_PROVABLE)
        subject = class_subject(conflict.label, questions, self.config.settings.prove)
        if conflict.what == "number" and subject.form.kind != "number" and self.evidence != "captions":
            return Finding("lead", NOT_COUNTED)
        if self.evidence == "answers":
            if conflict.what == "described":
                return captions.settled(captioned(), conflict)
            return self._by_own_answers(suspect, conflict, closed, changes())
        if self.evidence == "witness":
            return settled_by_witness(closed, captions, captioned(), conflict, subject)
        return captions.settled(captioned(), conflict)

    def _by_account(self, account: Account, suspect: _Suspect, conflict: Conflict) -> Finding:
        """Closed answers of the plan, which may be about several photos."""
        settings = self.config.settings
        if self.evidence != "answers":
            return Finding("proved", "The answers stand as they were given, since nothing was asked again.")
        heard = {}
        for row in dict.fromkeys(suspect.scenes):
            scene = self.scene if row == self.row else scene_of(self.store, row, catalog.find)
            probes = closed_probes(self.store, row)
            heard[row] = Hearing.of(scene.id, probes, witness=False, repeats=settings.ask.repeats), scene
        each = zip(suspect.scenes, suspect.edits, suspect.questions, strict=True)
        asked = [(*heard[row], edits, question or "") for row, edits, question in each]
        return settled_by_account(account, conflict, asked, settings.questions, settings.prove)

    def _by_own_answers(
        self, suspect: _Suspect, conflict: Conflict, closed: ClosedProof, changes: Sequence[tuple[str, int | None]]
    ) -> Finding:
        settings = self.config.settings
        subject = class_subject(conflict.label, settings.questions, settings.prove)
        links = RelationOptions.links.of(suspect.relation)
        if links is not None:
            return self._by_views(suspect, conflict, closed, links(len(suspect.edits)))
        known = self._known(suspect.relation, conflict.label)
        (pair,) = pairs_of(suspect.edits, conflict, changes, known)
        if pair.source == pair.follow_up:
            return closed.about_source(pair, subject)
        return closed.about_pair(pair, subject, conflict)

    def _by_views(self, suspect: _Suspect, conflict: Conflict, closed: ClosedProof, links: Sequence[Link]) -> Finding:
        """Views of one photo, whose numbers are linked; or one of them against what is known of it."""
        settings = self.config.settings
        subject = class_subject(conflict.label, settings.questions, settings.prove)
        if conflict.known:
            (place,) = conflict.probes
            views = RelationOptions.views.of(suspect.relation)
            known = None if views is None else self._among(views[place], conflict.label)
            edits = suspect.edits[place]
            return closed.about_source(Pair(edits, edits, 0, known=known), subject)
        entries = tuple(Entry(position, conflict.label) for position in range(len(suspect.edits)))
        asked = [(closed.hearing, self.scene, edits, subject.question) for edits in suspect.edits]
        return settled_by_account(Account(entries, tuple(links)), conflict, asked, settings.questions, settings.prove)

    def _known(self, relation: Relation, label: str) -> tuple[int, int | None] | None:
        """How many the source is known to have, where the owner of the annotations declares them exhaustive."""
        known = RelationOptions.known.of(relation)
        return None if known is None else self._among(known, label)

    def _among(self, known: Sequence[KnownNumber], label: str) -> tuple[int, int | None] | None:
        if self.scene.complete is None:
            return None
        found = next((each for each in known if each.label == label), None)
        if found is not None:
            return found.least, found.most
        return (0, 0) if label in label_space(self.scene.complete) else None

    def _captioned(self, suspect: _Suspect) -> CaptionedCase:
        changes = RelationOptions.changes.of(suspect.relation)
        readings = [
            self.judge.reading_for(suspect.relation, given[min(given)], question)
            for given, question in zip(suspect.answers, suspect.questions, strict=True)
        ]
        return CaptionedCase(suspect.edits, readings, () if changes is None else changes())

    def _described(self) -> Mapping[tuple[Edit, ...], Reading]:
        """The system's answers about all images of the scene, by their edits."""
        return {
            edits_from_json(edits, catalog.find): self.judge.reading(
                "caption" if answer.labels is None else "labels", answer, None
            )
            for _, _, edits, answer in captions_of_scene(self.store, self.row)
        }

    def by_scene(self, orders: Sequence[ProbeOrder]) -> Mapping[int, list[ProbeOrder]]:
        """Orders by the row of the scene that they are about."""
        found: dict[int, list[ProbeOrder]] = {}
        for order in orders:
            name = order.probe.scene
            row = self.row if name == self.scene.id else scene_row(self.store, name)
            if row is not None:
                found.setdefault(row, []).append(order)
        return found

    def rank(self, conflict: Conflict) -> tuple[bool, bool, float]:
        """The order of questions: existence before number, large things before small, plain before arguable words."""
        areas = [thing.box.area for thing in self.scene.things if thing.label == conflict.label]
        arguable = conflict.label in self.config.settings.prove.arguable
        return (conflict.what not in EXISTENCE, arguable, -max(areas, default=0.0))
