"""Random layouts for SPOLRE: which objects move and how, so that nothing leaves the picture or is hidden too much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias, get_args

import numpy as np

from anamorph.methods.spolre.support import Freedom, freedom_of, horizon_of, stays_supported, support_of
from anamorph.model import Box, Hole, Scene, Thing, setting
from anamorph.pixels.layouts import Move, laid_out, moved_box, moved_shape
from anamorph.pixels.shapes import hole_kernel
from anamorph.pixels.windows import ShapeWindow, shape_window

Transformation: TypeAlias = Literal["translation", "rotation", "scaling", "mirror"]
TRANSFORMATIONS: tuple[Transformation, ...] = get_args(Transformation)

# How much of another object one that moves along its support may cover.
_BESIDE = 0.05
# The least shift that is noticed, as a share of the width; twice that as a change of size, a hundred times in degrees.
_NOTICED = 0.03


@dataclass(frozen=True, slots=True)
class LayoutRules:
    """How a new layout is drawn."""

    moves: Literal["supported", "free"] = setting(
        "supported",
        "How far objects go: where something still holds them, with the size that fits the distance; or anywhere, as "
        "in the paper.",
    )
    steps: int = setting(3, "How many transformations make a layout, each of a random object.", least=1, most=100)
    transformations: tuple[Transformation, ...] = setting(
        TRANSFORMATIONS, "Which ones: translation, rotation, scaling, mirror. One alone is the paper's ablation."
    )
    max_degrees: float = setting(15.0, "An object is turned by at most this, either way.", least=0.1, most=180)
    scales: tuple[float, float] = setting(
        (0.7, 1.3), "The least and the largest factor of an object's size.", least=0.05, most=20
    )
    max_hidden: float = setting(0.25, "A layout hides at most this share of any object.", least=0, most=1)
    max_bare: float = setting(
        0.035,
        "With supported moves on a photo, at most this share of it shows ground that was made up.",
        least=0,
        most=1,
    )
    tries: int = setting(30, "How often a transformation is drawn anew before it is left out.", least=1)

    def __post_init__(self) -> None:
        if not self.transformations:
            raise ValueError("transformations must name at least one")
        if self.scales[0] > self.scales[1]:
            raise ValueError(f"scales must be the least and the largest, got {self.scales[0]:g} and {self.scales[1]:g}")


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is lifted and where it goes, in the scene's order; an object that stays is lifted to lie on top."""

    moves: tuple[Move, ...]

    @property
    def moved(self) -> tuple[Move, ...]:
        return tuple(move for move in self.moves if not _stays(move))

    @property
    def transformations(self) -> tuple[Transformation, ...]:
        """What was done in the end: mirrored twice is not mirrored."""
        done = {
            "translation": any(move.right or move.down for move in self.moves),
            "rotation": any(move.degrees for move in self.moves),
            "scaling": any(move.scale != 1 for move in self.moves),
            "mirror": any(move.mirror for move in self.moves),
        }
        return tuple(name for name in TRANSFORMATIONS if done[name])


@dataclass(frozen=True, slots=True)
class Ties:
    """Which sides of the picture cut an object, and so which ways it may not go.

    Away from that side its cut would show. Along it, it can be shifted, and mirrored if it is the upper or lower side.
    """

    beside: bool = False
    above_or_below: bool = False

    @property
    def fast(self) -> bool:
        """Whether it cannot go any way at all."""
        return self.beside and self.above_or_below


def ties_of(box: Box, width: int, height: int, margin: float) -> Ties:
    """The ties of an object whose box comes nearer than a margin to the sides of the picture."""
    return Ties(min(box.x, width - box.right) < margin, min(box.y, height - box.bottom) < margin)


