"""The edited images of a run with the objects that are on them, for training and for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from anamorph import catalog
from anamorph.config import Config
from anamorph.config.resolving import SOMEBODY_ELSES
from anamorph.engine.render.maker import edits_from_json
from anamorph.engine.studio import pools_of
from anamorph.errors import BadPicture, NotTrusted, UnknownName
from anamorph.model import GRADES, Cutout, Grade, Scene, Skip, Thing, decode, surest
from anamorph.pools.folder import JoinedPools, SketchStudio
from anamorph.store.pictures import follow_up_images, texts_about
from anamorph.store.run import RunStore

Which: TypeAlias = Literal["issues", "all"]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The system's answers about an image."""

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


class _ClosedPools(JoinedPools):
    """The pools of somebody else's run."""

    def cutout(self, id: str) -> Cutout:
        raise NotTrusted(f"The cut-out {id!r} is in a pool, and no pool of a run that {SOMEBODY_ELSES} is opened.")


def read_edited_images(
    store: RunStore, config: Config, which: Which, *, photos: bool = False
) -> Iterator[EditedImage | Skip]:
    """The edited images that were made, in the order of the plan: those of issues, or all. Photos about which other
    questions were asked are among them.

    With `photos`, so are all photos that were asked about, of issues those of their sources. One whose edits need
    a pool or a file that another user's run names is skipped.
    """
    studio = SketchStudio(pools_of(config, store) if config.trusted else _ClosedPools())
    for image in follow_up_images(store, only_issues=which == "issues", photos=photos):
        scene = decode(Scene, json.loads(image.scene), catalog.find)
        try:
            picture = studio.sketch(scene, edits_from_json(image.edits, catalog.find))
        except (BadPicture, NotTrusted, UnknownName) as problem:
            # What is on a collage depends on another photo, which is not known here.
            if config.trusted and not any(edit.get("kind") == "collage" for edit in json.loads(image.edits)):
                raise
            yield Skip(image.digest, str(problem))
            continue
        height, width = picture.pixels.shape[:2]
        yield EditedImage(
            image.digest,
            image.file,
            scene,
            tuple(json.loads(image.edits)),
            width,
            height,
            picture.things,
            tuple(GivenAnswer(question, text) for question, text in texts_about(store, image.id)),
            image.issues,
            surest(grade for grade in GRADES if grade in image.grades),
        )
