"""Who reads for a run: a reader for each kind of reading, and the label space that they read in."""

from __future__ import annotations

import dataclasses
import functools
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from anamorph import catalog
from anamorph.config.parts import part_from_text
from anamorph.errors import AnamorphError, BadRecord, NotTrusted, UsageError, machine_fault
from anamorph.model import (
    READING_KINDS,
    Answer,
    CaptionReading,
    LabelSpace,
    Reader,
    Reading,
    ReadingKind,
    Unreadable,
    Wanted,
    decode,
)
from anamorph.model.codec import hints_of, kind_group
from anamorph.model.protocols import ReaderOptions
from anamorph.reading.labels import label_space

# Of an answer, in characters. Looking for what stands before or after space takes the square of its length.
LONGEST_READ, LONGEST_SPACE = 20_000, 200
_SPACE = re.compile(rf"(\s{{{LONGEST_SPACE}}})\s+")
_TOO_LONG = f"The answer has more than {LONGEST_READ:,} characters, so it is not read."
# Who reads where a run says nothing.
DEFAULT_READERS: Mapping[ReadingKind, str] = {
    "caption": "english",
    "answer": "english",
    "closed": "closed",
    "labels": "english",
    "wording": "english",
}


class RunReaders:
    """The readers of a run, made when first used; `require` refuses one that a stranger's run must not load."""

    def __init__(
        self,
        tables: Mapping[str, Any],
        labels: str,
        require: Callable[[str, type, Mapping[str, Any]], None] | None = None,
        require_labels: Callable[[str], None] | None = None,
    ) -> None:
        self._tables, self._labels = tables, labels
        self._require, self._require_labels = require, require_labels
        self._made: dict[str, Reader] = {}
        self._lock = threading.Lock()
        # By name, the last error of each reader that failed on an answer.
        self.broken: dict[str, str] = {}
        self._taken: dict[str, dict[str, float | None]] = {}

    @functools.cached_property
    def space(self) -> LabelSpace:
        """The label space that the run reads in."""
        if self._require_labels is not None:
            self._require_labels(self._labels)
        return label_space(self._labels)

    def name_of(self, kind: ReadingKind) -> str:
        """The name of the reader that makes a kind of reading."""
        chosen = self._tables.get(kind)
        return chosen if isinstance(chosen, str) else DEFAULT_READERS[kind]

    def reader(self, name: str) -> Reader:
        """The reader of this name, with its settings; one for all threads, since it may have a budget."""
        made = self._made.get(name)
        if made is not None:
            return made
        with self._lock:
            if name not in self._made:
                table = self._tables.get(name, {})
                if self._require is not None and name not in catalog.names("readers"):
                    raise NotTrusted(f"The reader {name!r} is not in the catalogue, and its file is not loaded.")
                cls = catalog.find("readers", name)
                if self._require is not None:
                    self._require(name, cls, table)
                self._made[name] = decode(cls, table, catalog.find, f"readers.{name}")
            return self._made[name]

    def read(
        self, kind: ReadingKind, answer: Answer, question: str | None = None, read_by: str | None = None
    ) -> Reading:
        """An answer as this kind of reading; `read_by` names a reader other than the run's choice.

        An answer that is too long is not read: it would take minutes for each of its cases. Nor is one that breaks its
        reader: a run does not end with it.
        """
        if answer.text is not None and len(answer.text) > LONGEST_SPACE:
            if len(answer.text) > LONGEST_READ:
                return Unreadable(f"{answer.text[:LONGEST_SPACE]}...", _TOO_LONG)
            answer = dataclasses.replace(answer, text=_SPACE.sub(r"\1", answer.text))
        name = read_by or self.name_of(kind)
        reader, wanted = self.reader(name), Wanted(kind, self.space, question)
        try:
            return reader.read(answer, wanted)
        except AnamorphError:
            raise
        except Exception as problem:
            if machine_fault(problem) is not None:
                raise
            self.broken[name] = f"{type(problem).__name__}: {problem}"
            return Unreadable(answer.text or "", f"The reader {name} failed on it ({self.broken[name]}).")

    def read_references(self, captions: Iterable[str]) -> tuple[CaptionReading, ...]:
        """The readings of the reference captions that can be read."""
        readings = (self.read("caption", Answer(caption)) for caption in captions)
        return tuple(reading for reading in readings if isinstance(reading, CaptionReading))

    @functools.cached_property
    def asking_kinds(self) -> frozenset[ReadingKind]:
        """The kinds of reading whose reader asks another system what a text means."""
        return frozenset(kind for kind in READING_KINDS if self._asks(self.name_of(kind)))

    def _asks(self, name: str) -> bool:
        return name in catalog.names("readers") and ReaderOptions.asks.of(catalog.find("readers", name))

    def take_accounts(self) -> Iterator[tuple[str, dict[str, float | None]]]:
        """The account of each reader that asks, by name, since the last call."""
        for name, reader in self._made.items():
            account = ReaderOptions.account.of(reader)
            if account is None:
                continue
            now, before = dataclasses.asdict(account), self._taken.get(name, {})
            self._taken[name] = now
            yield name, {key: None if value is None else value - (before.get(key) or 0) for key, value in now.items()}

    def close(self) -> None:
        """Close what the readers hold."""
        for reader in self._made.values():
            close = ReaderOptions.close.of(reader)
            if close is not None:
                close()


def with_whole_systems(tables: Mapping[str, Any]) -> dict[str, Any]:
    """A [readers] table in which the short form of a system that a reader asks is a table."""
    found = dict(tables)
    for name, table in tables.items():
        if name in READING_KINDS or not isinstance(table, Mapping) or name not in catalog.names("readers"):
            continue
        cls: type = catalog.find("readers", name)
        hints = hints_of(cls)
        found[name] = {
            key: part_from_text("system", value)
            if isinstance(value, str) and key in hints and kind_group(hints[key]) == "systems"
            else value
            for key, value in table.items()
        }
    return found


def check_readers(tables: Any) -> None:
    """Refuse a [readers] table whose choices or settings cannot be; a table alone needs no library."""
    if not isinstance(tables, Mapping):
        raise BadRecord("readers", 'expected a table such as caption = "english", with a table for each reader')
    for key, value in tables.items():
        if key not in READING_KINDS:
            continue
        if not isinstance(value, str):
            raise BadRecord(f"readers.{key}", f"expected the name of a reader, such as {DEFAULT_READERS[key]!r}")
        makes = ReaderOptions.makes.of(catalog.find("readers", value))
        if key not in makes:
            raise UsageError(
                f"readers.{key}: the reader {value!r} makes {', '.join(makes)}. These make {key}: "
                f"{', '.join(readers_that_make(key))}."
            )


def readers_that_make(kind: ReadingKind) -> list[str]:
    """The names of the readers that make a kind of reading."""
    return [name for name in catalog.names("readers") if kind in ReaderOptions.makes.of(catalog.find("readers", name))]
