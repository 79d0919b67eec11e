"""Label spaces: the classes a caption's words are sorted into, from those that ship or from the user's own file."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from anamorph.errors import BadRecord, UnknownName, UsageError, did_you_mean
from anamorph.language.morphology import plural_of
from anamorph.language.wordnet import taxonomy
from anamorph.model import decode

SHIPPED = ("coco", "coco-stuff", "voc")
FORM = (
    "A label space is a table with `name` and `labels`; a label is a name or a table with name, supercategory, "
    "synonyms, plurals, senses, unlike, names, context and like."
)


@dataclass(frozen=True, slots=True)
class Label:
    """A class, and the words that mean it.

    `senses` are the WordNet senses that mean it ("kite#3"; without any, the first sense of the name). `unlike` are
    words that the taxonomy puts under it and captions do not. `names` mean it only with a capital letter ("Mustang").
    `context` has words that mean it only in a text with one of certain others: the board of a surfer. `like` takes over
    the words of a shipped label ("coco/couch").
    """

    name: str
    supercategory: str | None = None
    synonyms: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    senses: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    context: dict[str, str] = field(default_factory=dict)
    like: str | None = None


@dataclass(frozen=True, slots=True)
class LabelSpace:
    """Classes by name, in their order."""

    name: str
    labels: tuple[Label, ...]

    def __contains__(self, name: str) -> bool:
        return any(label.name == name for label in self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.labels)

    def label(self, name: str) -> Label:
        """The label of a name; UnknownName, with a suggestion, if there is none."""
        for label in self.labels:
            if label.name == name:
                return label
        raise UnknownName(f"label of {self.name}", name, self.names)

    def supercategory(self, name: str) -> str | None:
        """The super-category of a label."""
        return self.label(name).supercategory


def class_words(space: LabelSpace) -> dict[str, tuple[str, bool]]:
    """Word -> (label, whether it is the plural form), for the names of labels in the singular and the plural."""
    words = {label.name: (label.name, False) for label in space.labels}
    for label in space.labels:
        words.setdefault(plural_of(label.name), (label.name, True))
    return words


def label_space(name: str) -> LabelSpace:
    """A label space by its name (coco, coco-stuff, voc) or the path of a .toml or .json file."""
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
    source = resources.files("anamorph.language").joinpath("spaces", f"{name}.toml")
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
        if key not in ("name", "labels"):
            raise BadRecord(f"{source}: {key}", f"unknown key.{did_you_mean(key, ('name', 'labels'))} {FORM}")
    name = plain.get("name", Path(source).stem)
    entries = plain.get("labels")
    if not isinstance(name, str) or not name.strip():
        raise BadRecord(f"{source}: name", "must be a text that is not empty.")
    if not isinstance(entries, list) or not entries:
        raise BadRecord(f"{source}: labels", f"must be a list of at least one label. {FORM}")
    labels = tuple(_label(entry, f"{source}: labels[{place}]") for place, entry in enumerate(entries))
    seen: dict[str, int] = {}
    for place, label in enumerate(labels):
        if label.name in seen:
            raise BadRecord(
                f"{source}: labels[{place}].name", f"{label.name!r} is also the name of labels[{seen[label.name]}]."
            )
        seen[label.name] = place
    return LabelSpace(name, labels)


def _label(entry: Any, path: str) -> Label:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping):
        raise BadRecord(path, f"must be a name or a table. {FORM}")
    label = decode(Label, dict(entry), path=path)
    if not label.name.strip():
        raise BadRecord(f"{path}.name", "must not be empty.")
    for key in ("synonyms", "plurals", "unlike"):
        if any(not word.strip() for word in getattr(label, key)):
            raise BadRecord(f"{path}.{key}", "holds an empty word.")
    for sense in label.senses:
        if sense_of(sense) is None:
            raise BadRecord(
                f"{path}.senses",
                f"{sense!r} is not a sense of a WordNet 3.0 noun. Write 'word#number', such as 'kite#3'.",
            )
    return _taking_over(label, path) if label.like else label


def _taking_over(label: Label, path: str) -> Label:
    space_name, _, name = (label.like or "").partition("/")
    if space_name not in SHIPPED or name not in (space := _shipped(space_name)):
        raise BadRecord(f"{path}.like", f"{label.like!r} is not a shipped label. Write 'coco/couch', for example.")
    model = space.label(name)
    return replace(
        label,
        synonyms=(*label.synonyms, model.name, *model.synonyms),
        plurals=(*label.plurals, *model.plurals),
        senses=label.senses or model.senses or (f"{model.name}#1",),
        unlike=(*label.unlike, *model.unlike),
        names=(*label.names, *model.names),
        context={**model.context, **label.context},
        supercategory=label.supercategory or model.supercategory,
    )


def sense_of(name: str) -> int | None:
    """The sense that "kite#3" means, or None."""
    word, mark, number = name.rpartition("#")
    senses = taxonomy().senses(word.strip().lower()) if mark and number.isascii() and number.isdigit() else ()
    return senses[int(number) - 1] if senses and 0 < int(number) <= len(senses) else None
