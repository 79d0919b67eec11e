"""Backgrounds, and the places of things on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anamorph.toybox.drawing import interiors, landscapes
from anamorph.toybox.drawing.canvases import Canvas
from anamorph.toybox.drawing.recipes import Rest


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of a background where things rest.

    They stand between the two heights of `stand`; `size` is a person's height at each of these. `shares` are the
    classes here with their weights, `across` their horizontal range.
    """

    rest: Rest
    stand: tuple[float, float]
    size: tuple[float, float]
    shares: dict[str, float]
    across: tuple[float, float] = (0.02, 0.98)


@dataclass(frozen=True, slots=True)
class Background:
    """A background: its painter, its zones, and its names in captions."""

    paint: Callable[[Canvas, float], None]
    horizon: tuple[float, float]
    zones: tuple[Zone, ...]
    places: tuple[str, ...]
    weight: float = 1.0


def _shares(shares: str) -> dict[str, float]:
    pairs = (entry.rpartition(" ") for entry in shares.split(", "))
    return {label: float(share) for label, _, share in pairs}


def _sky(shares: str) -> Zone:
    return Zone("air", (0.2, 0.4), (0.3, 0.36), _shares(shares))


_ON_TABLES = _shares(
    "cup 1.6, bottle 1.2, banana 1.2, apple 1.4, orange 1.3, pizza 1.0, donut 1.2, "
    "cake 1.1, vase 1.0, book 0.5, potted plant 0.5, clock 0.4, laptop 0.3"
)
_ON_DESKS = _shares(
    "laptop 1.8, book 1.8, cup 1.4, clock 1.3, vase 0.8, potted plant 0.8, bottle 0.8, "
    "apple 0.7, donut 0.6, orange 0.4, banana 0.4, backpack 0.6, cat 0.5"
)