@dataclass(frozen=True, slots=True)
class Company:
    """The objects that are lifted with a completed one, and those that must not move with it.

    One that stands before an object of the company would leave it with a bite.
    """

    lifted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rearranger:
    """Draws layouts of one scene, in which only some objects may move; `ties` holds back those that a side cuts.

    An object that stood behind others is among the movable ones as it is when completed, and among those of the scene
    as it is seen. `company` is lifted with it and laid back where it was.
    """

    scene: Scene
    movable: Sequence[Thing]
    rules: LayoutRules
    ties: Mapping[str, Ties] = field(default_factory=dict)
    company: Mapping[str, Company] = field(default_factory=dict)
    _freedoms: dict[str, Freedom] = field(default_factory=dict, init=False, repr=False, compare=False)
    _supports: dict[str, Hole | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def draw(self, rng: Random) -> Arrangement | None:
        """A layout that differs from the scene's own, or None if none was found."""
        moves: dict[str, Move] = {}
        for _ in range(self.rules.steps):
            for _ in range(self.rules.tries):
                thing = rng.choice(self.movable)
                move = self._changed(thing, moves.get(thing.id, Move(thing.id)), rng)
                if move is not None and self._allowed({**moves, thing.id: move}):
                    moves[thing.id] = move
                    break
        lifted = self._lifted(moves)
        arranged = Arrangement(tuple(lifted.values()))
        if not arranged.moved:
            return None
        if self.rules.moves == "supported" and (not self._shows(arranged) or self._is_bare(arranged)):
            return None
        return arranged

    def _is_bare(self, arranged: Arrangement) -> bool:
        """Whether too much of a photo would be ground that was made up, once the objects lie in their new places."""
        scene = self.scene
        if scene.is_drawn:
            return False
        bare = np.zeros((scene.height, scene.width), np.bool_)
        for move in arranged.moves:
            thing = scene.thing(move.object)
            kernel = hole_kernel(thing, scene.height, scene.width)
            shape_window(thing, scene.height, scene.width).grown(kernel, scene.height, scene.width).put_into(bare, 0, 0)
        for move in arranged.moves:
            bare &= ~moved_shape(self._thing(move), move, scene.width, scene.height)
        return bool(bare.mean() > self.rules.max_bare)

    def _changed(self, thing: Thing, move: Move, rng: Random) -> Move | None:
        """The move with one more random transformation; None if it goes too far."""
        if self.rules.moves == "supported":
            return self._supported(thing, move, rng)
        rules, tied = self.rules, self.ties.get(thing.id, Ties())
        match rng.choice(rules.transformations):
            case "translation":
                box = moved_box(thing.box, move)
                right = 0 if tied.beside else _whole_between(-box.x, self.scene.width - box.right, rng)
                down = 0 if tied.above_or_below else _whole_between(-box.y, self.scene.height - box.bottom, rng)
                move = move.then(Move(thing.id, right, down))
            case "rotation":
                degrees = round(rng.uniform(-rules.max_degrees, rules.max_degrees), 1)
                move = move.then(Move(thing.id, degrees=degrees))
            case "scaling":
                move = move.then(Move(thing.id, scale=round(rng.uniform(*rules.scales), 2)))
            case "mirror":
                move = move.then(Move(thing.id, mirror=True))
        if (tied != Ties() and (move.degrees or move.scale != 1)) or (tied.beside and move.mirror):
            return None
        # Several small steps must not add up to a large one.
        if abs(move.degrees) > rules.max_degrees or not rules.scales[0] <= move.scale <= rules.scales[1]:
            return None
        box = moved_box(thing.box, move)
        inside = min(box.x, box.y, self.scene.width - box.right, self.scene.height - box.bottom) >= 0
        return move if inside or _stays(move) else None

    def _supported(self, thing: Thing, move: Move, rng: Random) -> Move | None:
        """The move with one more transformation, by which the object stays on what holds it."""
        rules, free, box = self.rules, self._freedom(thing), moved_box(thing.box, move)
        least, most = max(free.scales[0], rules.scales[0]), min(free.scales[1], rules.scales[1])
        match rng.choice(rules.transformations):
            case "translation":
                right = _whole_between(-free.sideways, free.sideways, rng)
                down: float = _whole_between(-free.up, free.down, rng)
                scale = 1.0
                if free.horizon is not None and least < most and "scaling" in rules.transformations:
                    scale = round(rng.uniform(least, most), 2)
                    down = _along_ground(box, scale, free.horizon)
                if not right and abs(down) < 1:
                    return None
                move = move.then(Move(thing.id, right, round(down), scale=scale))
            case "rotation":
                turn = min(free.degrees, rules.max_degrees)
                move = move.then(Move(thing.id, degrees=round(rng.uniform(-turn, turn), 1)))
            case "scaling":
                scale = round(rng.uniform(least, most), 2)
                move = move.then(Move(thing.id, down=round(_along_ground(box, scale, free.horizon)), scale=scale))
            case "mirror":
                if not free.mirror:
                    return None
                move = move.then(Move(thing.id, mirror=True))
        if abs(move.degrees) > free.degrees or not least - 1e-9 <= move.scale <= most + 1e-9:
            return None
        if abs(move.right) > free.sideways:
            return None
        box = moved_box(thing.box, move)
        inside = min(box.x, box.y, self.scene.width - box.right, self.scene.height - box.bottom) >= 0
        return move if inside and stays_supported(thing, box, self.scene, self._support(thing)) else None

    def _shows(self, arranged: Arrangement) -> bool:
        """Whether anybody would notice; small changes in place add up to little."""
        wide = _NOTICED * self.scene.width
        return any(
            move.mirror
            or max(abs(move.right), abs(move.down)) >= wide
            or abs(move.scale - 1) >= 2 * _NOTICED
            or abs(move.degrees) >= 100 * _NOTICED
            for move in arranged.moved
        )

    def _freedom(self, thing: Thing) -> Freedom:
        if thing.id not in self._freedoms:
            self._freedoms[thing.id] = freedom_of(thing, self.scene, horizon_of(self.scene))
        return self._freedoms[thing.id]

    def _support(self, thing: Thing) -> Hole | None:
        if thing.id not in self._supports:
            self._supports[thing.id] = support_of(thing, self.scene)
        return self._supports[thing.id]

    @property
    def _most_hidden(self) -> float:
        # What stood beside others does not come to stand before or behind them.
        return min(self.rules.max_hidden, _BESIDE) if self.rules.moves == "supported" else self.rules.max_hidden

    def _allowed(self, moves: Mapping[str, Move]) -> bool:
        """Whether every object can still be seen well enough."""
        lifted = self._lifted(moves)
        boxes = self._boxes(moves)
        if any(id in boxes for object in boxes if object in self.company for id in self.company[object].kept):
            return False
        others = [thing for thing in self.scene.things if thing.id not in lifted and _meets(thing.box, boxes)]
        if len(lifted) == 1 and not others:
            return True
        width, height = self.scene.width, self.scene.height
        things = [self._thing(move) for move in lifted.values()]
        layout = laid_out(things, tuple(lifted.values()), width, height)
        if any(layout.hidden_share(id) > self._most_hidden for id in lifted):
            return False
        if not others:
            return True
        covers = [moved_shape(self._thing(moves[id]), moves[id], width, height) for id in boxes]
        cover = ShapeWindow.of(0, 0, np.logical_or.reduce(covers))
        return all(self._covered_share(thing, cover) <= self._most_hidden for thing in others)

    def _lifted(self, moves: Mapping[str, Move]) -> dict[str, Move]:
        """The objects that move, and the movable ones that they would cover: those are laid over by size."""
        boxes = self._boxes(moves)
        # A completed one that stays is still behind the others.
        movable = {thing.id for thing in self.movable if thing.id not in self.company}
        along = {id for object in boxes if object in self.company for id in self.company[object].lifted}
        return {
            thing.id: moves.get(thing.id, Move(thing.id))
            for thing in self.scene.things
            if thing.id in boxes or thing.id in along or (thing.id in movable and _meets(thing.box, boxes))
        }

    def _boxes(self, moves: Mapping[str, Move]) -> dict[str, Box]:
        return {id: moved_box(self._thing(move).box, move) for id, move in sorted(moves.items()) if not _stays(move)}

    def _thing(self, move: Move) -> Thing:
        """An object as it is laid: completed only if it moves."""
        if move.object in self.company and not _stays(move):
            return next(thing for thing in self.movable if thing.id == move.object)
        return self.scene.thing(move.object)

    def _covered_share(self, thing: Thing, cover: ShapeWindow) -> float:
        shape = shape_window(thing, self.scene.height, self.scene.width)
        return shape.common(cover) / shape.area if shape.area else 0.0


def _along_ground(box: Box, scale: float, horizon: float | None) -> float:
    """How far down the centre goes with a change of size: the foot goes to and from the horizon as the size does, and
    stays where it is for an object that does not go along the ground.
    """
    foot = 0.0 if horizon is None else box.bottom - horizon
    return (scale - 1) * (foot - box.height / 2)


def _stays(move: Move) -> bool:
    return move == Move(move.object)


def _meets(box: Box, boxes: Mapping[str, Box]) -> bool:
    return any(box.overlap(other) > 0 for other in boxes.values())


def _whole_between(least: float, most: float, rng: Random) -> int:
    """A random whole number between two bounds, equations 1 and 2; 0 if there is none."""
    low, high = math.ceil(least), math.floor(most)
    return rng.randint(low, high) if low <= high else 0
