"""Published outputs of the authors' own runs, as rows: the files of a clone of TestIC, LV-CIT or OAMT.

Source: the layout of these repositories (RobustNLP/TestIC, GIST-NJU/LV-CIT, s1by306/OAMT). Their pickles are read
without running anything: only plain data is taken.
"""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import BadPicture, UsageError
from anamorph.photos.files import open_regular
from anamorph.studies.judge.files import BadLine, RecordedLine
from anamorph.studies.judge.workbooks import first_sheet

Repository: TypeAlias = Literal["testic", "lv-cit", "oamt", "oamt-rated"]
REPOSITORIES: tuple[Repository, ...] = get_args(Repository)
# The largest file of these repositories has some megabytes.
_MOST_BYTES = 256_000_000
_INFO = "name_img_id_dict.pkl"
# ATOM's seven changes, as the names of follow-ups end; LV-CIT's own analysis takes them in this order.
_CHANGES = ("brightness", "contrast", "gaussian", "rotation", "saturation", "scale", "sharp")
_ATOM_FILE = re.compile(r"result_google_(voc|coco)_(\d)way_([A-Za-z0-9]+)_map.*\.xlsx")
_RATED = ("0", "0.5", "1")
_RATINGS = re.compile(r"(?:0|0\.5|1)\s+(?:0|0\.5|1)(?:\s|$)")
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
    files: dict[str, Path] = {}
    # A list may be in two folders; that of the results stands last.
    for file in sorted(folder.glob("experiments/**/issues/*_issues")):
        files[file.name.removesuffix("_issues").upper()] = file
    for system, file in sorted(files.items()):
        yield from _triples(file, system, system)


