"""Recorded outputs as typed records, one kind for each method, and their check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, TypeAlias

from anamorph.errors import BadRecord, UnknownName
from anamorph.model import Asks, decode

# A label set, with or without scores; None where the system did not answer.
Labels: TypeAlias = tuple[str, ...] | Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class RomeRow:
    """The captions of a pair before and after objects were melted."""

    ancestor: str | None
    descendant: str | None
    removed: tuple[str, ...]
    gone: tuple[str, ...] | None = None
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetaicRow:
    """The captions of a pair before and after an object was inserted."""

    background: str | None
    generated: str | None
    inserted: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpolreRow:
    """The caption of a re-laid scene, and what is in it."""

    generated: str | None
    objects: Mapping[str, int]
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetavqaRow:
    """The answers to a question and to its follow-ups."""

    relation: str
    answers: tuple[str | bool | int | None, ...]
    asks: Asks | None = None


@dataclass(frozen=True, slots=True)
class AtomRow:
    """The label sets that a tagger gave an image and its follow-ups."""

    labels: tuple[str, ...]
    outputs: tuple[Labels, ...]


@dataclass(frozen=True, slots=True)
class DeeptestRow:
    """Two outputs that must agree: captions, or label sets."""

    source: str | Labels
    follow_up: str | Labels


RecordedRow: TypeAlias = RomeRow | MetaicRow | SpolreRow | MetavqaRow | AtomRow | DeeptestRow

ROWS: Mapping[str, type[RecordedRow]] = {
    "atom": AtomRow,
    "deeptest": DeeptestRow,
    "metaic": MetaicRow,
    "metavqa": MetavqaRow,
    "rome": RomeRow,
    "spolre": SpolreRow,
}
# As close as a slip of the finger; further keys are the user's own.
_SLIP = 0.8


def parse_row(plain: Mapping[str, Any]) -> tuple[str | int, str, RecordedRow]:
    """The id, the method and the checked record of a row; BadRecord or UnknownName if it does not fit."""
    for key in ("id", "method"):
        if key not in plain:
            raise BadRecord(key, "is missing")
    row_id, method = plain["id"], plain["method"]
    if not isinstance(row_id, str | int) or isinstance(row_id, bool):
        raise BadRecord("id", f"expected a text or a whole number, got {row_id!r}")
    if not isinstance(method, str) or method not in ROWS:
        raise UnknownName("method", str(method), ROWS)
    cls = ROWS[method]
    names = [field.name for field in fields(cls)]
    own = {key: plain[key] for key in names if key in plain}
    if len(own) + 2 < len(plain):
        _refuse_slips([key for key in plain if key not in names and key not in ("id", "method")], own, names)
    if cls is AtomRow and (fast := _plain_label_sets(own)) is not None:
        return row_id, method, fast
    return row_id, method, decode(cls, own)


def _refuse_slips(unknown: list[str], own: Mapping[str, Any], names: list[str]) -> None:
    for key in unknown:
        close = get_close_matches(key, [name for name in names if name not in own], n=1, cutoff=_SLIP)
        if close:
            raise BadRecord(key, f"unknown key. Did you mean {close[0]!r}?")


def _plain_label_sets(own: Mapping[str, Any]) -> AtomRow | None:
    """The usual row of ATOM, which has many labels, without the general decoder's care; None if it is not usual."""
    labels, outputs = own.get("labels"), own.get("outputs")
    if not isinstance(labels, list) or not isinstance(outputs, list):
        return None
    for each in (labels, *outputs):
        if not isinstance(each, list) or not all(type(label) is str for label in each):
            return None
    return AtomRow(tuple(labels), tuple(map(tuple, outputs)))
