"""Joins questions to their scenes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from anamorph.errors import UsageError
from anamorph.model import Question, Scene, Skip, setting
from anamorph.photos.files import shown
from anamorph.photos.names import names_of
from anamorph.scenes.questions.files import QuestionFile, read_questions


def questions_setting() -> Any:
    """The setting for a file of questions."""
    return setting(None, "A file of questions about the photos: VQA v2, OK-VQA, GQA, COCO-QA or JSON lines.")


def answers_setting() -> Any:
    """The setting for a file of answers."""
    return setting(None, "A separate file of answers to these questions (VQA v2).")


def with_questions(found: Iterable[Scene | Skip], questions: str | None, answers: str | None) -> Iterator[Scene | Skip]:
    """The scenes of a scan with their questions; questions without a scene are counted in one skip."""
    if questions is None:
        if answers is not None:
            raise UsageError(f"answers={shown(answers)} needs questions=FILE, the questions that these answer.")
        yield from found
        return
    file = read_questions(questions, answers)
    yield from file.skips
    join = _Join(file)
    for item in found:
        if isinstance(item, Skip):
            yield item
            continue
        asked, taken = join.of(item)
        yield replace(item, questions=tuple(asked)) if asked else item
        for image, scene in taken:
            reason = f"Its questions about {shown(image)!r} went to the scene {shown(scene)}, which has the same name."
            yield Skip(shown(f"{questions}: scene {item.id}"), f"{reason} Name the photos with their folders.")
    left = sum(map(len, file.by_image.values()))
    if left:
        first = shown(next(iter(file.by_image)))
        reason = f"{left} of its questions are about {len(file.by_image)} photos that are not scenes (first: {first})."
        yield Skip(shown(questions), reason)


class _Join:
    """Finds the questions of a scene by its id, file path or name, or the number in that name."""

    def __init__(self, file: QuestionFile) -> None:
        self._by_image, self._taken = file.by_image, dict[str, str]()
        # Names of images, without folders that the scenes do not have.
        self._called: dict[str, list[str]] = {}
        for image in file.by_image:
            name = posixpath.normpath(image)
            for short in {name, posixpath.basename(name)} - {image}:
                self._called.setdefault(short, []).append(image)

    def of(self, scene: Scene) -> tuple[list[Question], list[tuple[str, str]]]:
        """The questions about a scene, and the images whose questions went to an earlier scene, with that scene."""
        asked: list[Question] = []
        taken: list[tuple[str, str]] = []
        for name in dict.fromkeys(names_of(scene)):
            several = self._called.get(name, [])
            for image in (name, *(several if len(several) == 1 else [])):
                if image in self._by_image:
                    asked += self._by_image.pop(image)
                    self._taken[image] = scene.id
                elif self._taken.get(image, scene.id) != scene.id:
                    taken.append((image, self._taken[image]))
        return asked, taken
