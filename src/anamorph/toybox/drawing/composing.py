"""Composes recipes from a seed: the things and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from anamorph.model import Box
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS, ON_SURFACES, SURFACES, Zone
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.people import BOOK_SITTING, BOOK_STANDING
from anamorph.toybox.drawing.recipes import VERSION, Item, Light, Recipe, Rest

T = TypeVar("T")

_TRIES = 24
_TALLEST, _WIDEST, _SMALLEST = 0.66, 0.6, 0.095
# The largest share of a thing's box that one in front may cover, and that may be covered in all.
_MOST_COVERED = 0.2
_SHIRTS = ("red", "orange", "yellow", "green", "blue", "purple", "white", "grey")
# Small things on furniture are drawn larger than life, so that they can be seen.
_ON_FURNITURE = 1.3
_PERSON_FORMS = (("man", 1.0, 0.4), ("woman", 0.97, 0.4), ("child", 0.72, 0.2))


def compose(seed: int, index: int, width: int = 320, height: int = 240) -> Recipe:
    """The recipe with this number, deterministic in its arguments."""
    # A string seeds Random through SHA-512, independent of the process's hash seed.
    rng = Random(f"toybox/{VERSION}/{seed}/{index}")
    name = _weighted(rng, {each: known.weight for each, known in BACKGROUNDS.items()})
    background = BACKGROUNDS[name]
    light = Light(
        side=round(rng.choice((-1, 1)) * rng.uniform(0.3, 1), 3),
        brightness=round(rng.uniform(0.94, 1.1), 3),
        warmth=round(rng.uniform(-0.05, 0.08), 3),
        noise=round(rng.uniform(1.5, 4), 2),
        vignette=round(rng.uniform(0.04, 0.16), 3),
    )
    horizon = round(rng.uniform(*background.horizon), 3)
    layout = _Layout(rng, width / height)
    layout.fill(background.zones)
    return Recipe(name, horizon, rng.randrange(2**31), light, layout.in_order(), width, height)


@dataclass(frozen=True, slots=True)
class _Placed:
    item: Item
    box: Box
    depth: float


class _Layout:
    """Things placed so far, and whether one more fits."""

    def __init__(self, rng: Random, aspect: float) -> None:
        self.rng, self.aspect = rng, aspect
        self.placed: list[_Placed] = []

    def fill(self, zones: tuple[Zone, ...]) -> None:
        rng = self.rng
        shares = [dict(zone.shares) for zone in zones]
        groups = rng.choices((1, 2, 3, 4), (0.14, 0.36, 0.34, 0.16))[0]
        for _ in range(groups):
            weights = {(z, label): share for z, those in enumerate(shares) for label, share in those.items()}
            if not weights or len(self.placed) >= 7:
                break
            z, label = _weighted(rng, weights)
            for those in shares:
                those.pop(label, None)
            number = rng.choices((1, 2, 3, 4), (0.6, 0.23, 0.12, 0.05))[0]
            if label in SURFACES or label in ("bus", "truck", "elephant", "laptop", "tv", "pizza"):
                number = min(number, 2)
            colour = self._colour(label)
            for _ in range(number):
                if rng.random() < 0.4:
                    colour = self._colour(label)
                self._stand(zones[z], label, colour)
        # The choices may not have fit, such as a wide thing on a narrow board; a scene is never empty.
        while not self.placed:
            zone = zones[0]
            label = _weighted(rng, zone.shares)
            self._stand(zone, label, self._colour(label))

    def in_order(self) -> tuple[Item, ...]:
        """Back to front; things resting on another come right after it, and still refer to it."""
        roots = sorted((p for p in self.placed if p.item.on is None), key=lambda p: p.depth)
        order: list[_Placed] = []
        for root in roots:
            order.append(root)
            position = self.placed.index(root)
            order += sorted((p for p in self.placed if p.item.on == position), key=lambda p: p.depth)
        places = {self.placed.index(p): k for k, p in enumerate(order)}
        return tuple(replace(p.item, on=None if p.item.on is None else places[p.item.on]) for p in order)

    def _colour(self, label: str) -> str:
        if label == "person":
            return self.rng.choice(_SHIRTS)
        colours = CLASSES[label].colours
        return self.rng.choice(colours) if colours else ""

    def _stand(self, zone: Zone, label: str, colour: str) -> None:
        rng = self.rng
        look = self._look(label, colour, zone.rest)
        for _ in range(_TRIES):
            depth = rng.random()
            size = CLASSES[label].tall * _form_height(look)
            left, top, right, bottom = CLASSES[label].extent
            most = min(_TALLEST / (bottom - top), _WIDEST * self.aspect / (right - left))
            least = _SMALLEST / (bottom - top)
            far, near = zone.size
            if near > far:
                # Large things stand farther back and small ones farther in front, rather than out of scale.
                reach = ((most / size - far) / (near - far), (least / size - far) / (near - far))
                depth = max(min(depth, reach[0], 1.0), min(reach[1], 1.0), 0.0)
            unit = min(most, max(least, size * (far + (near - far) * depth)))
            y = zone.stand[0] + (zone.stand[1] - zone.stand[0]) * depth
            if look.mirrored:
                left, right = -right, -left
            low, high = zone.across[0] * self.aspect - left * unit, zone.across[1] * self.aspect - right * unit
            if low >= high:
                continue
            x = rng.uniform(low, high)
            item = replace(look, x=round(x, 4), y=round(y, 4), unit=round(unit, 4))
            if self._add(item, y):
                self._furnish(len(self.placed) - 1)
                return

    def _look(self, label: str, colour: str, rest: Rest) -> Item:
        rng = self.rng
        action = pose = form = ""
        if label == "person":
            form = rng.choices([f[0] for f in _PERSON_FORMS], [f[2] for f in _PERSON_FORMS])[0]
            action = rng.choices(ACTIONS, (0.26, 0.26, 0.18, 0.15, 0.15))[0]
            pose = "floor" if action == "sitting" or (action == "reading" and rng.random() < 0.4) else ""
        elif label == "bird":
            pose = "fly" if rest == "air" else ""
        elif label == "cat":
            pose = rng.choice(("", "walk")) if rest == "ground" else ""
        elif label == "clock":
            pose = "" if rest == "wall" else "alarm"
        mirrored = rng.random() < 0.5 and label not in ("clock",)
        return Item(label, 0, 0, 0, colour, action, pose, form, rng.randrange(100_000), mirrored, rest)

    def _add(self, item: Item, depth: float, over: int | None = None) -> bool:
        """Place an item unless it is outside the image, hides too much, or is hidden too much."""
        box = box_of(item)
        if box.x < 0.005 or box.right > self.aspect - 0.005 or box.y < 0.005 or box.bottom > 0.995:
            return False
        family = {
            over,
            *(
                k
                for k, p in enumerate(self.placed)
                if over is not None and p.item.on == over and item.action == "reading"
            ),
        }
        for k, other in enumerate(self.placed):
            if k in family:
                continue
            shared = box.overlap(other.box)
            if shared and shared / min(box.area, other.box.area) > _MOST_COVERED:
                return False
            # Two of a class that touch could be taken for one.
            if shared and other.item.label == item.label:
                return False
        self.placed.append(_Placed(replace(item, on=over), box, depth))
        return True

    def _furnish(self, position: int) -> None:
        """Put things on a table, people on a bench, a book in a reader's hands."""
        holder = self.placed[position].item
        if holder.action == "reading":
            self._give_book(position)
        if holder.label not in SURFACES:
            return
        rng = self.rng
        most = 3 if holder.label == "dining table" else 1
        shares = dict(ON_SURFACES[holder.label])
        for _ in range(rng.randint(0, most)):
            label = _weighted(rng, shares)
            surface, half = SURFACES[holder.label]
            look = self._look(label, self._colour(label), "table")
            unit = holder.unit / CLASSES[holder.label].tall * CLASSES[label].tall * _form_height(look)
            if label == "person":
                look = replace(look, action="sitting", pose="seat")
                # The seat of a bench is lower than that of the pose, whose feet are on the ground.
                surface = 0.0
            elif holder.label == "dining table":
                unit *= _ON_FURNITURE
            _, top, _, bottom = CLASSES[label].extent
            unit = max(unit, _SMALLEST / (bottom - top))
            for _ in range(6):
                x = holder.x + rng.uniform(-half, half) * holder.unit
                y = holder.y + (surface + rng.uniform(-0.06, 0.04) * (holder.label == "dining table")) * holder.unit
                item = replace(look, x=round(x, 4), y=round(y, 4), unit=round(unit, 4))
                box = box_of(item)
                if box.x < holder.x - (half + 0.25) * holder.unit or box.right > holder.x + (half + 0.25) * holder.unit:
                    continue
                if self._add(item, y, over=position):
                    break

    def _give_book(self, position: int) -> None:
        reader = self.placed[position].item
        dx, dy = BOOK_SITTING if reader.pose else BOOK_STANDING
        x = reader.x + (-dx if reader.mirrored else dx) * reader.unit
        unit = 0.135 * reader.unit
        colour = self.rng.choice(CLASSES["book"].colours)
        book = Item(
            "book",
            round(x, 4),
            round(reader.y + (dy + 0.06) * reader.unit, 4),
            round(unit, 4),
            colour,
            pose="open",
            variant=self.rng.randrange(100_000),
            rest="held",
            on=position,
        )
        self.placed.append(_Placed(book, box_of(book), reader.y))


def box_of(item: Item) -> Box:
    """The bounding box of an item's drawing, in shares of the image's height."""
    left, top, right, bottom = CLASSES[item.label].extent
    if item.mirrored:
        left, right = -right, -left
    if item.pose == "floor":
        top = -0.7
    return Box(
        item.x + left * item.unit, item.y + top * item.unit, (right - left) * item.unit, (bottom - top) * item.unit
    )


def _form_height(item: Item) -> float:
    return next((height for form, height, _ in _PERSON_FORMS if form == item.form), 1.0)


def _weighted(rng: Random, weights: Mapping[T, float]) -> T:
    return rng.choices(list(weights), list(weights.values()))[0]
