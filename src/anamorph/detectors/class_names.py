"""Class names of a network: from the user's list, the network's file, or the number of classes."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError, did_you_mean
from anamorph.reading.labels import SHIPPED, label_space

# COCO numbers its 80 classes from 1 to 90 and leaves these out.
_UNUSED_IDS = frozenset((12, 26, 29, 30, 45, 66, 68, 69, 71, 83))
KNOWN_LISTS = ("coco-80", "coco-90", "coco-91", *SHIPPED)
# Names in a list that mean no class.
_NO_CLASS = frozenset(("", "???", "n/a", "none", "background", "__background__", "no-object"))


def names_of_list(name: str) -> tuple[str, ...]:
    """The names of a known list, or of a file: one per line, or a JSON list or table by class number."""
    if name in KNOWN_LISTS:
        return _known(name)
    file = Path(name)
    if file.suffix.lower() not in (".txt", ".names", ".json"):
        raise UsageError(
            f"Unknown list of labels {name!r}.{did_you_mean(name, KNOWN_LISTS)} "
            f"Known: {', '.join(KNOWN_LISTS)}, or the path of a .txt file (one per line) or a .json file."
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise UsageError(f"{file}: the labels cannot be read: {problem.strerror or problem}.") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"{file}: the labels are not UTF-8 text (byte {problem.start}).") from problem
    names = _from_json(file, text) if file.suffix.lower() == ".json" else names_by_line(text)
    if not any(is_class(each) for each in names):
        raise UsageError(f"{file}: the file has no labels.")
    return names


def names_in_metadata(metadata: Mapping[str, str], label_file: str) -> tuple[str, ...] | None:
    """The names that a network's file brings: ultralytics' table `names`, or a packed label file."""
    if metadata.get(label_file):
        return names_by_line(metadata[label_file])
    try:
        return _by_number(ast.literal_eval(metadata["names"]))
    except (KeyError, ValueError, SyntaxError, TypeError):
        return None


def names_by_count(count: int | None) -> tuple[str, ...] | None:
    """COCO's names where the number of classes is one of COCO's."""
    return _known(f"coco-{count}") if count in (80, 90, 91) else None


def is_class(name: str) -> bool:
    """Whether a name in a list is that of a class."""
    return name.strip().lower() not in _NO_CLASS


def names_by_line(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.rstrip().splitlines())


@functools.cache
def _known(name: str) -> tuple[str, ...]:
    """coco-80: the classes in their order; coco-91: by COCO's id; coco-90: by COCO's id less one."""
    if not name.startswith("coco-") or name in SHIPPED:
        return label_space(name).names
    names = iter(label_space("coco").names)
    if name == "coco-80":
        return tuple(names)
    by_id = tuple("" if id_ == 0 or id_ in _UNUSED_IDS else next(names) for id_ in range(91))
    return by_id if name == "coco-91" else by_id[1:]


def _from_json(file: Path, text: str) -> tuple[str, ...]:
    try:
        names = _by_number(json.loads(text))
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{file}: not valid JSON: {problem}.") from problem
    if names is None:
        raise UsageError(f'{file}: expected a list of labels, or a table such as {{"0": "person"}}.')
    return names


def _by_number(plain: Any) -> tuple[str, ...] | None:
    if isinstance(plain, Mapping):
        try:
            numbered = {int(key): value for key, value in plain.items()}
        except (TypeError, ValueError):
            return None
        if not numbered or min(numbered) < 0 or max(numbered) > 100_000:
            return None
        plain = [numbered.get(number, "") for number in range(max(numbered) + 1)]
    if not isinstance(plain, Sequence) or isinstance(plain, str) or not all(isinstance(each, str) for each in plain):
        return None
    return tuple(each.strip() for each in plain) or None
