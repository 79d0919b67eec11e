"""A contact sheet as a picture file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from anamorph.errors import UsageError
from anamorph.pixels.sheets import PicturePair, pair_sheet
from anamorph.studies.sheet.cases import SheetCase

SUFFIXES = (".jpg", ".jpeg", ".png")


def check_sheet(path: Path) -> None:
    """Refuse a name that is not one of a picture, before anything is rendered."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: a sheet is a picture; the name must end in {', '.join(SUFFIXES)}.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: the folder {path.absolute().parent} does not exist, so the sheet cannot be written.")


def write_sheet(cases: Iterable[SheetCase], path: Path) -> int:
    """Write a sheet of cases; gives how many there are, and writes nothing where there are none."""
    check_sheet(path)
    pairs = []
    for number, case in enumerate(cases, start=1):
        lines = (f"{number}. {case.name}", *((case.problem,) if case.problem else ()), case.words)
        pairs.append(PicturePair(case.source, case.follow_up, lines))
    if pairs:
        # PNG has no quality, and takes no notice of it.
        Image.fromarray(pair_sheet(pairs)).save(path, quality=88)
    return len(pairs)
