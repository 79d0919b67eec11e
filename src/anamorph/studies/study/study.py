"""A study is a file that says what is shown, and what is asked about it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import AnamorphError, BadRecord, UsageError
from anamorph.model import decode, digest_of, encode
from anamorph.model.visible import visible_json
from anamorph.store.json_files import read_json_file

FORMAT = "anamorph-study"
FORMAT_VERSION = 1
MOST_BYTES = 64 * 2**20
MOST_ITEMS = 100_000

StudyKind: TypeAlias = Literal["naturalness", "pairwise", "relevance", "caption"]
STUDY_KINDS: tuple[StudyKind, ...] = get_args(StudyKind)
# What an untouched photo is, beside the names of methods.
REAL = "real"

ITEM_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that can be chosen, and what it means; `value` is what results have."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class StudyPicture:
    """A picture: the name of its file in the run, which is the digest of its bytes; `what` it is, which is not shown;
    and the digest of its scene and edits.
    """

    file: str
    what: str
    image: str = ""


@dataclass(frozen=True, slots=True)
class StudyItem:
    """One page: a picture or two, perhaps labels that it should show, or a caption to correct.

    `original` is the untouched photo, which is shown beside two pictures that were made of it.
    """

    id: str
    scene: str
    pictures: tuple[StudyPicture, ...]
    labels: tuple[str, ...] = ()
    caption: str = ""
    original: StudyPicture | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """The pages and questions. `run` is the folder that has the pictures, relative to that of the study's file.

    `topic` is its kind, which is also its name in the file; in records, a `kind` names a class.
    """

    topic: StudyKind
    run: str
    question: str
    scale: tuple[Choice, ...]
    seed: int
    items: tuple[StudyItem, ...] = ()
    confidence: tuple[Choice, ...] = ()
    # No answer is taken before an item was shown this long.
    least_seconds: int | None = None

    @property
    def digest(self) -> str:
        """The digest that results carry, so that none is counted for another study."""
        return digest_of(self)


_CERTAINTIES = ("very uncertain", "uncertain", "in between", "certain", "very certain")
_CONFIDENCE = tuple(Choice(str(number), words) for number, words in enumerate(_CERTAINTIES, start=1))
# The scale of naturalness is that of ROME, section 4.2; pairs with confidence are those of SPOLRE's user study; the
# groups of relevance are ATOM's, section III-B1.
QUESTIONS: Mapping[StudyKind, tuple[str, tuple[Choice, ...], tuple[Choice, ...]]] = {
    "naturalness": (
        "How natural is this picture?",
        (
            Choice("1", "highly unnatural: it cannot be a photo of the real world"),
            Choice("2", "somewhat unnatural: it would be difficult to take such a photo"),
            Choice("3", "perhaps not entirely natural, but it could still be a photo"),
            Choice("4", "natural: a photo that shows the world as it is"),
        ),
        (),
    ),
    "pairwise": (
        "Which of the two pictures is more realistic and natural?",
        (Choice("a", "picture A"), Choice("b", "picture B")),
        _CONFIDENCE,
    ),
    "relevance": (
        "Does this photo show all of these?",
        (
            Choice("strong", "yes, all of them clearly"),
            Choice("weak-blur", "yes, but one is too small or blurred"),
            Choice("weak-incompleteness", "yes, but a part of one is missing"),
            Choice("weak-merging", "yes, but several are merged into one, such as a cake like an airplane"),
            Choice("weak-abstraction", "yes, but one is not of the real world, such as a cartoon"),
            Choice("irrelevant", "no, at least one is missing"),
        ),
        (),
    ),
    "caption": (
        "What should this caption say?",
        (Choice("fine", "it is right as it is"),),
        (),
    ),
}


def new_study(
    kind: StudyKind, run: str, seed: int, items: tuple[StudyItem, ...], least_seconds: int | None = None
) -> Study:
    """A study with the question that its paper asked."""
    question, scale, confidence = QUESTIONS[kind]
    return Study(kind, run, question, scale, seed, items, confidence, least_seconds)


def item_id(kind: StudyKind, place: int, *what: str) -> str:
    """An id that says nothing about what is shown."""
    return digest_of([kind, place, *what])[:12]


def write_study(path: Path, study: Study) -> None:
    """Write a study, a line for each item; an existing file is not overwritten, since results may name it."""
    plain = encode(study)
    assert isinstance(plain, dict)
    items = ",\n".join(map(_json, plain.pop("items", ())))
    head = {"format": FORMAT, "version": FORMAT_VERSION, "kind": plain.pop("topic"), **plain}
    lines = [f"{_json(name)}: {_json(value)}" for name, value in head.items()]
    lines.append(f'"items": [\n{items}\n]')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write("{\n" + ",\n".join(lines) + "\n}\n")
    except FileExistsError as problem:
        raise UsageError(f"{path}: is there already, and results may belong to it. Choose another name.") from problem
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written ({problem.strerror or problem}).") from problem


def read_study(path: Path) -> Study:
    """Read a study; whatever is wrong with the file is a UsageError that names it."""
    plain = read_json_file(path, MOST_BYTES, "Make one with `anamorph research study new KIND RUN -o FILE`.")
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise UsageError(f'{path}: is not a study of Anamorph (it has no "format": "{FORMAT}").')
    if plain.get("version") != FORMAT_VERSION:
        raise UsageError(
            f"{path}: has the format {str(plain.get('version'))[:40]}, and this version reads {FORMAT_VERSION}. "
            "Update Anamorph."
        )
    try:
        rest = {name: value for name, value in plain.items() if name not in ("format", "version", "kind")}
        if "topic" in rest:
            raise BadRecord("topic", "unknown key; the kind of a study is its key `kind`")
        study = decode(Study, {**rest, "topic": plain.get("kind")})
        _check(study)
    except (AnamorphError, ValueError, RecursionError) as problem:
        raise UsageError(f"{path}: is damaged: {problem}") from problem
    return study


def _check(study: Study) -> None:
    if len(study.items) > MOST_ITEMS:
        raise BadRecord("items", f"has more than {MOST_ITEMS:,}")
    if not study.scale or len(study.scale) > 9 or len(study.confidence) > 9:
        raise BadRecord("scale", "expected 1 to 9 choices, since each has a key of its own")
    if len({choice.value for choice in study.scale}) < len(study.scale):
        raise BadRecord("scale", "has a value twice")
    numbers = (*(study.scale if study.topic == "naturalness" else ()), *study.confidence)
    if not all(choice.value.isascii() and choice.value.isdecimal() for choice in numbers):
        raise BadRecord("scale", "expected whole numbers as values, since their mean is taken")
    if study.topic == "pairwise" and [choice.value for choice in study.scale] != ["a", "b"]:
        raise BadRecord("scale", "expected the values a and b, one for each picture")
    needed = 2 if study.topic == "pairwise" else 1
    seen: set[str] = set()
    for place, item in enumerate(study.items):
        path = f"items[{place}]"
        if not ITEM_ID.fullmatch(item.id) or item.id in seen:
            raise BadRecord(
                f"{path}.id", f"expected 12 hexadecimal digits that no other item has, got {item.id[:40]!r}"
            )
        if len(item.pictures) != needed:
            raise BadRecord(f"{path}.pictures", f"expected {needed} for this kind, got {len(item.pictures)}")
        seen.add(item.id)


def _json(value: Any) -> str:
    return visible_json(json.dumps(value, ensure_ascii=False))
