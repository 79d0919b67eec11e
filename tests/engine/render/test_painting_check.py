"""A painted picture must show every class that something at hand sees on its photo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import RecognitionSettings
from anamorph.edits.blur import Blur
from anamorph.edits.repaint import Repaint
from anamorph.engine.events import Advised, Discarded
from anamorph.engine.plan import UNCHECKED
from anamorph.engine.recogniser import Recogniser
from anamorph.engine.render.painting_check import PaintingCheck
from anamorph.model import Box, Picture, Pixels, Region, Scene, Segmenter, Thing, setting
from anamorph.store.discards import discard_reasons
from anamorph.weights.files import FOLDER_VARIABLE
from tests.edits.studios import FakeStudio
from tests.engine.fakes import Ran, Script, go, use
from tests.engine.segmenters import COLOURS, GROUND, ColourScenes, ColourSegmenter, named, use_colours

DOG, OTHER, CUP = (
    Thing("1", "Dog", Box(0, 0, 9, 9)),
    Thing("2", "dog", Box(20, 0, 9, 9)),
    Thing("3", "cup", Box(0, 20, 9, 9)),
)
BEFORE = Picture(np.zeros((40, 40, 3), np.uint8), (DOG, OTHER, CUP), FakeStudio())
EDIT = Repaint(())


def seen_at(thing: Thing, score: float | None = 0.6) -> Thing:
    return replace(thing, label=thing.label.swapcase(), score=score)


PHOTO = (seen_at(DOG, 0.6), seen_at(OTHER, 0.5), seen_at(CUP, 0.9))


@dataclass
class Looks:
    """Finds some things on the photo, and others on whatever else it is shown."""

    kind: ClassVar[str] = "looks"
    photo: tuple[Thing, ...]
    painted: tuple[Thing, ...]
    looks: list[str] = field(default_factory=list)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        on_photo = pixels is BEFORE.pixels
        self.looks.append("photo" if on_photo else "painted")
        return self.photo if on_photo else self.painted


def check_of(segmenter: Segmenter, classes: Sequence[str] = ("dog", "cup")) -> PaintingCheck:
    return PaintingCheck(Recogniser(segmenter, {}, frozenset(classes)), RecognitionSettings())


def said(
    *painted: Thing,
    photo: Sequence[Thing] = PHOTO,
    classes: Sequence[str] = ("dog", "cup"),
    counted: tuple[str, ...] = (),
) -> str | None:
    edit = replace(EDIT, counted=counted)
    return check_of(Looks(tuple(photo), painted), classes).complaint(edit, BEFORE, edit.apply(BEFORE))


@pytest.mark.parametrize(
    ("painted", "lacking"),
    [
        ((seen_at(DOG), seen_at(CUP, None)), None),
        ((seen_at(OTHER, 0.2), seen_at(CUP, 0.2)), None),
        ((seen_at(DOG),), "cup"),
        ((seen_at(DOG, 0.1), seen_at(CUP)), "dog"),
        ((seen_at(CUP), replace(seen_at(DOG), label="cat")), "dog"),
        ((seen_at(CUP), replace(seen_at(DOG), box=Box(30, 30, 9, 9))), "dog"),
        ((), "dog"),
    ],
)
def test_what_is_seen_on_the_photo_must_be_seen_on_the_picture_about_where_it_should_be(
    painted: tuple[Thing, ...], lacking: str | None
) -> None:
    complaint = f"The painting check does not find {lacking!r}, which it finds on the photo."
    assert said(*painted) == (None if lacking is None else complaint)


@pytest.mark.parametrize(
    "photo",
    [
        (seen_at(DOG),),
        (seen_at(DOG), seen_at(CUP, 0.39)),
        (seen_at(DOG), replace(seen_at(CUP), box=Box(30, 30, 9, 9))),
        (seen_at(DOG), replace(seen_at(CUP), label="bowl")),
    ],
)
def test_a_class_that_is_not_clearly_seen_on_the_photo_is_not_required(photo: tuple[Thing, ...]) -> None:
    assert said(seen_at(DOG), photo=photo) is None
    assert said(photo=photo) == "The painting check does not find 'dog', which it finds on the photo."


def test_the_photo_itself_always_passes() -> None:
    assert said(*PHOTO) is None and said(*PHOTO, counted=("dog", "cup")) is None


def test_a_class_that_the_recogniser_does_not_know_is_not_held_against_a_picture() -> None:
    assert said(seen_at(DOG), classes=("dog",)) is None
    assert said(classes=("zebra",)) is None


def test_objects_that_moved_are_looked_for_where_they_are_now() -> None:
    moved = replace(BEFORE, things=(replace(DOG, box=Box(30, 30, 9, 9)), CUP))
    painted = (replace(seen_at(DOG), box=Box(30, 30, 9, 9)), seen_at(CUP))
    assert (
        check_of(Looks(PHOTO, painted)).complaint(EDIT, BEFORE, replace(moved, pixels=np.ones_like(BEFORE.pixels)))
        is None
    )


def test_a_number_that_is_judged_must_be_found() -> None:
    assert said(seen_at(DOG), seen_at(OTHER), seen_at(CUP), counted=("Dog",)) is None
    assert said(seen_at(DOG), seen_at(OTHER), seen_at(CUP), seen_at(CUP), counted=("dog",)) is None
    for dogs in (1, 3):
        complaint = said(*[seen_at(DOG)] * dogs, seen_at(CUP), counted=("dog",))
        assert complaint == "The painting check finds another number of 'dog' than the scene has."


def test_nothing_vouches_for_a_number_that_nothing_can_count() -> None:
    edit = replace(EDIT, counted=("dog",))
    reason = "The painting check cannot count 'dog', and the number of them is judged."
    assert said(seen_at(CUP), classes=("cup",), counted=("dog",)) == reason
    blind = PaintingCheck(None, RecognitionSettings())
    assert blind.complaint(edit, BEFORE, edit.apply(BEFORE)) == reason
    assert blind.complaint(EDIT, BEFORE, EDIT.apply(BEFORE)) is None
    uncertain = said(*PHOTO, photo=(seen_at(DOG), seen_at(CUP)), counted=("dog",))
    assert uncertain == "The painting check cannot count 'dog' on the photo, and the number of them is judged."


def test_a_photo_is_looked_at_once_for_all_its_layouts() -> None:
    looks = Looks(PHOTO, PHOTO)
    check = check_of(looks)
    for _ in range(3):
        assert check.complaint(EDIT, BEFORE, EDIT.apply(BEFORE)) is None
    assert looks.looks == ["photo", "painted", "painted", "painted"]
    blind = Looks((), ())
    assert check_of(blind).complaint(EDIT, BEFORE, EDIT.apply(BEFORE)) is None
    assert blind.looks == ["photo"], "nothing is required of the picture"


def test_other_edits_are_not_looked_at() -> None:
    looks, edit = Looks(PHOTO, ()), Blur(2)
    assert check_of(looks).complaint(edit, BEFORE, edit.apply(BEFORE)) is None
    assert looks.looks == []


# --- in a run --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Colourist:
    """Paints what the map has, apart from what it forgets."""

    kind: ClassVar[str] = "colourist"
    forgets: tuple[str, ...] = setting((), "Classes that it leaves out.")

    def paint(self, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        made = np.full((height, width, 3), GROUND, np.uint8)
        for region in regions:
            if region.label not in self.forgets:
                made[region.shape] = COLOURS[region.label]
        return made


@dataclass(frozen=True)
class Knowing(ColourSegmenter):
    """Finds objects by their colour, and says which."""

    kind: ClassVar[str] = "knowing"
    classes: ClassVar[tuple[str, ...]] = tuple(COLOURS)


@dataclass(frozen=True)
class DogsByTrees(ColourScenes):
    """A dog by a tree, annotated as such."""

    kind: ClassVar[str] = "dogs-by-trees"

    def scan(self) -> Any:
        for found in super().scan():
            assert isinstance(found, Scene)
            yield replace(found, things=(named("tree"), named("dog")))


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *, forgets: Sequence[str] = (), **changes: Any) -> Ran:
    use_colours()
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder.parent / "no-models"))
    for group, extension in (("painters", Colourist), ("segmenters", Knowing), ("scenes", DogsByTrees)):
        monkeypatch.setitem(catalog._loaded.setdefault(group, {}), extension.kind, extension)
    # Trees are not of COCO's classes, and a class that no answer could name is told.
    labels = folder.parent / "labels.json"
    labels.write_text('{"labels": ["dog", "tree", "cat"]}', encoding="utf-8")
    method = {"rendering": "diffusion", "painter": "colourist", "layouts_per_scene": 1, "complete_masks": False}
    return go(
        folder,
        methods=["spolre"],
        spolre={**method, **changes.pop("spolre", {})},
        scenes={"kind": "dogs-by-trees"},
        labels=str(labels),
        painters={"colourist": {"forgets": list(forgets)}},
        **changes,
    )


WITH_SEGMENTER: dict[str, Any] = {"segmenter": {"kind": "knowing"}, "segmenting": {"scenes": "none"}}


def test_a_painting_that_lacks_a_class_is_kept_to_be_looked_at_counted_and_not_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = use(Script())
    ran = run(tmp_path / "run", monkeypatch, forgets=["dog"], **WITH_SEGMENTER)
    assert ran.problem is None and len(ran.of(Discarded)) == 3
    assert len(script.asked) == 3, "only the untouched photos are asked about"
    with ran.store() as store:
        assert discard_reasons(store) == [("The painting check does not find 'dog', which it finds on the photo.", 3)]
        files = [row[0] for row in store.connection.execute("SELECT file FROM images WHERE discarded")]
        assert len(files) == 3 and all(store.images.path(file).is_file() for file in files)
    assert not ran.of(Advised)


def test_a_painting_that_shows_every_class_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = use(Script())
    ran = run(tmp_path / "run", monkeypatch, spolre={"painted_numbers": True}, **WITH_SEGMENTER)
    assert ran.problem is None and not ran.of(Discarded) and len(script.asked) == 6


def test_without_a_recogniser_nothing_is_checked_and_the_run_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = use(Script())
    ran = run(tmp_path / "run", monkeypatch, forgets=["dog"])
    assert ran.problem is None and not ran.of(Discarded) and len(script.asked) == 6
    assert [event.advice for event in ran.of(Advised)] == [UNCHECKED]


def test_the_check_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(Script())
    ran = run(tmp_path / "run", monkeypatch, forgets=["dog"], recognition={"enabled": False}, **WITH_SEGMENTER)
    assert ran.problem is None and not ran.of(Discarded) and not ran.of(Advised)
