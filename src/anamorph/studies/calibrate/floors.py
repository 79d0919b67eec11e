"""How much of what is false the error floor certifies, on drawn scenes and systems whose false answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, TypeAlias

from anamorph.config import resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.readers.closed import form_of
from anamorph.report.floor import read_floor
from anamorph.statistics.ranks import spearman
from anamorph.store.answers import PAGE, answers_of, find_probe, probes_by_id
from anamorph.store.run import RunStore
from anamorph.store.verdicts import case_pages, tallies
from anamorph.studies.calibrate.closed_truth import question_kind, true_closed_answer
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths
from anamorph.toybox.truth import Truth

# At random: each answer alike, whatever was asked. Class: never sees a class. Small: does not see what fills less than
# `rate` of the image that it is shown, so that it may see in a part what it denies in the whole.
Falsehood: TypeAlias = Literal["random", "class", "small"]
# Systems from nearly perfect to nearly useless.
FLOOR_TRIALS: tuple[tuple[Falsehood, float], ...] = (
    *(("random", rate) for rate in (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)),
    *(("small", share) for share in (0.005, 0.01, 0.02, 0.05)),
    ("class", 1.0),
)


@dataclass(frozen=True, slots=True, eq=False)
class FalseAnswerer:
    """The truthful system with some of its closed answers made false, always the same ones."""

    kind: ClassVar[str] = "false-answerer"
    answers_with: ClassVar[tuple[str, ...]] = ("answer",)
    inner: TruthfulSystem
    how: Falsehood
    rate: float
    seed: int = 1
    unseen: str = "person"

    @property
    def manner(self) -> Manner:
        return self.inner.manner

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"how": self.how, "rate": self.rate, "seed": self.seed, "unseen": self.unseen}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        with RunStore.open(self.inner.folder, read_only=True) as store:
            return [self._reply(store, item) for item in batch]

    def close(self) -> None:
        pass

    def _reply(self, store: RunStore, item: Ask) -> Answer | Failure:
        probe, question = find_probe(store, item.id), item.question or ""
        assert probe is not None
        seen = self.inner.truths.of(store, probe, self.inner.studio)
        if isinstance(seen, str):
            return Failure(seen)
        true = true_closed_answer(seen, question)
        if true is None:
            return Failure(f"The true answer to {question!r} is not known")
        form = form_of(question)
        if self.how == "random":
            rng = Random(f"{self.seed}/{item.id}")
            if form is None or rng.random() >= self.rate:
                return Answer(true)
            return Answer(false_answer(true, form.options, rng))
        if self.how == "class":
            things = [thing for thing in seen.things if thing.label != self.unseen]
        else:
            things = [thing for thing in seen.things if thing.shown >= self.rate]
        return Answer(true_closed_answer(Truth(tuple(things)), question) or true)


def false_answer(true: str, options: Sequence[str], rng: Random) -> str:
    """Another answer of the same form."""
    if true.isdigit():
        return str(rng.choice([number for number in range(int(true) + 3) if number != int(true)]))
    choices = options or (("yes", "no") if true in ("yes", "no") else ("true", "false"))
    return rng.choice([choice for choice in choices if choice != true])


@dataclass(frozen=True, slots=True)
class FloorTrial:
    """The result for one system: closed answers, how many are false, and how many the floor certifies.

    `polled` counts its answers to whether something is there, and `polled_right` those that are right: the accuracy
    that POPE measures with labels.
    """

    how: Falsehood
    rate: float
    photos: int
    calls: int
    answers: int
    false: int
    floor: int
    cases: int
    violated: int
    polled: int
    polled_right: int
    relations: tuple[tuple[str, int, int], ...]

    @property
    def name(self) -> str:
        match self.how:
            case "random":
                return f"{self.rate:.0%} false"
            case "small":
                return f"blind below {self.rate:.1%}"
        return "blind to people"

    @property
    def certified(self) -> float | None:
        """The share of the false answers that the floor certifies; None if none is false."""
        return self.floor / self.false if self.false else None


def rank_correlation(trials: Sequence[FloorTrial]) -> float | None:
    """Spearman's correlation of the floor and the true share of false answers; None if either is constant."""
    shares = [(trial.floor / trial.answers, trial.false / trial.answers) for trial in trials if trial.answers]
    return spearman([floor for floor, _ in shares], [false for _, false in shares])


def floor_trial(
    folder: Path, scenes: int, seed: int, how: Falsehood, rate: float, settings: Mapping[str, Any] | None = None
) -> FloorTrial:
    """Run crosscheck on drawn scenes against a system of which every false answer is known."""
    config = resolve(
        {
            "methods": ["crosscheck"],
            "seed": seed,
            "scenes": {"kind": "toybox", "count": scenes, "seed": seed},
            "system": {"kind": "toybox", "model": "answerer"},
            **(settings or {}),
        },
        "calibration",
    )
    with start(config, folder) as store:
        list(plan_stage(store, config))
        truths = Truths()
        inner = TruthfulSystem.over(store, config, "answer", truths)
        system = FalseAnswerer(inner, how, rate, seed)
        given = replace(config, given={**config.given, "system": system})
        list(carry_out(store, given))
        floor, several = read_floor(store), tallies(store)
        checked = list(_checked(store, inner))
        polled = [right for question, right in checked if question_kind(question) == "exists"]
        return FloorTrial(
            how,
            rate,
            store.count("scenes"),
            store.count("answers"),
            0 if floor is None else floor.answers,
            sum(not right for _, right in checked),
            0 if floor is None else floor.fewest,
            sum(tally.holds + tally.violated + tally.undecided for tally in several),
            sum(tally.violated for tally in several),
            len(polled),
            sum(polled),
            () if floor is None else tuple((part.name, part.answers, part.fewest) for part in floor.relations),
        )


def _checked(store: RunStore, inner: TruthfulSystem) -> Iterator[tuple[str, bool]]:
    """Every closed question that a case needs, and whether its answer is right."""
    ids = list(dict.fromkeys(probe for page in case_pages(store) for case in page for probe in case.probes))
    for place in range(0, len(ids), PAGE):
        some = ids[place : place + PAGE]
        answers = answers_of(store, some)
        for probe in probes_by_id(store, some):
            seen, question = inner.truths.of(store, probe, inner.studio), probe.question or ""
            first = answers[probe.id].get(0)
            yield question, isinstance(seen, str) or first is None or true_closed_answer(seen, question) == first.text
