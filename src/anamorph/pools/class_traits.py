"""What classes are like in the world: how large they are, what they rest on, and where they are found.

Sizes are our own round figures in metres: heights of adults and animals as encyclopedias give them (a person 1.7, a
horse 2.2 with its head, a giraffe 4.5), of vehicles and furniture as makers list them (a car 1.5, a table 0.75, a
worktop 0.9), of food and household things as they come in shops. They only have to be right to a third: what matters is
that a dog is not as tall as a bus. The classes are COCO's 80, and Pascal VOC's names for the same ones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

# What an object rests on. What is fixed, held or worn has no place of its own, so it is not inserted.
Rest: TypeAlias = Literal["ground", "surface", "sky", "water", "fixed"]
Setting: TypeAlias = Literal["home", "bath", "street", "nature", "water", "air"]

_EVERYWHERE: frozenset[Setting] = frozenset(("home", "bath", "street", "nature", "air"))
_OUTDOORS: frozenset[Setting] = frozenset(("street", "nature", "air"))


@dataclass(frozen=True, slots=True)
class ClassTraits:
    """A class of objects: its size, by height or by the longer side where it may lie any way, its rest, its settings.

    `tells` is False where it is found in most settings, and so does not say which one a photo shows. What is
    `boxy` may have straight sides of its own, `loose` ones are often seen in several parts, of `varied` ones any piece
    may be annotated, `circular` ones are so from all sides, those `on_fours` are hardly taller than wide, one that is
    not `upright`, height over width, sits or lies, and what `stands` shows where the ground is, even if it is never
    inserted; what often `hangs` does not. `transparent` ones show what is behind them, `headed` ones are whole only
    with a head, and those of a `narrow` class are all of nearly one size, which shows how far away they are.
    """

    metres: float
    rest: Rest
    settings: frozenset[Setting]
    longest: bool = False
    tells: bool = True
    boxy: bool = False
    loose: bool = False
    varied: bool = False
    circular: bool = False
    on_fours: bool = False
    upright: float = 0.0
    stands: bool = False
    hangs: bool = False
    transparent: bool = False
    headed: bool = False
    narrow: bool = False

    def extent(self, width: float, height: float) -> float:
        """The side of a box that the size in metres is measured along."""
        return max(width, height) if self.longest else height


def _ground(metres: float, *settings: Setting, tells: bool = True) -> ClassTraits:
    return ClassTraits(metres, "ground", frozenset(settings), tells=tells)


def _surface(metres: float, *, tells: bool = True, longest: bool = False) -> ClassTraits:
    return ClassTraits(metres, "surface", frozenset(("home",)), longest=longest, tells=tells)


def _fixed(metres: float, *settings: Setting, tells: bool = True, longest: bool = False) -> ClassTraits:
    return ClassTraits(metres, "fixed", frozenset(settings), longest=longest, tells=tells)


_TRAITS: Mapping[str, ClassTraits] = {
    "person": ClassTraits(1.7, "ground", _EVERYWHERE, tells=False),
    # Between its spokes one sees the other photo.
    "bicycle": _fixed(1.05, "street", "nature"),
    "car": _ground(1.5, "street"),
    "motorcycle": _ground(1.15, "street"),
    "airplane": ClassTraits(25.0, "sky", frozenset(("air",)), longest=True),
    "bus": _ground(3.1, "street"),
    "train": _fixed(4.0, "street"),
    "truck": _ground(2.6, "street"),
    "boat": ClassTraits(2.5, "water", frozenset(("water",))),
    "traffic light": _fixed(0.9, "street"),
    "fire hydrant": _ground(0.75, "street"),
    "stop sign": _fixed(0.75, "street"),
    "parking meter": _fixed(1.4, "street"),
    "bench": _ground(0.85, "street", "nature"),
    "bird": ClassTraits(0.35, "ground", _OUTDOORS | {"water"}, tells=False),
    "cat": _ground(0.35, "home", "street", "bath", tells=False),
    "dog": _ground(0.6, "home", "street", "nature", "bath", tells=False),
    "horse": _ground(2.1, "nature", "street"),
    "sheep": _ground(0.9, "nature"),
    "cow": _ground(1.5, "nature"),
    "elephant": _ground(2.9, "nature"),
    "bear": _ground(1.1, "nature"),
    "zebra": _ground(1.7, "nature"),
    "giraffe": _ground(4.5, "nature"),
    "backpack": _ground(0.5, "home", "street", "nature", "bath", tells=False),
    "umbrella": _fixed(0.9, "street", "nature", tells=False, longest=True),
    "handbag": _fixed(0.35, "home", "street", tells=False),
    "tie": _fixed(0.5, "home", tells=False),
    "suitcase": _ground(0.65, "home", "street", "bath", tells=False),
    "frisbee": _fixed(0.25, "nature", longest=True),
    "skis": _fixed(1.7, "nature", longest=True),
    "snowboard": _fixed(1.5, "nature", longest=True),
    "sports ball": _fixed(0.2, "nature", longest=True),
    "kite": ClassTraits(1.5, "sky", frozenset(("nature",)), longest=True),
    "baseball bat": _fixed(0.9, "nature", longest=True),
    "baseball glove": _fixed(0.3, "nature", longest=True),
    "skateboard": _fixed(0.8, "street", longest=True),
    "surfboard": _fixed(2.0, "water", longest=True),
    "tennis racket": _fixed(0.7, "nature", longest=True),
    "bottle": _surface(0.26, tells=False),
    "wine glass": _surface(0.2),
    "cup": _surface(0.11, tells=False),
    "fork": _surface(0.19, longest=True),
    "knife": _surface(0.22, longest=True),
    "spoon": _surface(0.18, longest=True),
    "bowl": _surface(0.2, longest=True),
    "banana": _surface(0.22, longest=True),
    "apple": _surface(0.08, longest=True),
    "sandwich": _surface(0.16, longest=True),
    "orange": _surface(0.08, longest=True),
    "broccoli": _surface(0.13, longest=True),
    "carrot": _surface(0.17, longest=True),
    "hot dog": _surface(0.18, longest=True),
    "pizza": _surface(0.3, longest=True),
    "donut": _surface(0.1, longest=True),
    "cake": _surface(0.22, longest=True),
    "chair": _ground(0.9, "home", "street"),
    "couch": _ground(0.85, "home"),
    "potted plant": _ground(0.7, "home", "street", "bath", tells=False),
    "bed": _fixed(0.9, "home"),
    "dining table": _fixed(0.75, "home"),
    "toilet": _fixed(0.75, "bath"),
    # Without its stand it stands nowhere.
    "tv": _fixed(0.55, "home"),
    "laptop": _surface(0.34, longest=True),
    "mouse": _surface(0.11, longest=True),
    "remote": _surface(0.18, longest=True),
    "keyboard": _surface(0.44, longest=True),
    "cell phone": _surface(0.14, longest=True, tells=False),
    "microwave": _surface(0.5, longest=True),
    "oven": _fixed(0.9, "home"),
    "toaster": _surface(0.3, longest=True),
    "sink": _fixed(0.5, "home", "bath", longest=True),
    "refrigerator": _ground(1.7, "home"),
    "book": _surface(0.24, longest=True),
    "clock": _fixed(0.3, "home", "street", longest=True, tells=False),
    "vase": _surface(0.28),
    "scissors": _surface(0.19, longest=True),
    "teddy bear": _surface(0.4),
    "hair drier": _surface(0.22, longest=True),
    "toothbrush": _surface(0.19, longest=True),
}
_BOXY = (
    *("bus", "train", "truck", "traffic light", "stop sign", "bench", "suitcase", "cup", "cake", "sandwich", "chair"),
    *(
        "couch",
        "bed",
        "dining table",
        "toilet",
        "tv",
        "laptop",
        "remote",
        "keyboard",
        "cell phone",
        "microwave",
        "oven",
    ),
    *("toaster", "sink", "refrigerator", "book", "clock", "bottle", "parking meter", "vase"),
)
# Not inserted, but what stands beside them stands on the same ground.
_STANDING = ("bicycle", "train", "bed", "dining table", "oven", "toilet")
# They may as well hang on a wall, so nothing is put beside them.
_HANGING = ("tv",)
_LOOSE = ("bicycle", "motorcycle", "bench", "chair", "potted plant", "dining table", "umbrella", "kite", "skis")
# A piece of cake, the back of a screen, a shelf of books: nobody knows what it is without the rest of its photo.
_VARIED = (
    *(
        "banana",
        "broccoli",
        "cup",
        "cake",
        "sandwich",
        "donut",
        "pizza",
        "hot dog",
        "carrot",
        "tv",
        "laptop",
        "book",
        "bowl",
        "couch",
    ),
    *("toaster", "microwave", "knife", "fork", "spoon", "scissors", "keyboard", "mouse", "remote", "cell phone"),
)
_ROUND = ("orange", "apple")
_TRANSPARENT = ("wine glass", "bicycle", "tennis racket")
# The size of a dog, a plant, a boat or a bag says nothing about how far away it is.
_NARROW = (
    *("person", "car", "bus", "motorcycle", "fire hydrant", "horse", "cow", "zebra", "sheep", "chair", "toilet"),
    *("refrigerator", "oven", "bottle", "cup", "fork", "knife", "spoon", "orange", "apple", "keyboard", "mouse"),
    *("remote", "laptop", "wine glass", "toothbrush"),
)
_ON_FOURS = ("cat", "dog", "sheep", "cow", "elephant", "bear", "zebra")
# A toilet that is wider than high is one to squat over.
_UPRIGHT = {"person": 1.7, "bottle": 1.6, "wine glass": 1.3, "giraffe": 1.0, "toilet": 0.9}
_VOC_NAMES = {
    "aeroplane": "airplane",
    "diningtable": "dining table",
    "motorbike": "motorcycle",
    "pottedplant": "potted plant",
    "sofa": "couch",
    "tvmonitor": "tv",
}
# Things whose box is ground for what stands on them.
_CARRIERS = frozenset(("dining table", "bed", "couch"))
# What drives needs a road: where one of them is, there is one.
_ON_ROADS = frozenset(("car", "bus", "truck", "motorcycle"))
# Their boxes end above the ground that they stand on.
_ON_POLES = frozenset(("stop sign", "traffic light"))
_SOFT, _ON_SOFT = ("bed", "couch"), ("book", "laptop", "remote", "cell phone", "teddy bear", "keyboard")


def class_name(label: str) -> str:
    """The name of a class as it stands in the table, if it is there: "pottedplant" is a potted plant."""
    name = label.strip().casefold()
    return _VOC_NAMES.get(name, name)


def traits_of(label: str) -> ClassTraits | None:
    """What is known of a class; None for one that is not in the table."""
    return _traits(class_name(label))


@functools.cache
def _traits(name: str) -> ClassTraits | None:
    traits = _TRAITS.get(name)
    if traits is None:
        return None
    stands = traits.rest == "ground" or name in _STANDING
    upright = _UPRIGHT.get(name, 0.0)
    return replace(
        traits,
        boxy=name in _BOXY,
        loose=name in _LOOSE,
        varied=name in _VARIED,
        circular=name in _ROUND,
        on_fours=name in _ON_FOURS,
        upright=upright,
        stands=stands,
        hangs=name in _HANGING,
        transparent=name in _TRANSPARENT,
        headed=name == "person",
        narrow=name in _NARROW,
    )


def drives(label: str) -> bool:
    """Whether objects of this class are found on roads alone."""
    return class_name(label) in _ON_ROADS


def is_on_pole(label: str) -> bool:
    """Whether objects of this class stand on a pole that is not annotated."""
    return class_name(label) in _ON_POLES


def lies_on(label: str, carrier: str) -> bool:
    """Whether things of a class are put on objects of another: on a bed or a couch, only what needs no firm ground."""
    name = class_name(carrier)
    return name in _CARRIERS and (name not in _SOFT or class_name(label) in _ON_SOFT)


def carries(label: str) -> bool:
    """Whether things are put on objects of this class."""
    return class_name(label) in _CARRIERS


def settings_of(labels: Iterable[str]) -> frozenset[Setting]:
    """The settings that a photo with objects of these classes may show; none where nothing tells."""
    votes: dict[Setting, float] = {}
    for traits in filter(None, map(traits_of, dict.fromkeys(labels))):
        for each in traits.settings if traits.tells else ():
            votes[each] = votes.get(each, 0) + 1 / len(traits.settings)
    most = max(votes.values(), default=0)
    return frozenset(each for each, count in votes.items() if count >= 0.5 * most)


def fits(label: str, settings: frozenset[Setting]) -> bool:
    """Whether an object of this class may be found there; where nothing is known, one that is found nearly anywhere."""
    traits = traits_of(label)
    if traits is None:
        return True
    return bool(traits.settings & settings) if settings else not traits.tells
