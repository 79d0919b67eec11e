"""A system's answers to closed questions about the images of a scene, and the questions that are still to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.engine.prove.subjects import Subject
from anamorph.model import AnswerReading, ChoiceReading, Edit, Probe, canonical_json, encode
from anamorph.readers.closed import read_closed
from anamorph.store.proofs import ClosedProbe, ProbeOrder

ClosedReading = AnswerReading | ChoiceReading


@dataclass(frozen=True, slots=True)
class Heard:
    """Closed answers to one question about one image, as often as it was asked."""

    probe: int
    readings: tuple[ClosedReading, ...]

    @property
    def least(self) -> int:
        """The fewest that any of the answers leaves room for."""
        return min(each.least for each in self.counts)

    @property
    def most(self) -> int | None:
        """The most that any of the answers leaves room for."""
        ends = [each.most for each in self.counts]
        return None if None in ends else max(end for end in ends if end is not None)

    @property
    def counts(self) -> tuple[AnswerReading, ...]:
        return tuple(each for each in self.readings if isinstance(each, AnswerReading))

    @property
    def differs(self) -> bool:
        """Whether the same question got different answers."""
        return len({_meaning(each) for each in self.readings}) > 1

    @property
    def words(self) -> str:
        """The answers: "2", "yes", or "2, then 3"."""
        said = [_said(each) for each in self.readings]
        return said[0] if len(set(said)) == 1 else ", then ".join(said)


def _meaning(reading: ClosedReading) -> tuple[object, ...]:
    if isinstance(reading, ChoiceReading):
        return (reading.option,)
    return reading.least, reading.most, reading.yes


def _said(reading: ClosedReading) -> str:
    if isinstance(reading, ChoiceReading):
        return reading.option
    if reading.yes is not None:
        return "yes" if reading.yes else "no"
    return str(reading.least)


@dataclass(frozen=True, slots=True)
class Missing:
    """An answer that is not there: how it would be asked for, or why there will be none."""

    order: ProbeOrder | None = None
    why: str = ""


@dataclass(slots=True)
class Hearing:
    """The closed answers about a scene's images, of the system or of the witness; `repeats` is the run's."""

    scene: str
    probes: Mapping[tuple[str, str], ClosedProbe]
    witness: bool = False
    repeats: int = 1
    _edits: dict[tuple[Edit, ...], str] = field(default_factory=dict)

    @classmethod
    def of(cls, scene: str, probes: Sequence[ClosedProbe], witness: bool, repeats: int) -> Hearing:
        """The answer of one of the two."""
        own = {(probe.edits, probe.question): probe for probe in probes if probe.witness == witness}
        return cls(scene, own, witness, repeats)

    def hear(self, edits: tuple[Edit, ...], subject: Subject, attempts: int = 1) -> Heard | Missing:
        """The answers to a question about an image, asked this many times."""
        said = self._hear(edits, subject, subject.question, attempts)
        if isinstance(said, Missing) and said.order is None and subject.stern != subject.question:
            return self._hear(edits, subject, subject.stern, attempts)
        return said

    def _hear(self, edits: tuple[Edit, ...], subject: Subject, question: str, attempts: int) -> Heard | Missing:
        found = self.probes.get((self._json(edits), question))
        order = ProbeOrder(Probe(self.scene, edits, question), attempts, self.witness)
        if found is None:
            return Missing(order)
        wanted = self.repeats if found.wanted is None else found.wanted
        texts = [found.answers[attempt].text or "" for attempt in sorted(found.answers)[:attempts]]
        readings = [read_closed(text, subject.form, question) for text in texts]
        closed = tuple(each for each in readings if isinstance(each, AnswerReading | ChoiceReading))
        if len(closed) < len(readings):
            return Missing(why="an answer is not in the form that was asked for")
        if len(closed) == attempts:
            return Heard(found.id, closed)
        if wanted < attempts or found.problem is None:
            return Missing(order)
        return Missing(why=f"an image could not be made: {found.problem}")

    def _json(self, edits: tuple[Edit, ...]) -> str:
        if edits not in self._edits:
            self._edits[edits] = canonical_json(encode(edits))
        return self._edits[edits]
