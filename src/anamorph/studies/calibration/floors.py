"""How much of what is false the error floor certifies, on drawn scenes and systems whose false answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, TypeAlias

from anamorph.config import Config, resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.readers.closed import form_of
from anamorph.report.floor import read_floor
from anamorph.store.answers import find_probe
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies
from anamorph.studies.calibration.closed_truth import true_closed_answer
from anamorph.studies.calibration.truth import TruthfulSystem, Truths
from anamorph.toybox.truth import Seen, Truth

# At random: each answer alike, whatever was asked. Class: never sees a class. Small: does not see what is small in the
# image that it is shown, so that it may see in a part what it denies in the whole.
Falsehood: TypeAlias = Literal["random", "class", "small"]


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
            return [self._reply(store, item, timeout_seconds) for item in batch]

    def close(self) -> None:
        pass

    def _reply(self, store: RunStore, item: Ask, timeout_seconds: float) -> Answer | Failure:
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
        return Answer(true_closed_answer(self._narrowed(seen), question) or true)

    def _narrowed(self, seen: Truth) -> Truth:
        """What this system sees of what is there."""
        return Truth(tuple(thing for thing in seen.things if self._sees(thing)))

    def _sees(self, thing: Seen) -> bool:
        if self.how == "class":
            return thing.label != self.unseen
        return thing.shown >= self.rate


def false_answer(true: str, options: Sequence[str], rng: Random) -> str:
    """Another answer of the same form."""
    if true.isdigit():
        return str(rng.choice([number for number in range(int(true) + 3) if number != int(true)]))
    choices = options or (("yes", "no") if true in ("yes", "no") else ("true", "false"))
    return rng.choice([choice for choice in choices if choice != true])


@dataclass(frozen=True, slots=True)
class FloorTrial:
    """What was found about one system: closed answers, how many are false, and how many the floor certifies."""

    how: Falsehood
    rate: float
    photos: int
    calls: int
    answers: int
    false: int
    floor: int
    cases: int
    violated: int
    relations: tuple[tuple[str, int, int], ...]

    @property
    def certified(self) -> float | None:
        """The share of the false answers that the floor certifies; None where none is false."""
        return self.floor / self.false if self.false else None


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
        return FloorTrial(
            how,
            rate,
            store.count("scenes"),
            store.count("answers"),
            0 if floor is None else floor.answers,
            sum(_falsehoods(store, config, inner)),
            0 if floor is None else floor.fewest,
            sum(tally.holds + tally.violated + tally.undecided for tally in several),
            sum(tally.violated for tally in several),
            () if floor is None else tuple((part.name, part.answers, part.fewest) for part in floor.relations),
        )


def _falsehoods(store: RunStore, config: Config, inner: TruthfulSystem) -> Iterator[bool]:
    """For every closed question that a case needs, whether its answer is false."""
    rows = store.connection.execute(
        """SELECT DISTINCT hex(p.digest), p.question, a.text FROM cases c, json_each(c.probes) k
        JOIN probes p ON p.id = k.value JOIN answers a ON a.probe = p.id AND a.attempt = 0"""
    ).fetchall()
    for digest, question, text in rows:
        probe = find_probe(store, digest.lower())
        assert probe is not None
        seen = inner.truths.of(store, probe, inner.studio)
        yield not isinstance(seen, str) and true_closed_answer(seen, question) != text
