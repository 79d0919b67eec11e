"""Where an edit changed a picture, as boxes that can be looked at by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.edits.crop import Crop
from anamorph.model import Box, Edit, Scene, Thing
from anamorph.model.protocols import EditOptions
from anamorph.pixels.shapes import melting_kernel

# A box is widened by this share of itself on each side; in a second look, by more.
WIDENING, WIDER = 0.5, 1.0
# A crop has at least this share of the picture's sides: a smaller one shows nothing around the object.
LEAST_SIDE = 0.3
# A larger share of the picture than this is not a place in it.
MOST_OF_PICTURE = 0.7
# How much more of the picture, in shares of its sides, a piece gets on each side in a second look.
MORE = 0.15
# More places are looked at as one.
MOST_PLACES = 2

# How two images of a scene relate: one shows what the other shows, changes places of it, is a part of it, or nobody
# can say.
Reach: TypeAlias = Literal["same", "places", "part", "unknown"]


@dataclass(frozen=True, slots=True)
class ImageChange:
    """How a follow-up's image differs from the source's; `boxes` are the places that changed."""

    reach: Reach
    boxes: tuple[Box, ...] = ()


def change_between(before: Sequence[Edit], after: Sequence[Edit], scene: Scene) -> ImageChange:
    """The difference of two images of a scene."""
    shared = 0
    while shared < min(len(before), len(after)) and before[shared] == after[shared]:
        shared += 1
    rests = (before[shared:], after[shared:])
    reaches = {EditOptions.reach.of(edit) for rest in rests for edit in rest}
    if reaches <= {"all"}:
        return ImageChange("same")
    if reaches == {"cut"} and not rests[0]:
        return ImageChange("part")
    if reaches != {"place"} or any(EditOptions.reach.of(edit) != "all" for edit in before[:shared]):
        return ImageChange("unknown")
    things = {thing.id: thing for thing in scene.things}
    boxes = tuple(box for rest in rests for edit in rest for box in _outlined(edit, things))
    return ImageChange("places", boxes) if boxes else ImageChange("unknown")


def _outlined(edit: Edit, things: Mapping[str, Thing]) -> Iterable[Box]:
    outlines = EditOptions.outlines.of(edit)
    for change in outlines(things) if outlines is not None else ():
        yield from {box: None for box in (change.before, change.after) if box is not None}


def removed_by(edit: Edit) -> tuple[str, ...]:
    """The ids of the objects that an edit removes or covers."""
    takes_away = EditOptions.takes_away.of(edit)
    return () if takes_away is None else tuple(takes_away())


def crops_of(change: ImageChange, scene: Scene, widening: float = WIDENING) -> tuple[Crop, ...]:
    """Disjoint crops that hold every changed place with its surroundings; none where they take up most of the picture.

    What is known to stand in a changed place is in its crop as a whole, so that no edge cuts it.
    """
    kernel = melting_kernel(scene.height, scene.width)
    changed = [_grown(box, kernel, kernel) for box in change.boxes]
    boxes = [_roomy(_with_neighbors(box, scene), widening, scene) for box in changed]
    boxes = _merged(boxes)
    if len(boxes) > MOST_PLACES:
        boxes = [_union(boxes)]
    if sum(box.area for box in boxes) > MOST_OF_PICTURE * scene.width * scene.height:
        return ()
    return tuple(Crop(box) for box in sorted(boxes, key=lambda box: (box.x, box.y)))


def with_more(edit: Edit, scene: Scene) -> Edit:
    """A crop with more of the picture around it; another edit as it is."""
    if not isinstance(edit, Crop):
        return edit
    return Crop(_within(_grown(edit.box, MORE * scene.width, MORE * scene.height), scene))


def _with_neighbors(box: Box, scene: Scene) -> Box:
    touched = [thing.box for thing in scene.things if not thing.crowd and thing.box.overlap(box) > 0]
    # A table or a room that holds the place is not a neighbor in it.
    near = [each for each in touched if each.area <= 4 * box.area]
    return _union([box, *near])


def _roomy(box: Box, widening: float, scene: Scene) -> Box:
    across = max(box.width * widening, (LEAST_SIDE * scene.width - box.width) / 2)
    down = max(box.height * widening, (LEAST_SIDE * scene.height - box.height) / 2)
    return _within(_grown(box, across, down), scene)


def _grown(box: Box, across: float, down: float) -> Box:
    return Box(box.x - across, box.y - down, box.width + 2 * across, box.height + 2 * down)


def _within(box: Box, scene: Scene) -> Box:
    """The part of a box that lies in the picture, in whole pixels."""
    left, top = max(0, int(box.x)), max(0, int(box.y))
    right, bottom = min(scene.width, int(box.right + 0.999)), min(scene.height, int(box.bottom + 0.999))
    return Box(float(left), float(top), float(max(1, right - left)), float(max(1, bottom - top)))


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that overlap as one, so that nothing is counted twice."""
    left = list(boxes)
    done: list[Box] = []
    while left:
        box = left.pop()
        touching = next((each for each in done if each.overlap(box) > 0), None)
        if touching is None:
            done.append(box)
        else:
            done.remove(touching)
            left.append(_union([touching, box]))
    return done


def _union(boxes: Sequence[Box]) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)
