"""The first sheet of an Excel workbook (.xlsx) as rows of texts: Python's zip and XML readers, nothing else.

Source: ECMA-376, part 1, chapter 18. Only the texts of cells are read, within limits; formulas and styles are not.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from anamorph.errors import UsageError

_SHEET, _STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
# A sheet of 100,000 rows has about this many bytes.
_MOST_BYTES = 200_000_000
_COLUMN = re.compile(r"[A-Z]+")


def first_sheet(file: Path) -> Iterator[list[str]]:
    """The rows of the first sheet; a cell that is left out is an empty text."""
    try:
        with zipfile.ZipFile(file) as book:
            strings = _shared(book)
            for row in _parsed(book, _SHEET).iterfind(".//{*}row"):
                yield _cells(row, strings)
    except Exception as problem:
        # Python's zip reader alone has eight kinds of errors for damaged files.
        raise UsageError(f"{file}: cannot be read as an Excel workbook ({problem}).") from problem


def _parsed(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if book.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} has more than {_MOST_BYTES:,} bytes")
    text = book.read(name)
    if b"<!DOCTYPE" in text[:1000]:
        # Workbooks have none; entities are how XML is made to grow.
        raise ValueError(f"{name} has a document type")
    return ElementTree.fromstring(text)


def _shared(book: zipfile.ZipFile) -> list[str]:
    if _STRINGS not in book.namelist():
        return []
    return ["".join(each.itertext()) for each in _parsed(book, _STRINGS)]


def _cells(row: ElementTree.Element, strings: list[str]) -> list[str]:
    found: list[str] = []
    for cell in row:
        named = _COLUMN.match(cell.get("r", ""))
        place = _place(named[0]) if named else len(found)
        found += [""] * (place - len(found))
        kind, text = cell.get("t"), "".join(cell.itertext())
        found.append(strings[int(text)] if kind == "s" and text else text)
    return found


def _place(letters: str) -> int:
    """A is 0, Z 25, AA 26."""
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    if place > 16_384:
        raise ValueError(f"column {letters} is beyond the last one")
    return place - 1
