"""Questions from files, whose format is detected by structure.

VQA v2 and OK-VQA have a list of questions in one file and a list of answers in another; GQA has questions by id;
COCO-QA has parallel text files, or a JSON list; anything else can be JSON lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Question, Skip
from anamorph.photos.entries import Flaw, brief, identity, number, required, table, words
from anamorph.photos.files import open_regular, read_json, read_text, shown

_FORMS = (
    "a list 'questions' (VQA v2, OK-VQA), questions by their ids (GQA), a list of questions, JSON lines with 'image' "
    "and 'question', or a folder with COCO-QA's questions.txt and img_ids.txt"
)
_IMAGE_KEYS = ("image", "image_id", "imageId", "img_id")
_ANSWER_KEYS = ("answers", "answer", "multiple_choice_answer")
_KEPT = (*_IMAGE_KEYS, *_ANSWER_KEYS, "question", "question_id")
_COLUMNS = ("questions.txt", "img_ids.txt", "answers.txt")
# Far above real data sets: VQA v2's longest question has 100 characters, and each has ten answers.
_MOST_CHARACTERS = 2_000
_MOST_ANSWERS = 100
_MOST_LINE_BYTES = 1_000_000


@dataclass(slots=True)
class QuestionFile:
    """The questions of a file by image name, in file order, and skips for unusable entries."""

    by_image: dict[str, list[Question]] = field(default_factory=dict)
    skips: list[Skip] = field(default_factory=list)


def read_questions(questions: str, answers: str | None) -> QuestionFile:
    """Read a file of questions, with answers from a second file if given."""
    known, skips = _answers_by_id(answers) if answers is not None else ({}, [])
    read, ids = QuestionFile(skips=skips), set()
    flaw: Flaw | None = None
    for place, id_, entry in _entries(questions, "questions"):
        try:
            image, question = _question(entry, id_, known if answers is not None else None)
        except Flaw as problem:
            flaw = flaw or problem
            read.skips.append(Skip(shown(f"{questions}: {place}"), str(problem)))
            continue
        ids.add(question.id)
        read.by_image.setdefault(image, []).append(question)
    if not read.by_image:
        first = f" The first entry: {flaw}" if flaw is not None else ""
        raise UsageError(f"{shown(questions)} has no question that can be used; it should have {_FORMS}.{first}")
    unasked = len(known.keys() - ids)
    if unasked:
        read.skips.append(
            Skip(shown(answers), f"{unasked} of its answers are to questions that {shown(questions)} does not have.")
        )
    return read


def _question(entry: Any, id_: str | None, known: Mapping[str, tuple[str, ...]] | None) -> tuple[str, Question]:
    asked = table(entry, "A question")
    key = next((key for key in _IMAGE_KEYS if asked.get(key) is not None), None)
    if key is None:
        raise Flaw(f"None of the keys {', '.join(map(repr, _IMAGE_KEYS))} says which photo it is about.")
    image, text = identity(asked, key), _text(required(asked, "question"), "question")
    id_ = identity(asked, "question_id") if asked.get("question_id") is not None else id_ or ""
    answers = _answers(asked)
    if known is not None and not answers:
        if not id_:
            raise Flaw("The key 'question_id' is missing, so its answer cannot be found in the file of answers.")
        answers = known.get(id_, ())
    return image, Question(text, answers, id_)


def _answers_by_id(path: str) -> tuple[dict[str, tuple[str, ...]], list[Skip]]:
    known: dict[str, tuple[str, ...]] = {}
    skips: list[Skip] = []
    for place, id_, entry in _entries(path, "annotations"):
        try:
            answered = table(entry, "An answer") if not isinstance(entry, str) else {"answer": entry}
            if id_ is None:
                id_ = identity(answered, "question_id")
            answers = _answers(answered)
            if not answers:
                raise Flaw(f"None of the keys {', '.join(map(repr, _ANSWER_KEYS))} has an answer.")
            known[id_] = answers
        except Flaw as flaw:
            skips.append(Skip(shown(f"{path}: {place}"), str(flaw)))
    return known, skips


def _answers(entry: Mapping[str, Any]) -> tuple[str, ...]:
    key = next((key for key in _ANSWER_KEYS if entry.get(key) is not None), None)
    if key is None:
        return ()
    listed = entry[key] if isinstance(entry[key], list) else [entry[key]]
    if len(listed) > _MOST_ANSWERS:
        raise Flaw(f"{key!r} has {len(listed):,} answers, more than the limit of {_MOST_ANSWERS}.")
    return tuple(_text(_answer(item, key), key) for item in listed)


def _answer(value: Any, key: str) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{number(value, key):g}"
    return value


def _text(value: Any, key: str) -> str:
    text = " ".join(words(value, key).split())
    if len(text) > _MOST_CHARACTERS:
        raise Flaw(f"{key!r} has {len(text):,} characters, more than the limit of {_MOST_CHARACTERS:,}.")
    return text


# --- the entries of a file -------------------------------------------------------------------------------------------

# The name of an entry's place in its file, its id if that is the key, and the entry.
_Placed = tuple[str, str | None, Any]


def _entries(path: str, name: str) -> Iterator[_Placed]:
    """The entries of a file in any format; `name` is that of VQA v2's list."""
    file = Path(path)
    try:
        if file.is_dir() or file.name == _COLUMNS[0]:
            yield from _columns(file if file.is_dir() else file.parent)
        elif _has_lines(file):
            yield from _lines(file)
        else:
            yield from _of_document(read_json(file, hook=_compact), path, name)
    except (BadPicture, OSError, ValueError) as problem:
        raise UsageError(str(problem)) from problem


