"""The second look at what a segmenter found, close up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.enrich.closer import LookingCloser
from anamorph.engine.enrich.segmenting import ORIGIN
from anamorph.engine.enrich.stage import enriched_scenes
from anamorph.engine.recogniser import Recogniser
from anamorph.engine.segmenter import RunSegmenter
from anamorph.errors import UsageError
from anamorph.methods.spolre.method import Spolre
from anamorph.model import Hole, Pixels, Scene, Thing
from anamorph.pixels.masks import mask_area, mask_box, mask_from_pixels, mask_pixels

HEIGHT, WIDTH = 300, 400


def block(left: int, top: int, right: int, bottom: int, height: int = HEIGHT, width: int = WIDTH) -> Hole:
    shape = np.zeros((height, width), np.bool_)
    shape[top:bottom, left:right] = True
    return shape


def thing(shape: Hole, score: float | None = 0.9, label: str = "dog") -> Thing:
    mask = mask_from_pixels(shape)
    return Thing(f"{label}-1", label, mask_box(mask), mask, score)


DOG = thing(block(150, 100, 210, 160))
PHOTO = Scene("s", "s.jpg", WIDTH, HEIGHT, (DOG,), origin={ORIGIN: "fake"})
PIXELS = np.zeros((HEIGHT, WIDTH, 3), np.uint8)


@dataclass(frozen=True)
class Near:
    """Finds on a part of the photo what it is told to."""

    kind: ClassVar[str] = "near"
    found: Callable[[Pixels], tuple[Thing, ...]]
    parts: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        self.parts.append(pixels.shape[:2])
        return self.found(pixels)


def seen(found: Callable[[Pixels], tuple[Thing, ...]], scene: Scene = PHOTO, *ids: str) -> Thing:
    closer = LookingCloser([lambda _: ids or ("dog-1",)], RunSegmenter(Near(found), {}))
    return closer.confirmed(scene, lambda: PIXELS).things[0]


def whole(grown: int = 0, score: float = 0.8, label: str = "dog") -> Callable[[Pixels], tuple[Thing, ...]]:
    """On the square of 120 around it, the dog is in the middle."""
    return lambda part: (thing(block(30 - grown, 30 - grown, 90 + grown, 90 + grown, *part.shape[:2]), score, label),)


def test_what_looks_the_same_close_up_has_the_outline_of_the_near_view_and_the_lower_score() -> None:
    again = seen(whole(grown=1))
    assert again.score == 0.8 and mask_area(again.mask) == 62 * 62  # type: ignore[arg-type]
    assert (again.box.x, again.box.y, again.box.right, again.box.bottom) == (149, 99, 211, 161)
    assert seen(whole(score=0.95)).score == 0.9


@pytest.mark.parametrize("found", [whole(grown=8), whole(label="cat"), lambda _: ()])
def test_what_looks_otherwise_close_up_is_not_sure(found: Callable[[Pixels], tuple[Thing, ...]]) -> None:
    assert seen(found) == replace(DOG, score=0.0)


def test_a_segmenter_that_fails_on_a_part_saw_nothing_but_one_without_weights_ends_the_run() -> None:
    def fails(problem: Exception) -> Callable[[Pixels], tuple[Thing, ...]]:
        def found(_: Pixels) -> tuple[Thing, ...]:
            raise problem

        return found

    assert seen(fails(ValueError("odd"))).score == 0
    with pytest.raises(UsageError):
        seen(fails(UsageError("no weights")))


def test_only_the_outline_is_taken_from_the_near_view() -> None:
    def flawed(part: Pixels) -> tuple[Thing, ...]:
        shape = block(30, 30, 90, 90, *part.shape[:2])
        # A hole in the middle, and a speck far away.
        shape[55:65, 55:65], shape[:8, :8] = False, True
        return (thing(shape),)

    assert np.array_equal(mask_pixels(seen(flawed).mask), mask_pixels(DOG.mask))  # type: ignore[arg-type]


def test_annotated_objects_and_those_that_nobody_wants_are_left_alone() -> None:
    annotated = replace(PHOTO, origin={})
    assert seen(lambda _: (), annotated) == DOG
    assert seen(lambda _: (), PHOTO, "cat-1") == DOG
    assert seen(lambda _: (), replace(PHOTO, things=(replace(DOG, score=None),))).score is None


@dataclass(frozen=True)
class Source:
    kind: ClassVar[str] = "near-photos"

    def scan(self) -> Any:
        yield Scene("s", "s.jpg", WIDTH, HEIGHT)

    def pixels(self, scene: Scene) -> Pixels:
        return PIXELS


@dataclass(frozen=True)
class Once:
    """Sees a dog on the whole photo, and none close up."""

    kind: ClassVar[str] = "once"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        return (DOG,) if pixels.shape == PIXELS.shape else ()


@pytest.mark.parametrize(("settings", "score"), [({}, 0.0), ({"layout": {"moves": "free"}}, 0.9)])
def test_spolre_has_what_it_would_move_looked_at_again_unless_it_moves_freely(
    settings: dict[str, Any], score: float
) -> None:
    catalog._loaded.setdefault("scenes", {})["near-photos"] = Source
    catalog._loaded.setdefault("segmenters", {})["once"] = Once
    plain = {"methods": ["spolre"], "scenes": {"kind": "near-photos"}, "segmenter": {"kind": "once"}}
    plain |= {"spolre": settings, "segmenting": {"remember": False}}
    config = resolve(plain)
    with enriched_scenes(config, config.scenes(), None) as (scenes, _):
        (found,) = scenes
    assert isinstance(found, Scene) and found.things[0].score == score
    assert Spolre(rendering="diffusion").wants_closer_look is None


@pytest.mark.parametrize(
    ("found", "label", "same"),
    [
        (whole(), "dog", 1.0),
        (whole(label="Dog"), "dog", 1.0),
        (whole(grown=8), "dog", 60 * 60 / (76 * 76)),
        (whole(label="cat"), "dog", 0.0),
        (lambda _: (), "dog", 0.0),
        (whole(), "gizmo", None),
        (lambda _: (replace(DOG, mask=None),), "dog", None),
    ],
    ids=["alike", "by another name", "larger", "other class", "not seen", "class it does not know", "no outlines"],
)
def test_a_recogniser_says_how_much_of_an_outline_is_the_same_close_up(
    found: Callable[[Pixels], tuple[Thing, ...]], label: str, same: float | None
) -> None:
    recogniser = Recogniser(Near(found), {}, frozenset({"dog", "cat"}))
    common = recogniser.in_common(PIXELS, replace(DOG, label=label))
    assert common == (None if same is None else pytest.approx(same))
