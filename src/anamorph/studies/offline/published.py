"""What authors published of their own runs, as rows: the files of a clone of RobustNLP/TestIC or s1by306/OAMT.

Source: the layout of these repositories. Their pickles are read without running anything: only plain data is taken.
"""

from __future__ import annotations

import ast
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import BadPicture, UsageError
from anamorph.photos.files import open_regular
from anamorph.studies.offline.files import BadLine, RecordedLine

Repository: TypeAlias = Literal["testic", "oamt"]
REPOSITORIES: tuple[Repository, ...] = get_args(Repository)
# The largest file of these repositories has some megabytes.
_MOST_BYTES = 256_000_000
_INFO = "name_img_id_dict.pkl"
_PLAIN = {("builtins", "set"): set, ("builtins", "frozenset"): frozenset}


def published_rows(repository: Repository, folder: Path) -> Iterator[RecordedLine | BadLine]:
    """The rows of a clone, numbered from 1; what cannot be read is a bad line that names its file."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: is not a folder. Clone the repository, and name the clone.")
    found = False
    for number, row in enumerate(_READERS[repository](folder), start=1):
        found = True
        yield RecordedLine(number, row) if isinstance(row, Mapping) else BadLine(number, row)
    if not found:
        raise UsageError(f"{folder}: has none of the files that a clone of {_NAMES[repository]} has.")


def _oamt(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    """Reported triples: a tuple of three captions, and the address of the photo on the next line."""
    for file in sorted(folder.glob("experiments/**/issues/*_issues")):
        system, number = file.name.removesuffix("_issues").upper(), 0
        lines = [line.strip() for line in _text(file).splitlines()]
        for place, line in enumerate(lines):
            if not line.startswith("("):
                continue
            number += 1
            captions = _literal(line)
            if not isinstance(captions, tuple) or len(captions) != 3 or not all(isinstance(c, str) for c in captions):
                yield f"{file}, line {place + 1}: expected three captions in parentheses."
                continue
            photo = lines[place + 1] if place + 1 < len(lines) else ""
            names = {"id": f"{system}-{number}", "method": "oamt", "system": system}
            yield {**names, "photo": photo.rpartition("/")[2], "source": captions[0], "pieces": list(captions[1:])}


def _testic(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    """ROME's aligned files of captions, and MetaIC's with the captions of the untouched photos beside them."""
    yield from _rome(folder)
    for info in sorted(folder.glob(f"MetaIC/Report_erroneous_issues/*/*/{_INFO}")):
        yield from _metaic(info)


def _rome(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    info = folder / "ROME" / "error_detection" / _INFO
    for ancestors in sorted(info.parent.glob("*_ancestor.tsv")) if info.is_file() else ():
        system = ancestors.name.removesuffix("_ancestor.tsv")
        before, after = _captions(ancestors), _captions(ancestors.with_name(f"{system}_descendant.tsv"))
        pairs = _plain_pickle(info)
        for number, ((_, one), (_, other)) in enumerate(zip(before, after, strict=False), start=1):
            pair = pairs.get(number)
            if not isinstance(pair, Mapping) or one is None or other is None:
                yield f"{ancestors}, line {number}: no caption, or no pair of this number in {_INFO}."
                continue
            removed = _names(pair, "removed_object_descendant") - _names(pair, "removed_object_ancestor")
            classes = sorted({name.rpartition("_")[0] for name in removed})
            names = {"id": f"rome-{system}-{number}", "method": "rome", "system": system}
            yield {**names, "ancestor": one, "descendant": other, "removed": classes}


def _metaic(info: Path) -> Iterator[Mapping[str, Any] | str]:
    generated = sorted(info.parent.glob("pred*.tsv"))
    untouched = sorted(info.parent.parent.glob("ori_*/pred*.tsv"))
    if not generated or not untouched:
        yield f"{info.parent}: lacks a file pred*.tsv, or its neighbor ori_*/pred*.tsv."
        return
    backgrounds = dict(_captions(untouched[0]))
    pairs = _plain_pickle(info)
    for number, (_, caption) in enumerate(_captions(generated[0]), start=1):
        pair = pairs.get(number)
        background = backgrounds.get(_short(pair.get("image_id"))) if isinstance(pair, Mapping) else None
        if not isinstance(pair, Mapping) or caption is None or background is None:
            yield f"{generated[0]}, line {number}: no caption, or no pair of this number in {_INFO}."
            continue
        names = {"id": f"metaic-{info.parent.name}-{number}", "method": "metaic", "system": info.parent.name}
        yield {**names, "background": background, "generated": caption, "inserted": pair.get("object")}


def _names(pair: Mapping[Any, Any], key: str) -> set[str]:
    """The names in one entry of a pair, without whatever is not one."""
    found = pair.get(key)
    return {name for name in found if isinstance(name, str)} if isinstance(found, set | frozenset | list) else set()


def _short(id: Any) -> str:
    """The id of an image as text; a number of thousands of digits is none."""
    return str(id) if isinstance(id, str) or (isinstance(id, int) and abs(id) < 1 << 64) else ""


def _captions(file: Path) -> list[tuple[str, str | None]]:
    """The image and the caption of each line; None for a line that has none."""
    found: list[tuple[str, str | None]] = []
    for line in _text(file).splitlines():
        image, _, said = line.partition("\t")
        plain = _literal(said)
        first = plain[0] if isinstance(plain, list) and plain else None
        caption = first.get("caption") if isinstance(first, dict) else None
        found.append((image, caption if isinstance(caption, str) else None))
    return found


def _literal(text: str) -> Any:
    """A JSON value or a Python literal; None for anything else."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _text(file: Path) -> str:
    try:
        with open_regular(file, _MOST_BYTES) as opened:
            return opened.read().decode("utf-8")
    except (OSError, UnicodeDecodeError, BadPicture) as problem:
        raise UsageError(f"{file}: cannot be read ({problem}).") from problem


class _PlainData(pickle._Unpickler):
    """Reads dictionaries, lists, sets, texts and numbers, and refuses all that would run code.

    The one in Python: that in C makes room for as many objects as twenty bytes say there are, 32 GB.
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(f"it wants {module}.{name}, which is not plain data")
        return _PLAIN[module, name]


def _plain_pickle(file: Path) -> Mapping[Any, Any]:
    try:
        with open_regular(file, _MOST_BYTES) as opened:
            plain = _PlainData(opened).load()
    except Exception as problem:
        raise UsageError(f"{file}: cannot be read ({problem}).") from problem
    if not isinstance(plain, Mapping):
        raise UsageError(f"{file}: expected a dictionary of pairs by number.")
    return plain


_NAMES: Mapping[Repository, str] = {"testic": "RobustNLP/TestIC", "oamt": "s1by306/OAMT"}
_READERS: Mapping[Repository, Callable[[Path], Iterator[Mapping[str, Any] | str]]] = {
    "testic": _testic,
    "oamt": _oamt,
}
