"""An account of closed answers: each an interval of one unknown number, and how these numbers are linked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Ledger, Link, Statement
from anamorph.model import (
    AnswerReading,
    ChoiceReading,
    Conflict,
    ConflictKind,
    Evidence,
    LabelSet,
    Reading,
    ReadingKind,
    Unreadable,
    Verdict,
    setting,
)
from anamorph.relations.verdicts.phrases import place

Interval = tuple[int, int | None]
_LONGEST_EVIDENCE = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer: its image, as the position of a probe that shows it, and the number it bounds.

    `subject` names the number: a class, or several counted together. `denied` if the answer is to a statement that
    there is none. `scale` has the interval of each option.
    """

    image: int
    subject: str
    denied: bool = False
    scale: tuple[tuple[str, int, int], ...] = ()

    def interval(self, reading: Reading) -> Interval | None:
        """An answer's statement; None if it is not in the form that was asked for."""
        if self.scale:
            option = reading.option if isinstance(reading, ChoiceReading) else None
            return next(((least, most) for name, least, most in self.scale if name == option), None)
        if not isinstance(reading, AnswerReading):
            return None
        if self.denied:
            return (0, 0) if reading.there else (1, None)
        return reading.least, reading.most


@dataclass(frozen=True, slots=True)
class Account:
    """An entry for each answer of a case, and links between their numbers, counted in the order of `unknowns`."""

    entries: tuple[Entry, ...]
    links: tuple[Link, ...] = ()

    @property
    def unknowns(self) -> tuple[tuple[int, str], ...]:
        """Every distinct unknown of the answers: the image and the subject."""
        return tuple(dict.fromkeys((entry.image, entry.subject) for entry in self.entries))

    def contradiction(self, intervals: Sequence[Interval]) -> tuple[int, ...] | None:
        """The positions of answers that cannot all be true, a smallest set; None if all can."""
        numbers = {unknown: number for number, unknown in enumerate(self.unknowns)}
        statements = [
            Statement(position, numbers[entry.image, entry.subject], *interval)
            for position, (entry, interval) in enumerate(zip(self.entries, intervals, strict=True))
        ]
        return Ledger(statements, self.links).contradiction()

    def kind_of(self, core: Sequence[int], intervals: Sequence[Interval]) -> ConflictKind:
        """Whether a contradiction is about existence, or only about number."""
        if any(self.entries[position].scale for position in core):
            return "answer"
        existence = [_whether(interval) for interval in intervals]
        others: Mapping[int, Interval] = {p: (0, None) for p in range(len(intervals)) if p not in core}
        reduced = [others.get(position, interval) for position, interval in enumerate(existence)]
        return "number" if self.contradiction(reduced) is None else "existence"


def _whether(interval: Interval) -> Interval:
    least, most = interval
    return min(least, 1), None if most is None or most > 0 else 0


def judged(name: str, label: str, account: Account, readings: Sequence[Reading]) -> Verdict:
    """Whether all answers can be true."""
    intervals: list[Interval] = []
    for position, (entry, reading) in enumerate(zip(account.entries, readings, strict=True)):
        interval = entry.interval(reading)
        if interval is None:
            why = reading.reason if isinstance(reading, Unreadable) else "it has another form than was asked for"
            return Verdict("undecided", f"{place(position, len(readings))} cannot be read: {why}.")
        intervals.append(interval)
    core = account.contradiction(intervals)
    if core is None:
        return Verdict("holds", "The answers agree.")
    conflict = Conflict(label, "contradiction", account.kind_of(core, intervals), core)
    stated = ((position, readings[position]) for position in core)
    said = [(position, each.text[:_LONGEST_EVIDENCE]) for position, each in stated if not isinstance(each, LabelSet)]
    return Verdict(
        "violated",
        f"The answers about {label!r} cannot all be true.",
        (name,),
        (name,),
        tuple(Evidence(position, text, 0, len(text)) for position, text in said),
        conflicts=(conflict,),
    )


@dataclass(frozen=True, slots=True)
class ClosedClaim:
    """A claim about closed answers: by their account, all of them can be true."""

    reads: ClassVar[ReadingKind] = "closed"
    name: ClassVar[str]
    label: str = setting("", "The class that is asked about.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return judged(self.name, self.label, self.account(len(readings)), readings)

    def account(self, answers: int) -> Account:
        """The account of its answers: each about an image of its own, unless a claim says otherwise."""
        return Account(tuple(Entry(position, self.label) for position in range(answers)), self._links(answers))

    def _links(self, answers: int) -> tuple[Link, ...]:
        return ()
