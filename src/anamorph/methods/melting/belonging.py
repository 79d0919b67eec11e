"""Which objects belong together, by their classes and by how they touch: a rider and a horse, two halves of a pizza.

Names are those of COCO; a class of another label space belongs to nothing, and only contact decides.
"""

from __future__ import annotations

from anamorph.model import Thing
from anamorph.pixels.windows import ShapeWindow

# What people ride or stand on: neither looks right without the other.
MOUNTS = frozenset({"bicycle", "motorcycle", "horse", "elephant", "skateboard", "surfboard", "snowboard", "skis"})
# What people wear or hold: it does not stay in the air without them.
CARRIED = frozenset(
    {
        *("backpack", "umbrella", "handbag", "tie", "suitcase", "tennis racket", "baseball bat", "baseball glove"),
        *("cell phone", "toothbrush", "hair drier", "remote", "frisbee", "knife", "fork", "spoon"),
    }
)
# What somebody or something sits or lies on.
SEATS = frozenset({"chair", "couch", "bench", "bed", "toilet", "boat", "car", "truck", "bus", "train"})
SITTERS = frozenset({"person", "cat", "dog", "bird", "teddy bear"})
# What is built in or holds up others: nobody can guess the wall or the floor behind it.
FIXTURES = frozenset({"oven", "sink", "toilet", "refrigerator", "bed", "dining table"})

# A share of the smaller object's pixels within the widened hole of the other shows that they touch.
_TOUCH = 0.02


def goes_with(
    other: Thing,
    shape: ShapeWindow,
    thing: Thing,
    own: ShapeWindow,
    hole: ShapeWindow,
    kernel: int,
    max_seam: float,
) -> bool:
    """Whether `other` must go when `thing` goes, because it belongs to it; `hole` is the widened shape of `thing`.

    Two of one class that share more than `max_seam` of the smaller one's outline are parts of one thing.
    """
    common = hole.common(shape)
    if not common:
        return False
    if thing.label == other.label:
        # The hole reaches half a kernel over the seam.
        smaller = shape if shape.area < own.area else own
        return common / max(1, kernel // 2) > max_seam * smaller.outline
    touches = common > _TOUCH * min(shape.area, own.area)
    pair = {thing.label, other.label}
    if "person" in pair and pair & MOUNTS:
        return touches
    if thing.label == "person" and other.label in CARRIED:
        return touches
    return thing.label in SEATS and other.label in SITTERS and touches
