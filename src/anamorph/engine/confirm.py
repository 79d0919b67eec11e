"""The stage that asks directly before an issue that might only be terse is reported: "How many dogs are in the image?".

Such an issue is a miscount or an omission. A system that takes questions is asked about each image and class of the
conflict, once; otherwise another system may be named to ask. Its answer is a claim: if the claims about the case are
still in conflict, the issue is confirmed; if not, it is dismissed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.events import Confirmed, Event
from anamorph.engine.judge import Judge, relation_of
from anamorph.engine.ray.system import RaySystem
from anamorph.errors import NotTrusted
from anamorph.language.morphology import plural_of
from anamorph.model import Answer, AnswerReading, Confirmation, Conflict, Reading, Relation, System, Verdict
from anamorph.model.protocols import RelationOptions, SystemOptions
from anamorph.store.answers import answers_of, questions_of
from anamorph.store.confirmations import (
    ConfirmingAnswer,
    ConfirmingQuestions,
    add_questions,
    answers_about,
    count_images,
    images_of,
)
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, case_pages, issue_pages, record_verdicts

WEAK = ("miscount", "omission")


def question_about(label: str) -> str:
    """How many there are of a class, as a question."""
    return f"How many {plural_of(label)} are in the image?"


def confirms(config: Config, system: System) -> bool:
    """Whether issues are confirmed by asking this system: as the run says, or where it takes questions."""
    wanted = config.settings.ask.confirm
    if "confirm_with" in config.plain:
        return wanted is not False
    gives = SystemOptions.answers_with.of(system)
    return ("answer" in gives and "caption" in gives) if wanted is None else wanted


def most_questions(store: RunStore, config: Config) -> int | None:
    """How many questions confirming asks at most for each class in conflict, before anything is asked; None if it asks
    none.
    """
    table = config.plain.get("system")
    gives: object = ()
    if isinstance(table, Mapping) and "system" not in config.given:
        gives = SystemOptions.answers_with.of(catalog.find("systems", str(table["kind"])))
    both = isinstance(gives, tuple) and {"caption", "answer"} <= set(gives)
    if config.settings.ask.confirm is False or not (
        config.settings.ask.confirm or both or "confirm_with" in config.plain
    ):
        return None
    return count_images(
        store,
        (
            [
                probe
                for case in page
                if RelationOptions.still_in_conflict.of(relation_of(store, case))
                for probe in case.probes
            ]
            for page in case_pages(store)
        ),
    )


def confirm_stage(store: RunStore, config: Config, system: System) -> Iterator[Event]:
    """Ask about every issue that might only be terse, and settle it."""
    with store.transaction():
        for page in issue_pages(store):
            add_questions(store, _questions(store, config, page))
    work = ConfirmingQuestions(store)
    other = make_confirming_system(config)
    try:
        yield from ask_stage(store, config, other or system, work)
    finally:
        if other is not None:
            other.close()
    yield from settle(store, config)


def make_confirming_system(config: Config) -> System | None:
    """The system that is asked to confirm issues, where the settings want it; the caller closes it."""
    if config.settings.on_ray and "confirm_with" in config.plain:
        return RaySystem.of(config, "confirm_with")
    return config.confirming_system()


def _questions(
    store: RunStore, config: Config, page: Sequence[tuple[StoredCase, Verdict]]
) -> list[tuple[int, str, str]]:
    weak = [
        (case, verdict)
        for case, verdict in page
        if verdict.grade in WEAK
        and verdict.conflicts
        and RelationOptions.still_in_conflict.of(relation_of(store, case, config.unloaded)) is not None
    ]
    images = images_of(store, [case.probes[probe] for case, verdict in weak for probe in _probes(verdict)])
    return [
        (images[case.probes[probe]], conflict.label, question_about(conflict.label))
        for case, verdict in weak
        for conflict in verdict.conflicts
        for probe in conflict.probes
    ]


def _probes(verdict: Verdict) -> list[int]:
    return sorted({probe for conflict in verdict.conflicts for probe in conflict.probes})


def settle(store: RunStore, config: Config) -> Iterator[Event]:
    """Settle every issue that was asked about, from what is stored; nothing is asked."""
    if not store.count("confirmations"):
        return
    judge = Judge(config.readers(), config.settings.ask.repeats)
    counts: Counter[Confirmation] = Counter()
    for page in issue_pages(store):
        settled = list(_settled_page(store, judge, config, page))
        with store.transaction():
            record_verdicts(store, settled)
        counts.update(verdict.confirmation for _, verdict in settled if verdict.confirmation)
    yield Confirmed(counts["confirmed"], counts["dismissed"], counts["unconfirmed"])


@dataclass(frozen=True, slots=True)
class _Said:
    """What is stored about the probes of some issues: their images, what was answered and asked, now and before."""

    images: Mapping[int, int]
    given: Mapping[int, Mapping[int, Answer]]
    asked_before: Mapping[int, str | None]
    asked: Mapping[tuple[int, str], ConfirmingAnswer]

    @classmethod
    def read(cls, store: RunStore, probes: Sequence[int]) -> _Said:
        images = images_of(store, probes)
        asked = answers_about(store, sorted(set(images.values())))
        return cls(images, answers_of(store, probes), questions_of(store, probes), asked)


def _settled_page(
    store: RunStore, judge: Judge, config: Config, page: Sequence[tuple[StoredCase, Verdict]]
) -> Iterator[tuple[int, Verdict]]:
    """The verdicts of those issues that were asked about, with what asking made of them, by case."""
    weak = [(case, verdict) for case, verdict in page if verdict.grade in WEAK and verdict.conflicts]
    probes = dict.fromkeys(case.probes[probe] for case, verdict in weak for probe in _probes(verdict))
    said = _Said.read(store, list(probes))
    for case, verdict in weak:
        try:
            relation = relation_of(store, case, config.unloaded)
        except NotTrusted:
            continue
        in_conflict = RelationOptions.still_in_conflict.of(relation)
        if in_conflict is not None:
            yield case.id, _settled(judge, relation, in_conflict, case, verdict, said)


def _settled(
    judge: Judge,
    relation: Relation,
    in_conflict: Callable[[Conflict, Sequence[tuple[int, Reading]]], bool],
    case: StoredCase,
    verdict: Verdict,
    said: _Said,
) -> Verdict:
    found: list[Confirmation] = []
    for conflict in verdict.conflicts:
        readings: list[tuple[int, Reading]] = []
        readable = True
        for probe in conflict.probes:
            id = case.probes[probe]
            reading = _direct(judge, said.asked.get((said.images[id], conflict.label)))
            if reading is None:
                readable = False
                continue
            readings.append((probe, reading))
            first = next((said.given[id][attempt] for attempt in sorted(said.given[id])), None)
            if first is not None:
                readings.append((probe, judge.reading_for(relation, first, said.asked_before[id])))
        still = in_conflict(conflict, readings)
        found.append("confirmed" if still else "dismissed" if readable else "unconfirmed")
    return _with(verdict, found)


def _direct(judge: Judge, asked: ConfirmingAnswer | None) -> AnswerReading | None:
    """What the answer to the confirming question says; None where there is none that can be read."""
    if asked is None or asked.answer is None:
        return None
    reading = judge.reading("answer", asked.answer, asked.question)
    return reading if isinstance(reading, AnswerReading) else None


def _with(verdict: Verdict, found: Sequence[Confirmation]) -> Verdict:
    if "confirmed" in found:
        return replace(verdict, confirmation="confirmed")
    if "unconfirmed" in found:
        return replace(verdict, confirmation="unconfirmed")
    reason = f"Dismissed, because the system is right when it is asked directly. {verdict.reason}"
    return replace(verdict, outcome="holds", reason=reason, confirmation="dismissed")
