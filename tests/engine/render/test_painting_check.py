"""A painted picture must show every class of its scene, if something at hand knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import RecognitionSettings
from anamorph.edits.blur import Blur
from anamorph.edits.repaint import Repaint
from anamorph.engine.events import Advised, Discarded
from anamorph.engine.recogniser import Recogniser
from anamorph.engine.render.painting_check import UNCHECKED, PaintingCheck
from anamorph.model import Box, Picture, Pixels, Region, Scene, Thing, setting
from anamorph.store.discards import discard_reasons
from anamorph.weights.files import FOLDER_VARIABLE
from tests.edits.studios import FakeStudio
from tests.engine.fakes import Ran, Script, go, use
from tests.engine.render.test_insertion_check import Sees
from tests.engine.segmenters import COLOURS, GROUND, ColourScenes, ColourSegmenter, named, use_colours

DOG, OTHER, CUP = (
    Thing("1", "Dog", Box(0, 0, 9, 9)),
    Thing("2", "dog", Box(20, 0, 9, 9)),
    Thing("3", "cup", Box(0, 20, 9, 9)),
)
BEFORE = Picture(np.zeros((40, 40, 3), np.uint8), (DOG, OTHER, CUP), FakeStudio())
EDIT = Repaint(())


def seen(label: str, score: float | None = 0.6) -> Thing:
    return Thing("1", label, Box(3, 3, 5, 5), score=score)


def said(edit: Repaint, *found: Thing, classes: Sequence[str] = ("dog", "cup")) -> str | None:
    check = PaintingCheck(Recogniser(Sees(found), {}, frozenset(classes)), RecognitionSettings())
    return check.complaint(edit, BEFORE, edit.apply(BEFORE))


@pytest.mark.parametrize(
    ("found", "lacking"),
    [
        ((seen("dog"), seen("Cup", None)), None),
        ((seen("dog"),), "cup"),
        ((seen("dog", 0.1), seen("cup")), "dog"),
        ((seen("cat"), seen("cup")), "dog"),
        ((), "dog"),
    ],
)
def test_every_class_of_the_scene_must_be_seen_somewhere(found: tuple[Thing, ...], lacking: str | None) -> None:
    assert said(EDIT, *found) == (None if lacking is None else f"The painting check does not find {lacking!r}.")


def test_a_class_that_the_recogniser_does_not_know_is_not_held_against_a_picture() -> None:
    assert said(EDIT, seen("dog"), classes=("dog",)) is None
    assert said(EDIT, classes=("zebra",)) is None


def test_a_number_that_is_judged_must_be_found() -> None:
    edit = replace(EDIT, counted=("Dog",))
    assert said(edit, seen("dog"), seen("dog"), seen("cup")) is None
    assert said(edit, seen("dog"), seen("dog"), seen("cup"), seen("cup")) is None
    for dogs in (1, 3):
        complaint = said(edit, *[seen("dog")] * dogs, seen("cup"))
        assert complaint == "The painting check finds another number of 'dog' than the scene has."


def test_nothing_vouches_for_a_number_that_nothing_can_count() -> None:
    edit = replace(EDIT, counted=("dog",))
    reason = "The painting check cannot count 'dog', and the number of them is judged."
    assert said(edit, seen("cup"), classes=("cup",)) == reason
    blind = PaintingCheck(None, RecognitionSettings())
    assert blind.complaint(edit, BEFORE, edit.apply(BEFORE)) == reason
    assert blind.complaint(EDIT, BEFORE, EDIT.apply(BEFORE)) is None


def test_other_edits_are_not_looked_at() -> None:
    sees, edit = Sees(), Blur(2)
    check = PaintingCheck(Recogniser(sees, {}, frozenset(("dog",))), RecognitionSettings())
    assert check.complaint(edit, BEFORE, edit.apply(BEFORE)) is None
    assert sees.looks == []


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
    method = {"rendering": "diffusion", "painter": "colourist", "layouts_per_scene": 1, "complete_masks": False}
    return go(
        folder,
        methods=["spolre"],
        spolre={**method, **changes.pop("spolre", {})},
        scenes={"kind": "dogs-by-trees"},
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
        assert discard_reasons(store) == [("The painting check does not find 'dog'.", 3)]
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