def _of_document(document: Any, path: str, name: str) -> Iterator[_Placed]:
    if isinstance(document, dict) and isinstance(document.get(name), list):
        return _listed(document[name], name)
    if isinstance(document, list):
        return _listed(document, "")
    if isinstance(document, dict):
        if "question" in document:
            return iter([("line 1", None, document)])
        if name == "questions" and "annotations" in document:
            raise UsageError(
                f"{shown(path)} has a list 'annotations' but no list 'questions'. Give answers with "
                "answers=FILE, beside questions=FILE."
            )
        if document and all(isinstance(entry, dict | str) for entry in document.values()):
            return ((f"question {key}", key, entry) for key, entry in document.items())
    wanted = _FORMS if name == "questions" else "a list 'annotations' (VQA v2, OK-VQA), or answers by question id"
    raise UsageError(f"{shown(path)} is not a file of {name}: it is {brief(document)}. It should have {wanted}.")


def _listed(entries: Iterable[Any], name: str) -> Iterator[_Placed]:
    return ((f"{name}[{position}]", None, entry) for position, entry in enumerate(entries))


def _compact(entry: dict[str, Any]) -> Any:
    """Shrink entries during parsing: each of VQA v2's ten answers is an object, and GQA adds programs."""
    if "question" in entry or "question_id" in entry or any(key in entry for key in _IMAGE_KEYS):
        return {key: entry[key] for key in _KEPT if key in entry}
    return entry.get("answer", entry)


def _has_lines(file: Path) -> bool:
    """Whether the first of several lines is a complete JSON object."""
    with open_regular(file) as stream:
        first, more = stream.readline(_MOST_LINE_BYTES), stream.read(1)
    if not more or not first.endswith(b"\n"):
        return False
    try:
        return isinstance(json.loads(first.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        return False


def _lines(file: Path) -> Iterator[_Placed]:
    with open_regular(file) as stream:
        for position, line in enumerate(iter(lambda: stream.readline(_MOST_LINE_BYTES), b""), start=1):
            if len(line) == _MOST_LINE_BYTES:
                raise UsageError(f"{shown(file)}: line {position} has more than {_MOST_LINE_BYTES:,} bytes.")
            if not line.strip():
                continue
            try:
                entry = json.loads(line.decode("utf-8-sig"), object_hook=_compact)
            except (ValueError, RecursionError):
                # It is not a question, and is reported with its line.
                entry = line.decode("utf-8", "replace")
            yield f"line {position}", None, entry


def _columns(folder: Path) -> Iterator[_Placed]:
    """COCO-QA: line n of each file is about question n."""
    texts, images = (read_text(folder / name).splitlines() for name in _COLUMNS[:2])
    answers = read_text(folder / _COLUMNS[2]).splitlines() if (folder / _COLUMNS[2]).exists() else None
    counts = {name: len(lines) for name, lines in zip(_COLUMNS, (texts, images, answers), strict=True) if lines}
    if len(set(counts.values())) > 1:
        shown_counts = ", ".join(f"{name} has {count:,}" for name, count in counts.items())
        raise UsageError(f"{shown(folder)}: its files must have equally many lines, but {shown_counts}.")
    for position, (text, image) in enumerate(zip(texts, images, strict=True)):
        entry = {"image_id": image, "question": text}
        yield (
            f"questions.txt: line {position + 1}",
            None,
            entry if answers is None else {**entry, "answer": answers[position]},
        )
