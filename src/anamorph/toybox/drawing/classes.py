"""Every class of the toybox, with its COCO name and its drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from anamorph.reading.morphology import plural_of
from anamorph.toybox.drawing import animals, belongings, foods, furnishings, people, vehicles, wildlife
from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import Pen

Extent: TypeAlias = tuple[float, float, float, float]

ACTIONS = ("standing", "walking", "sitting", "reading", "waving")


@dataclass(frozen=True, slots=True)
class ThingClass:
    """One class: its COCO name, number and super-category, and its drawing.

    `extent` is the bounding box of the drawing, in units of the thing (left, top, right, bottom; it stands on y = 0);
    `tall` is the height of one unit, with a person of 1.
    """

    coco_id: int
    name: str
    supercategory: str
    draw: Callable[[Pen, Appearance], None]
    extent: Extent
    tall: float

    @property
    def plural(self) -> str:
        return plural_of(self.name)

    @property
    def colours(self) -> tuple[str, ...]:
        """The words that may describe it, if any."""
        return tuple(_COLOURS.get(self.name, "").split())


_ALL = (
    ThingClass(1, "person", "person", people.draw_person, (-0.32, -1.06, 0.4, 0.03), 1.0),
    ThingClass(2, "bicycle", "vehicle", vehicles.draw_bicycle, (-0.92, -1.06, 0.92, 0.03), 0.66),
    ThingClass(3, "car", "vehicle", vehicles.draw_car, (-1.3, -1.06, 1.3, 0.03), 0.78),
    ThingClass(5, "airplane", "vehicle", vehicles.draw_airplane, (-1.36, -1.04, 1.28, 0.05), 0.62),
    ThingClass(6, "bus", "vehicle", vehicles.draw_bus, (-1.16, -1.04, 1.18, 0.03), 1.4),
    ThingClass(8, "truck", "vehicle", vehicles.draw_truck, (-1.08, -1.04, 1.1, 0.03), 1.3),
    ThingClass(9, "boat", "vehicle", vehicles.draw_boat, (-0.66, -1.04, 0.72, 0.05), 1.3),
    ThingClass(15, "bench", "outdoor", furnishings.draw_bench, (-1.2, -1.02, 1.2, 0.04), 0.58),
    ThingClass(16, "bird", "animal", animals.draw_bird, (-0.9, -1.12, 0.92, 0.03), 0.3),
    ThingClass(17, "cat", "animal", animals.draw_cat, (-0.74, -1.06, 0.78, 0.03), 0.42),
    ThingClass(18, "dog", "animal", animals.draw_dog, (-0.76, -1.02, 0.84, 0.03), 0.5),
    ThingClass(19, "horse", "animal", animals.draw_horse, (-0.7, -1.06, 0.72, 0.03), 1.2),
    ThingClass(20, "sheep", "animal", animals.draw_sheep, (-0.66, -1.0, 0.76, 0.03), 0.62),
    ThingClass(21, "cow", "animal", animals.draw_cow, (-0.8, -1.1, 0.9, 0.03), 0.95),
    ThingClass(22, "elephant", "animal", wildlife.draw_elephant, (-0.74, -1.04, 0.98, 0.03), 1.55),
    ThingClass(24, "zebra", "animal", wildlife.draw_zebra, (-0.68, -1.08, 0.74, 0.03), 1.1),
    ThingClass(25, "giraffe", "animal", wildlife.draw_giraffe, (-0.38, -1.04, 0.42, 0.03), 1.9),
    ThingClass(27, "backpack", "accessory", belongings.draw_backpack, (-0.54, -1.06, 0.54, 0.03), 0.42),
    ThingClass(28, "umbrella", "accessory", belongings.draw_umbrella, (-0.68, -1.04, 0.68, 0.03), 1.1),
    ThingClass(37, "sports ball", "sports", belongings.draw_ball, (-0.54, -1.04, 0.54, 0.03), 0.28),
    ThingClass(38, "kite", "sports", belongings.draw_kite, (-0.4, -1.04, 0.44, 0.03), 0.75),
    ThingClass(44, "bottle", "kitchen", belongings.draw_bottle, (-0.2, -1.03, 0.2, 0.02), 0.4),
    ThingClass(47, "cup", "kitchen", belongings.draw_cup, (-0.46, -1.04, 0.72, 0.03), 0.2),
    ThingClass(52, "banana", "food", foods.draw_banana, (-1.04, -1.08, 1.06, 0.03), 0.13),
    ThingClass(53, "apple", "food", foods.draw_apple, (-0.54, -1.05, 0.54, 0.03), 0.18),
    ThingClass(55, "orange", "food", foods.draw_orange, (-0.54, -1.0, 0.54, 0.03), 0.175),
    ThingClass(59, "pizza", "food", foods.draw_pizza, (-1.3, -1.02, 1.3, 0.04), 0.17),
    ThingClass(60, "donut", "food", foods.draw_donut, (-0.92, -1.02, 0.92, 0.04), 0.13),
    ThingClass(61, "cake", "food", foods.draw_cake, (-0.78, -1.06, 0.78, 0.04), 0.32),
    ThingClass(62, "chair", "furniture", furnishings.draw_chair, (-0.42, -1.04, 0.38, 0.03), 0.66),
    ThingClass(63, "couch", "furniture", furnishings.draw_couch, (-1.06, -1.04, 1.06, 0.02), 0.62),
    ThingClass(64, "potted plant", "furniture", furnishings.draw_potted_plant, (-0.52, -1.06, 0.52, 0.02), 0.6),
    ThingClass(65, "bed", "furniture", furnishings.draw_bed, (-1.3, -1.04, 1.3, 0.03), 0.62),
    ThingClass(67, "dining table", "furniture", furnishings.draw_dining_table, (-1.08, -1.04, 1.08, 0.02), 0.6),
    ThingClass(72, "tv", "electronic", furnishings.draw_tv, (-0.82, -1.04, 0.82, 0.03), 0.46),
    ThingClass(73, "laptop", "electronic", furnishings.draw_laptop, (-0.84, -1.04, 0.84, 0.03), 0.26),
    ThingClass(84, "book", "indoor", belongings.draw_book, (-1.18, -1.08, 1.14, 0.06), 0.1),
    ThingClass(85, "clock", "indoor", belongings.draw_clock, (-0.54, -1.04, 0.54, 0.03), 0.26),
    ThingClass(86, "vase", "indoor", belongings.draw_vase, (-0.32, -1.04, 0.34, 0.03), 0.4),
)
_COLOURS = {
    "bicycle": "red yellow green blue white",
    "car": "red yellow green blue white black",
    "bus": "red yellow green blue white",
    "truck": "red yellow green blue",
    "boat": "red yellow green blue white black",
    "bench": "brown green red blue",
    "bird": "red blue yellow black white",
    "cat": "brown black white grey orange",
    "dog": "brown black white grey",
    "horse": "brown black white",
    "cow": "white brown",
    "backpack": "red orange yellow green blue purple",
    "umbrella": "red orange yellow green blue purple pink",
    "sports ball": "red orange yellow green blue purple",
    "kite": "red orange yellow green blue purple pink",
    "bottle": "green brown blue",
    "cup": "red yellow green blue white purple",
    "apple": "red green yellow",
    "chair": "red orange yellow green blue brown",
    "couch": "red green blue grey purple yellow",
    "potted plant": "red blue white yellow",
    "bed": "red green blue purple pink",
    "book": "red green blue purple brown",
    "clock": "red yellow blue black green",
    "vase": "blue white red purple green",
}

CLASSES: dict[str, ThingClass] = {one.name: one for one in _ALL}