def _oamt_rated(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    """200 reported triples of each system, which two people rated: 0 is a real error, 1 a false alarm."""
    # Of two lists of a system, that without an ending has what the two agreed on.
    found = sorted(folder.glob("experiments/rq2/sample/*"), reverse=True)
    files = {file.name.removesuffix("_sample"): file for file in found if file.is_file()}
    for system, file in sorted(files.items()):
        for row in _triples(file, system, f"{system}-sample"):
            if isinstance(row, str):
                yield row
            elif not row["rated"]:
                yield f"{file}: {row['id']} has no ratings below it."
            else:
                rated = row["rated"]
                plain = {key: value for key, value in row.items() if key != "rated"}
                yield {**plain, "false_alarm": sum(rated) / len(rated)}


def _triples(file: Path, system: str, prefix: str) -> Iterator[dict[str, Any] | str]:
    """Three captions in parentheses, below them the address of the photo, and perhaps the ratings of two people.

    Below those may be the one that they agreed on.
    """
    number = 0
    lines = [line.strip() for line in _text(file).splitlines()]
    for place, line in enumerate(lines):
        if not line.startswith("("):
            continue
        number += 1
        captions = _literal(line)
        if not isinstance(captions, tuple) or len(captions) != 3 or not all(isinstance(c, str) for c in captions):
            yield f"{file}, line {place + 1}: expected three captions in parentheses."
            continue
        photo, ratings, agreed = (lines[at] if at < len(lines) else "" for at in range(place + 1, place + 4))
        names = {"id": f"{prefix}-{number}", "method": "oamt", "system": system}
        row = {**names, "photo": photo.rpartition("/")[2], "source": captions[0], "pieces": list(captions[1:])}
        if prefix != system:
            ratings = ratings if _RATINGS.match(ratings) else ""
            row["rated"] = [float(each) for each in (agreed if agreed in _RATED else ratings).split()[:2] if ratings]
        yield row


def _testic(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    """ROME's aligned files of captions, MetaIC's, and those of MetaIC as ROME's authors ran it again."""
    yield from _rome(folder)
    for group in sorted(folder.glob("MetaIC/Report_erroneous_issues/*/")):
        untouched = sorted(group.glob("ori_*/pred*.tsv"))[:1]
        by_image: dict[str | int, str | None] = {image: said for each in untouched for image, said in _captions(each)}
        for captions in sorted(group.glob("*_1000_*/pred*.tsv")):
            yield from _metaic(captions, by_image)
    for group in sorted(folder.glob("ROME/metaic_error_detection/*/")):
        untouched = sorted(group.glob("*_bg/*.tsv"))
        by_place: dict[str | int, str | None] = {
            place: said for each in untouched[:1] for place, (_, said) in enumerate(_captions(each))
        }
        for captions in sorted(set(group.glob("*_1000_*/*.tsv")) - set(untouched)):
            yield from _metaic(captions, by_place)


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


def _metaic(file: Path, untouched: Mapping[str | int, str | None]) -> Iterator[Mapping[str, Any] | str]:
    """The pairs of a file of captions, with those of the untouched photos by their image or their place.

    The pairs of one overlap are those of all, so one list of them may serve all.
    """
    lists = [file.with_name(_INFO), *sorted(file.parent.parent.glob(f"*/{_INFO}"))]
    info = next((each for each in lists if each.is_file()), None)
    if info is None:
        yield f"{file.parent}: neither it nor a folder beside it has {_INFO}."
        return
    pairs = _plain_pickle(info)
    for place, (_, caption) in enumerate(_captions(file)):
        pair = pairs.get(place + 1)
        image = _short(pair.get("image_id")) if isinstance(pair, Mapping) else ""
        background = untouched.get(place, untouched.get(image))
        if not isinstance(pair, Mapping) or caption is None or background is None:
            yield f"{file}, line {place + 1}: no caption, no pair in {_INFO}, or no caption of the untouched photo."
            continue
        names = {"id": f"metaic-{file.parent.name}-{place + 1}", "method": "metaic", "system": file.parent.name}
        inserted = str(pair.get("object")).replace("_", " ")
        yield {**names, "background": background, "generated": caption, "inserted": inserted}


def _lv_cit(folder: Path) -> Iterator[Mapping[str, Any] | str]:
    """ATOM's outputs: a workbook of the labels of each photo, and one of those of its follow-ups."""
    results = folder / "data" / "combine" / "4results" / "google"
    for file in sorted(results.glob("result_google_*/result_google_*way_*.xlsx")):
        named = _ATOM_FILE.fullmatch(file.name)
        if named is None:
            continue
        data, size, model = named.groups()
        beside = results / f"result_google_{data}_followup{size}"
        changed = sorted(beside.glob(f"result_google_{data}_followup_{size}way_{model}_map*.xlsx"))
        if not changed:
            yield f"{file}: {beside} has no workbook of the follow-ups of {model}."
            continue
        after = dict(_labels(changed[0]))
        for photo, labels in _labels(file):
            follow_ups = [after.get(f"{photo}_{change}") for change in _CHANGES]
            if None in follow_ups:
                missing = _CHANGES[follow_ups.index(None)]
                yield f"{changed[0]}: has no row {photo}_{missing}."
                continue
            names = {"id": f"{data}{size}-{model}-{photo}", "method": "atom", "system": model}
            wanted = photo.partition("_")[0].split("-")
            yield {**names, "labels": wanted, "outputs": [labels, *follow_ups], "operations": list(_CHANGES)}


def _labels(file: Path) -> Iterator[tuple[str, list[str]]]:
    """A photo's name without its ending, and the labels in the other cells of its row."""
    rows = first_sheet(file)
    header = next(rows, [])
    if "img" not in header:
        raise UsageError(f"{file}: expected a column img, got {', '.join(header[:5]) or 'no column'}.")
    at = header.index("img")
    for row in rows:
        if len(row) > at and row[at]:
            # A column without a name numbers the rows.
            cells = (text for place, text in enumerate(row) if place != at and place < len(header) and header[place])
            yield row[at].partition(".")[0], [text for text in cells if text]


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


_NAMES: Mapping[Repository, str] = {
    "testic": "RobustNLP/TestIC",
    "lv-cit": "GIST-NJU/LV-CIT",
    "oamt": "s1by306/OAMT",
    "oamt-rated": "s1by306/OAMT",
}
_READERS: Mapping[Repository, Callable[[Path], Iterator[Mapping[str, Any] | str]]] = {
    "testic": _testic,
    "lv-cit": _lv_cit,
    "oamt": _oamt,
    "oamt-rated": _oamt_rated,
}