BACKGROUNDS: dict[str, Background] = {
    "meadow": Background(
        landscapes.paint_meadow,
        (0.36, 0.46),
        (
            Zone(
                "ground",
                (0.58, 0.97),
                (0.3, 0.56),
                _shares(
                    "person 2.2, dog 1.0, horse 2.2, sheep 2.0, cow 2.4, cat 0.5, bird 0.6, "
                    "sports ball 0.6, bicycle 0.6, umbrella 0.4, backpack 0.4"
                ),
            ),
            _sky("bird 0.9, kite 0.8, airplane 0.6"),
        ),
        ("in a meadow", "on the grass", "in a green field"),
        1.5,
    ),
    "savanna": Background(
        landscapes.paint_savanna,
        (0.36, 0.46),
        (
            Zone(
                "ground",
                (0.58, 0.97),
                (0.28, 0.5),
                _shares("elephant 2.2, zebra 2.2, giraffe 2.2, bird 0.4, person 0.7, truck 0.4"),
            ),
            _sky("bird 0.7, airplane 0.3"),
        ),
        ("on the savanna", "in dry grass", "on a dry plain"),
        1.2,
    ),
    "park": Background(
        landscapes.paint_park,
        (0.36, 0.44),
        (
            Zone(
                "ground",
                (0.6, 0.97),
                (0.34, 0.58),
                _shares(
                    "person 3.5, dog 1.6, bench 1.8, bicycle 1.4, cat 0.6, bird 0.8, sports ball 0.9, "
                    "backpack 0.7, umbrella 0.4, horse 0.4"
                ),
            ),
            _sky("bird 0.6, kite 1.0"),
        ),
        ("in a park", "in the park", "under the trees"),
        1.2,
    ),
    "snow": Background(
        landscapes.paint_snow,
        (0.36, 0.44),
        (
            Zone(
                "ground",
                (0.58, 0.97),
                (0.32, 0.56),
                _shares(
                    "person 2.5, dog 1.4, horse 0.9, bird 0.7, truck 0.6, car 0.6, bench 0.6, backpack 0.6, cat 0.4"
                ),
            ),
            _sky("bird 0.6, airplane 0.7"),
        ),
        ("in the snow", "on a snowy field", "on a winter day"),
        0.7,
    ),
    "beach": Background(
        landscapes.paint_beach,
        (0.28, 0.36),
        (
            Zone(
                "ground",
                (0.7, 0.97),
                (0.4, 0.56),
                _shares(
                    "person 2.6, umbrella 1.6, sports ball 1.3, dog 0.9, chair 0.8, backpack 0.5, bird 0.7, bottle 0.2"
                ),
            ),
            Zone("water", (0.4, 0.49), (0.14, 0.2), _shares("boat 1.8")),
            Zone("air", (0.15, 0.27), (0.28, 0.32), _shares("kite 1.2, bird 0.7, airplane 0.4")),
        ),
        ("on the beach", "at the beach", "by the sea"),
        1.2,
    ),
    "lake": Background(
        landscapes.paint_lake,
        (0.34, 0.42),
        (
            Zone("water", (0.52, 0.82), (0.2, 0.36), _shares("boat 2.6")),
            Zone(
                "ground",
                (0.93, 0.98),
                (0.42, 0.48),
                _shares("person 1.6, bench 0.9, dog 0.8, bird 0.8, bicycle 0.6, cat 0.4"),
            ),
            _sky("bird 0.8, airplane 0.4"),
        ),
        ("on a lake", "by a lake", "at the lake"),
        0.9,
    ),
    "street": Background(
        landscapes.paint_street,
        (0.4, 0.44),
        (
            Zone(
                "ground",
                (0.6, 0.68),
                (0.3, 0.34),
                _shares("person 2.0, dog 0.7, bench 0.7, bicycle 0.9, potted plant 0.6, cat 0.5, umbrella 0.4"),
            ),
            Zone("ground", (0.8, 0.97), (0.3, 0.42), _shares("car 2.4, bus 2.2, truck 2.0, bicycle 1.2")),
            Zone("air", (0.12, 0.14), (0.26, 0.26), _shares("airplane 0.4, bird 0.5")),
        ),
        ("on a street", "in the city", "along a city street"),
        1.9,
    ),
    "room": Background(
        interiors.paint_room,
        (0.52, 0.58),
        (
            Zone(
                "ground",
                (0.66, 0.74),
                (0.46, 0.54),
                _shares("couch 2.0, bed 2.4, dining table 2.2, chair 1.0, potted plant 0.8, person 0.8"),
            ),
            Zone(
                "ground",
                (0.8, 0.97),
                (0.52, 0.66),
                _shares(
                    "chair 1.6, person 1.6, cat 1.4, dog 1.2, potted plant 0.9, sports ball 0.8, "
                    "backpack 0.8, vase 0.4, umbrella 0.2"
                ),
            ),
            Zone("wall", (0.3, 0.36), (0.62, 0.62), _shares("clock 0.8"), (0.36, 0.62)),
        ),
        ("in a room", "at home", "in a house"),
        2.2,
    ),
    "lounge": Background(
        interiors.paint_lounge,
        (0.54, 0.57),
        (
            Zone(
                "table",
                (interiors.SIDEBOARD_TOP + 0.012, interiors.SIDEBOARD_TOP + 0.012),
                (0.46, 0.46),
                _shares("tv 3.2, vase 0.9, clock 0.7, potted plant 0.5, book 0.4"),
                (interiors.SIDEBOARD_LEFT, interiors.SIDEBOARD_RIGHT),
            ),
            Zone(
                "ground",
                (0.72, 0.97),
                (0.48, 0.64),
                _shares(
                    "couch 1.2, chair 1.4, person 1.4, cat 1.3, dog 1.1, potted plant 0.7, backpack 0.6, "
                    "sports ball 0.5, dining table 0.6"
                ),
            ),
        ),
        ("in a living room", "at home"),
        1.2,
    ),
    "kitchen": Background(
        interiors.paint_kitchen,
        (0.44, 0.52),
        (Zone("table", (0.62, 0.96), (0.95, 1.25), _ON_TABLES),),
        ("in a kitchen", "in the kitchen"),
        1.6,
    ),
    "desk": Background(
        interiors.paint_desk,
        (0.42, 0.5),
        (Zone("table", (0.62, 0.96), (1.0, 1.25), _ON_DESKS),),
        ("in an office", "in a study"),
        1.3,
    ),
    "garden": Background(
        interiors.paint_garden_table,
        (0.42, 0.5),
        (Zone("table", (0.62, 0.96), (0.95, 1.25), _ON_TABLES),),
        ("in a garden", "outdoors", "in the garden"),
        1.1,
    ),
}

# Furniture that holds things: the height of its surface and half its width, in units of the piece.
SURFACES: dict[str, tuple[float, float]] = {
    "dining table": (-0.78, 0.72),
    "couch": (-0.36, 0.55),
    "bed": (-0.52, 0.5),
    "bench": (-0.42, 0.8),
}
ON_SURFACES: dict[str, dict[str, float]] = {
    "dining table": _shares(
        "cup 1.4, bottle 1.0, vase 1.0, cake 0.9, apple 0.9, orange 0.8, banana 0.8, laptop 0.8, book 0.8, pizza 0.7"
    ),
    "couch": _shares("cat 1.5, book 0.7, backpack 0.6, dog 0.5"),
    "bed": _shares("cat 1.5, book 0.6, dog 0.5, laptop 0.4"),
    "bench": _shares("person 3.0, cat 0.8, bird 0.6, backpack 0.7, book 0.5"),
}
