"""Recorded lines as checked rows: each in the words of the method or the relation that it names."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, cast

from anamorph import catalog
from anamorph.errors import BadRecord, UnknownName, UsageError
from anamorph.model import (
    Cell,
    MethodOptions,
    Output,
    RecordedCase,
    RecordedOutputs,
    RecordedRow,
    RecordedRowOptions,
    Relation,
    RelationOptions,
    decode,
)
from anamorph.studies.judge.cells import values_of
from anamorph.studies.judge.files import RecordedLine

# As close as a slip of the finger; further keys are the user's own.
_SLIP = 0.8
_ANSWERS = "a string, true or false, a number, a list of labels, a table of labels with scores, or null"


@dataclass(frozen=True, slots=True)
class RelationRow:
    """Answers, source first, and the relation of the catalogue that they must meet."""

    cells: ClassVar[Mapping[str, Cell]] = {"relation": "word", "answers": "texts", "questions": "texts"}
    relation: Relation
    answers: tuple[Output, ...]
    questions: tuple[str | None, ...] | None = None

    @classmethod
    def from_keys(cls, plain: Mapping[str, Any]) -> RelationRow:
        """The row; its answers are too various for the general decoder."""
        for key in ("relation", "answers"):
            if key not in plain:
                raise BadRecord(key, "is missing")
        relation = decode(_Claim, {"relation": plain["relation"]}, catalog.find).relation
        answers = _answers(plain["answers"])
        least, most = RelationOptions.least_answers.of(relation), RelationOptions.most_answers.of(relation)
        if len(answers) < least or (most is not None and len(answers) > most):
            wanted = str(least) if most == least else f"at least {least}" if most is None else f"{least} to {most}"
            raise BadRecord("answers", f"{relation.kind} needs {wanted}, source first, got {len(answers)}")
        return cls(relation, answers, _questions(plain.get("questions"), len(answers)))

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        relation = self._with_classes(outputs)
        asked = self.questions or (None,) * len(self.answers)
        pairs = zip(self.answers, asked, strict=True)
        return RecordedCase(relation, tuple(outputs.read(relation, *pair) for pair in pairs))

    def _with_classes(self, outputs: RecordedOutputs) -> Relation:
        """The relation with its classes as the label space spells them."""
        spelt: dict[str, Any] = {}
        for setting in RelationOptions.class_settings.of(self.relation):
            key, value = f"relation.{setting}", getattr(self.relation, setting)
            if isinstance(value, str):
                (spelt[setting],) = outputs.classes(key, (value,))
            elif value and isinstance(value[0], tuple):
                # Classes with what goes with each, such as how many there are.
                names = outputs.classes(key, [each[0] for each in value])
                spelt[setting] = tuple((name, *each[1:]) for name, each in zip(names, value, strict=True))
            elif value:
                spelt[setting] = outputs.classes(key, value)
        return dataclasses.replace(self.relation, **spelt) if spelt else self.relation  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class _Claim:
    relation: Relation


@dataclass(frozen=True, slots=True)
class _Form:
    """A class of rows, and what is looked up in it again and again."""

    cls: type[RecordedRow]
    keys: tuple[str, ...]
    cells: Mapping[str, Cell]
    from_keys: Callable[[Mapping[str, Any]], RecordedRow | None] | None


class RowParser:
    """Makes rows of lines; every method's class of rows is looked up once."""

    def __init__(self) -> None:
        self._form = functools.cache(_form)

    def parse(self, line: RecordedLine) -> tuple[str | None, RecordedRow]:
        """The method of a line, None if it names a relation instead, and its checked row; or BadRecord, UnknownName."""
        method, relation = line.plain.get("method"), line.plain.get("relation")
        if line.table:
            method, relation = ((cell or "").strip() for cell in (method, relation))
        if method in (None, "") and relation in (None, ""):
            raise BadRecord("method", 'is missing. A row names a method, or a relation with "answers"')
        if method not in (None, "") and not isinstance(method, str):
            raise UnknownName("method", str(method), catalog.names("methods"))
        form = self._form(method or None)
        plain = values_of(line.plain, form.cells) if line.table else line.plain
        own = {key: plain[key] for key in form.keys if key in plain}
        if relation is not None and "relation" not in form.keys and relation != "":
            raise BadRecord(
                "relation",
                f"rows of {method} have no such key, but this one has {relation!r}. Leave it out; or leave out the "
                'method and give "relation" and "answers"',
            )
        if len(own) + ("method" in plain) + 1 < len(plain):
            # An empty cell of a table is in a column that other rows use.
            unknown = (key for key in plain if key not in form.keys and key not in ("id", "method"))
            others = [key for key in unknown if not (line.table and plain[key] in ("", None))]
            _refuse_slips(others, [key for key in form.keys if key not in own])
        row = None if form.from_keys is None else form.from_keys(own)
        return method or None, decode(form.cls, own) if row is None else row


def _form(method: str | None) -> _Form:
    cls = RelationRow if method is None else _rows_of(method)
    keys = tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
    return _Form(cls, keys, RecordedRowOptions.cells.of(cls), RecordedRowOptions.from_keys.of(cls))


def _rows_of(method: str) -> type[RecordedRow]:
    rows: Any = MethodOptions.recorded.of(catalog.find("methods", method))
    if rows is None:
        raise BadRecord("method", f'{method} has no rows of its own. Name a relation instead, and give "answers"')
    if not dataclasses.is_dataclass(rows) or not callable(getattr(rows, "case", None)):
        raise UsageError(f"The rows of {method}, {rows!r}, must be a dataclass with a method `case`.")
    return cast(type[RecordedRow], rows)


def id_of(line: RecordedLine) -> str | int:
    """The id of a row; BadRecord if it has none that is valid."""
    if "id" not in line.plain:
        raise BadRecord("id", "is missing")
    found = line.plain["id"]
    if not isinstance(found, str | int) or isinstance(found, bool):
        raise BadRecord("id", f"expected a string or a whole number, got {found!r}")
    return found.strip() if line.table and isinstance(found, str) else found


def _refuse_slips(unknown: Sequence[str], missing: Sequence[str]) -> None:
    for key in unknown:
        close = get_close_matches(key, missing, n=1, cutoff=_SLIP)
        if close:
            raise BadRecord(key, f"unknown key. Did you mean {close[0]!r}?")


def _answers(plain: Any) -> tuple[Output, ...]:
    if not isinstance(plain, list):
        raise BadRecord("answers", f"expected a list of answers, source first, got {plain!r}")
    return tuple(_answer(each, f"answers[{place}]") for place, each in enumerate(plain))


def _answer(plain: Any, path: str) -> Output:
    if plain is None or isinstance(plain, str | bool | int):
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    if isinstance(plain, list) and all(isinstance(label, str) for label in plain):
        return tuple(plain)
    if isinstance(plain, dict) and all(_is_number(score) for score in plain.values()):
        return {label: float(score) for label, score in plain.items()}
    raise BadRecord(path, f"expected {_ANSWERS}, got {plain!r}")


def _is_number(plain: Any) -> bool:
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        return False
    try:
        return math.isfinite(plain)
    except OverflowError:
        return False


def _questions(plain: Any, count: int) -> tuple[str | None, ...] | None:
    if plain is None:
        return None
    if not isinstance(plain, list) or not all(each is None or isinstance(each, str) for each in plain):
        raise BadRecord("questions", f"expected a list of texts or null, one for each answer, got {plain!r}")
    if len(plain) != count:
        raise BadRecord("questions", f"needs one for each of the {count} answers (null for none), got {len(plain)}")
    return tuple(plain)
