"""The edited images of a run with the objects that are on them, for training and for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from anamorph import catalog
from anamorph.config import Config
from anamorph.config.resolving import SOMEBODY_ELSES
from anamorph.engine.render.maker import edits_from_json
from anamorph.engine.studio import RunStudio
from anamorph.errors import BadPicture, NotTrusted, UnknownName
from anamorph.model import (
    GRADES,
    Avoid,
    Cutout,
    Grade,
    Hole,
    Picture,
    Pixels,
    Region,
    Scene,
    Skip,
    Thing,
    decode,
    surest,
)
from anamorph.store.run import RunStore

Which: TypeAlias = Literal["issues", "all"]

_OF_ISSUES = """
    SELECT p.image, group_concat(DISTINCT lower(substr(hex(c.digest), 1, 12))) AS issues,
        group_concat(DISTINCT v.grade) AS grades
    FROM verdicts v JOIN cases c ON c.id = v."case", json_each(c.probes) AS each JOIN probes p ON p.id = each.value
    WHERE v.outcome = 'violated' AND each.key > 0 GROUP BY p.image
"""
# Images that were only cut out to prove something are none of the plan's.
_PLANNED = "EXISTS (SELECT 1 FROM probes p WHERE p.image = i.id AND p.round = 0)"
# A photo is a follow-up of itself where only the question changes.
_FOLLOW_UPS = """
    SELECT p.image FROM cases c, json_each(c.probes) AS each JOIN probes p ON p.id = each.value WHERE each.key > 0
"""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What the system answered about an image."""

    question: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class EditedImage:
    """An edited image: where it is, what is on it, what the system said about it, and the issues it belongs to, with
    the grade of the surest.
    """

    image: str
    file: str
    scene: Scene
    edits: tuple[dict[str, Any], ...]
    width: int
    height: int
    things: tuple[Thing, ...]
    answers: tuple[GivenAnswer, ...]
    issues: tuple[str, ...]
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class _Outlines:
    """A studio that paints nothing: where objects are does not depend on what is behind them."""

    studio: RunStudio | None

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels:
        return pixels

    def cutout(self, id: str) -> Cutout:
        if self.studio is None:
            raise NotTrusted(f"The cut-out {id!r} is in a pool, and no pool of a run that {SOMEBODY_ELSES} is opened.")
        return self.studio.cutout(id)

    def paint(self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        return np.zeros((height, width, 3), np.uint8)


def read_edited_images(
    store: RunStore, config: Config, which: Which, *, photos: bool = False
) -> Iterator[EditedImage | Skip]:
    """The edited images that were made, in the order of the plan: those of issues, or all. Photos about which other
    questions were asked are among them.

    With `photos`, so are all photos that were asked about, of issues those of their sources. One whose edits need
    a pool or a file that somebody else's run names is skipped.
    """
    studio = _Outlines(RunStudio.of(config, store) if config.trusted else None)
    keep = "JOIN" if which == "issues" else "LEFT JOIN"
    of_issues = _OF_ISSUES.replace("AND each.key > 0", "") if photos else _OF_ISSUES
    asked = f"i.edits = '[]' AND {_PLANNED}" if photos else "FALSE"
    rows = store.connection.execute(
        f"""
        SELECT i.id, lower(hex(i.digest)), i.file, i.edits, s.body, o.issues, o.grades
        FROM images i JOIN scenes s ON s.id = i.scene {keep} ({of_issues}) o ON o.image = i.id
        WHERE (i.edits <> '[]' AND {_PLANNED} OR i.id IN ({_FOLLOW_UPS}) OR {asked}) AND i.file IS NOT NULL
        AND NOT i.discarded ORDER BY i.id
        """
    )
    for id, digest, file, edits, body, issues, grades in rows:
        scene = decode(Scene, json.loads(body), catalog.find)
        picture = Picture(np.zeros((scene.height, scene.width, 3), np.uint8), scene.things, studio)
        try:
            for edit in edits_from_json(edits, catalog.find):
                picture = edit.apply(picture)
        except (BadPicture, NotTrusted, UnknownName) as problem:
            # What is on a collage depends on another photo, which is not known here.
            if config.trusted and not any(edit.get("kind") == "collage" for edit in json.loads(edits)):
                raise
            yield Skip(digest, str(problem))
            continue
        height, width = picture.pixels.shape[:2]
        yield EditedImage(
            digest,
            file,
            scene,
            tuple(json.loads(edits)),
            width,
            height,
            picture.things,
            _answers(store, id),
            tuple(sorted(issues.split(","))) if issues else (),
            surest(grade for grade in GRADES if grade in (grades or "").split(",")),
        )


def _answers(store: RunStore, image: int) -> tuple[GivenAnswer, ...]:
    rows = store.connection.execute(
        """SELECT p.question, a.text FROM probes p JOIN answers a ON a.probe = p.id
        WHERE p.image = ? AND p.round = 0 AND a.attempt = 0 AND a.text IS NOT NULL ORDER BY p.id""",
        (image,),
    )
    return tuple(GivenAnswer(question, text) for question, text in rows)
