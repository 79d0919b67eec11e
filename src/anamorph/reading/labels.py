"""Label spaces from those that ship or from the user's own file."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from anamorph.errors import BadRecord, UsageError, did_you_mean
from anamorph.model import decode
from anamorph.model.labels import Label, LabelSpace
from anamorph.reading.morphology import plural_of, singular_of
from anamorph.reading.naming import namer_of, words_of
from anamorph.reading.wordnet import taxonomy

SHIPPED = ("coco", "coco-all", "coco-stuff", "voc")
FORM = (
    "A label space is a table with `name` and `labels`, perhaps with `joins`, a list of shipped spaces; "
    "a label is a name or a table with name, supercategory, is, "
    "may_be, is_not, plurals, names, context, like and senses."
)
# The keys of a label's lists of words in a file, with those of older files, and the fields that they fill.
_LISTS = {
    "is": "words",
    "synonyms": "words",
    "may_be": "may_be",
    "is_not": "is_not",
    "unlike": "is_not",
    "plurals": "plurals",
    "names": "names",
}
_KEYS = ("name", "supercategory", *_LISTS, "context", "like", "senses")


def class_words(space: LabelSpace) -> dict[str, tuple[str, bool]]:
    """Word -> (label, whether it is the plural form), for the names of labels in the singular and the plural."""
    words = {label.name: (label.name, False) for label in space.labels}
    for label in space.labels:
        words.setdefault(plural_of(label.name), (label.name, True))
    return words


def label_space(name: str) -> LabelSpace:
    """A label space by its name (coco, coco-all, coco-stuff, voc) or the path of a .toml or .json file."""
    if name in SHIPPED:
        return _shipped(name)
    path = Path(name)
    if path.suffix.lower() not in (".toml", ".json"):
        raise UsageError(
            f"Unknown label space {name!r}.{did_you_mean(name, SHIPPED)} "
            f"Known: {', '.join(SHIPPED)}, or the path of a .toml or .json file."
        )
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{path}: the label space cannot be read: {problem.strerror or problem}.") from problem
    return parse_label_space(content, str(path))


@functools.cache
def _shipped(name: str) -> LabelSpace:
    source = resources.files("anamorph.reading").joinpath("spaces", f"{name}.toml")
    return parse_label_space(source.read_bytes(), f"{name}.toml")


def parse_label_space(content: bytes, source: str) -> LabelSpace:
    """The label space that a TOML or JSON file holds; `source` is its name, whose ending says which it is."""
    try:
        text = content.decode("utf-8-sig")
        plain = json.loads(text) if source.lower().endswith(".json") else tomllib.loads(text)
    except UnicodeDecodeError as problem:
        raise BadRecord(source, f"byte {problem.start} is not UTF-8.") from problem
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadRecord(
            source, f"not valid {'JSON' if source.lower().endswith('.json') else 'TOML'}: {problem}."
        ) from problem
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deeply" if isinstance(problem, RecursionError) else "a number has thousands of digits"
        raise BadRecord(source, f"cannot be read: {why}.") from problem
    if not isinstance(plain, Mapping):
        raise BadRecord(source, FORM)
    return _space(plain, source)


def _space(plain: Mapping[str, Any], source: str) -> LabelSpace:
    for key in plain:
        if key not in (known := ("name", "joins", "labels")):
            raise BadRecord(f"{source}: {key}", f"unknown key.{did_you_mean(key, known)} {FORM}")
    name = plain.get("name", Path(source).stem)
    joined = _joined(plain.get("joins", []), source)
    entries = plain.get("labels", [] if joined else None)
    if not isinstance(name, str) or not name.strip():
        raise BadRecord(f"{source}: name", "must be a string that is not empty.")
    if not isinstance(entries, list) or not (entries or joined):
        raise BadRecord(f"{source}: labels", f"must be a list of at least one label. {FORM}")
    own = tuple(_label(entry, f"{source}: labels[{place}]") for place, entry in enumerate(entries))
    taken = {label.name for label in own}
    labels = (*own, *(label for label in joined if label.name not in taken))
    seen: dict[str, int] = {}
    for place, label in enumerate(own):
        if label.name in seen:
            raise BadRecord(
                f"{source}: labels[{place}].name", f"{label.name!r} is also the name of labels[{seen[label.name]}]."
            )
        seen[label.name] = place
    return LabelSpace(name, labels)


def _joined(names: Any, source: str) -> tuple[Label, ...]:
    """The labels of shipped spaces together; a word that two of them claim means the label of the first.

    So a label whose very name is such a word, as COCO-Stuff's table is, goes with the other.
    """
    if not isinstance(names, list) or not all(name in SHIPPED for name in names):
        raise BadRecord(f"{source}: joins", f"must be a list of shipped label spaces: {', '.join(SHIPPED)}.")
    labels: dict[str, Label] = {}
    said: set[str] = set()
    for name in names:
        space = _shipped(name)
        for label in (each for each in space.labels if each.name not in said):
            words, may_be, plurals = (
                tuple(word for word in each if word not in said) for each in (label.words, label.may_be, label.plurals)
            )
            labels.setdefault(label.name, replace(label, words=words, may_be=may_be, plurals=plurals))
        said.update(word for label in space.labels for word in (label.name, *label.words, *label.plurals))
    return tuple(labels.values())


def _label(entry: Any, path: str) -> Label:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping):
        raise BadRecord(path, f"must be a name or a table. {FORM}")
    plain: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in _KEYS:
            raise BadRecord(f"{path}.{key}", f"unknown key.{did_you_mean(key, _KEYS)} Known: {', '.join(_KEYS)}.")
        if key in _LISTS:
            plain.setdefault(_LISTS[key], []).extend(_words(value, f"{path}.{key}"))
        else:
            plain[key] = value
    label = decode(Label, plain, path=path)
    if not label.name.strip():
        raise BadRecord(f"{path}.name", "must not be empty.")
    for sense in label.senses:
        if sense_of(sense) is None:
            raise BadRecord(
                f"{path}.senses",
                f"{sense!r} is not a sense of a WordNet 3.0 noun. Write 'word#number', such as 'kite#3'.",
            )
    return _taking_over(label, path) if label.like else label


def _words(value: Any, path: str) -> list[str]:
    if not isinstance(value, list):
        raise BadRecord(path, "must be a list of words.")
    for place, word in enumerate(value):
        if not isinstance(word, str):
            raise BadRecord(f"{path}[{place}]", f"expected a string, not {word!r}.")
        if not word.strip():
            raise BadRecord(path, "holds an empty word.")
    return value


def _taking_over(label: Label, path: str) -> Label:
    space_name, _, name = (label.like or "").partition("/")
    if space_name not in SHIPPED or name not in (space := _shipped(space_name)):
        raise BadRecord(f"{path}.like", f"{label.like!r} is not a shipped label. Write 'coco/couch', for example.")
    model = space.label(name)
    return replace(
        label,
        words=(*label.words, model.name, *model.words),
        may_be=(*label.may_be, *model.may_be),
        is_not=(*label.is_not, *model.is_not),
        plurals=(*label.plurals, *model.plurals),
        senses=label.senses or model.senses,
        names=(*label.names, *model.names),
        context={**model.context, **label.context},
        supercategory=label.supercategory or model.supercategory,
    )


def sense_of(name: str) -> int | None:
    """The sense that "kite#3" means, or None."""
    word, mark, number = name.rpartition("#")
    senses = taxonomy().senses(word.strip().lower()) if mark and number.isascii() and number.isdigit() else ()
    return senses[int(number) - 1] if senses and 0 < int(number) <= len(senses) else None


# --- classes that no text can name -----------------------------------------------------------------------------------


def unnameable(space: LabelSpace, classes: Iterable[str]) -> tuple[str, ...]:
    """Those of some classes that no text can name.

    They are not in the space, or no word of theirs is one that English text has (`SOFA_3SEATER`), or all their words
    are read as another class.
    """
    return tuple(name for name in dict.fromkeys(classes) if name not in space or not _is_nameable(space, name))


def _is_nameable(space: LabelSpace, name: str) -> bool:
    label, namer = space.label(name), namer_of(space)
    if label.names or label.context:
        return True
    phrases = map(words_of, filter(is_wording, (name, *label.words, *label.plurals)))
    return any(namer.named(words, singular_of(words[-1]) or words[-1]).label == name for words in phrases)


def is_wording(phrase: str) -> bool:
    """Whether a phrase could stand in English text, with spaces for its underscores; capitals alone may be a code."""
    words = words_of(phrase)
    letters = all(word.replace("'", "").replace(".", "").isalpha() and word.isascii() for word in words)
    return bool(words) and letters and not (phrase.isupper() and not all(map(_is_english, words)))


def _is_english(word: str) -> bool:
    return taxonomy().knows(word) or any(taxonomy().parts(word))
