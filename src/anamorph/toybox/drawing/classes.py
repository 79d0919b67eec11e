"""Every class of the toybox, with its COCO name and its drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from anamorph.toybox.drawing import animals, belongings, foods, furnishings, people, vehicles, wildlife
from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import Pen

Extent: TypeAlias = tuple[float, float, float, float]

ACTIONS = ("standing", "walking", "sitting", "reading", "waving")

_PAINTS = ("red", "yellow", "green", "blue", "white", "black")
_CLOTHS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "grey")
_COATS = ("brown", "black", "white", "grey", "orange")


@dataclass(frozen=True, slots=True)
class ThingClass:
    """One class: its COCO name, number and super-category, its plural, and its drawing.

    `extent` is the bounding box of the drawing, in units of the thing (left, top, right, bottom; it stands on y = 0);
    `tall` is the height of one unit, with a person of 1; `colours` are the words that may describe it, if any.
    """

    name: str
    coco_id: int
    supercategory: str
    plural: str
    draw: Callable[[Pen, Appearance], None]
    extent: Extent
    tall: float
    colours: tuple[str, ...] = ()


_ALL = (
    ThingClass("person", 1, "person", "people", people.draw_person, (-0.32, -1.06, 0.4, 0.03), 1.0),
    ThingClass(
        "bicycle", 2, "vehicle", "bicycles", vehicles.draw_bicycle, (-0.92, -1.06, 0.92, 0.03), 0.66, _PAINTS[:5]
    ),
    ThingClass("car", 3, "vehicle", "cars", vehicles.draw_car, (-1.3, -1.06, 1.3, 0.03), 0.78, _PAINTS),
    ThingClass("airplane", 5, "vehicle", "airplanes", vehicles.draw_airplane, (-1.36, -1.04, 1.28, 0.05), 0.62),
    ThingClass("bus", 6, "vehicle", "buses", vehicles.draw_bus, (-1.16, -1.04, 1.18, 0.03), 1.4, _PAINTS[:5]),
    ThingClass("truck", 8, "vehicle", "trucks", vehicles.draw_truck, (-1.08, -1.04, 1.1, 0.03), 1.3, _PAINTS[:4]),
    ThingClass("boat", 9, "vehicle", "boats", vehicles.draw_boat, (-0.66, -1.04, 0.72, 0.05), 1.3, _PAINTS),
    ThingClass(
        "bench",
        15,
        "outdoor",
        "benches",
        furnishings.draw_bench,
        (-1.2, -1.02, 1.2, 0.04),
        0.58,
        ("brown", "green", "red", "blue"),
    ),
    ThingClass(
        "bird",
        16,
        "animal",
        "birds",
        animals.draw_bird,
        (-0.9, -1.12, 0.92, 0.03),
        0.3,
        ("red", "blue", "yellow", "black", "white"),
    ),
    ThingClass("cat", 17, "animal", "cats", animals.draw_cat, (-0.74, -1.06, 0.78, 0.03), 0.42, _COATS),
    ThingClass("dog", 18, "animal", "dogs", animals.draw_dog, (-0.76, -1.02, 0.84, 0.03), 0.5, _COATS[:4]),
    ThingClass(
        "horse", 19, "animal", "horses", animals.draw_horse, (-0.7, -1.06, 0.72, 0.03), 1.2, ("brown", "black", "white")
    ),
    ThingClass("sheep", 20, "animal", "sheep", animals.draw_sheep, (-0.66, -1.0, 0.76, 0.03), 0.62),
    ThingClass("cow", 21, "animal", "cows", animals.draw_cow, (-0.8, -1.1, 0.9, 0.03), 0.95, ("white", "brown")),
    ThingClass("elephant", 22, "animal", "elephants", wildlife.draw_elephant, (-0.74, -1.04, 0.98, 0.03), 1.55),
    ThingClass("zebra", 24, "animal", "zebras", wildlife.draw_zebra, (-0.68, -1.08, 0.74, 0.03), 1.1),
    ThingClass("giraffe", 25, "animal", "giraffes", wildlife.draw_giraffe, (-0.38, -1.04, 0.42, 0.03), 1.9),
    ThingClass(
        "backpack",
        27,
        "accessory",
        "backpacks",
        belongings.draw_backpack,
        (-0.54, -1.06, 0.54, 0.03),
        0.42,
        _CLOTHS[:6],
    ),
    ThingClass(
        "umbrella", 28, "accessory", "umbrellas", belongings.draw_umbrella, (-0.68, -1.04, 0.68, 0.03), 1.1, _CLOTHS[:7]
    ),
    ThingClass(
        "sports ball", 37, "sports", "sports balls", belongings.draw_ball, (-0.54, -1.04, 0.54, 0.03), 0.28, _CLOTHS[:6]
    ),
    ThingClass("kite", 38, "sports", "kites", belongings.draw_kite, (-0.4, -1.04, 0.44, 0.03), 0.75, _CLOTHS[:7]),
    ThingClass(
        "bottle",
        44,
        "kitchen",
        "bottles",
        belongings.draw_bottle,
        (-0.2, -1.03, 0.2, 0.02),
        0.4,
        ("green", "brown", "blue"),
    ),
    ThingClass(
        "cup",
        47,
        "kitchen",
        "cups",
        belongings.draw_cup,
        (-0.46, -1.04, 0.72, 0.03),
        0.2,
        ("red", "yellow", "green", "blue", "white", "purple"),
    ),
    ThingClass("banana", 52, "food", "bananas", foods.draw_banana, (-1.04, -1.08, 1.06, 0.03), 0.13),
    ThingClass(
        "apple", 53, "food", "apples", foods.draw_apple, (-0.54, -1.05, 0.54, 0.03), 0.18, ("red", "green", "yellow")
    ),
    ThingClass("orange", 55, "food", "oranges", foods.draw_orange, (-0.54, -1.0, 0.54, 0.03), 0.175),
    ThingClass("pizza", 59, "food", "pizzas", foods.draw_pizza, (-1.3, -1.02, 1.3, 0.04), 0.17),
    ThingClass("donut", 60, "food", "donuts", foods.draw_donut, (-0.92, -1.02, 0.92, 0.04), 0.13),
    ThingClass("cake", 61, "food", "cakes", foods.draw_cake, (-0.78, -1.06, 0.78, 0.04), 0.32),
    ThingClass(
        "chair",
        62,
        "furniture",
        "chairs",
        furnishings.draw_chair,
        (-0.42, -1.04, 0.38, 0.03),
        0.66,
        (*_CLOTHS[:5], "brown"),
    ),
    ThingClass(
        "couch",
        63,
        "furniture",
        "couches",
        furnishings.draw_couch,
        (-1.06, -1.04, 1.06, 0.02),
        0.62,
        ("red", "green", "blue", "grey", "purple", "yellow"),
    ),
    ThingClass(
        "potted plant",
        64,
        "furniture",
        "potted plants",
        furnishings.draw_potted_plant,
        (-0.52, -1.06, 0.52, 0.02),
        0.6,
        ("red", "blue", "white", "yellow"),
    ),
    ThingClass(
        "bed",
        65,
        "furniture",
        "beds",
        furnishings.draw_bed,
        (-1.3, -1.04, 1.3, 0.03),
        0.62,
        ("red", "green", "blue", "purple", "pink"),
    ),
    ThingClass(
        "dining table", 67, "furniture", "dining tables", furnishings.draw_dining_table, (-1.08, -1.04, 1.08, 0.02), 0.6
    ),
    ThingClass("tv", 72, "electronic", "tvs", furnishings.draw_tv, (-0.82, -1.04, 0.82, 0.03), 0.46),
    ThingClass("laptop", 73, "electronic", "laptops", furnishings.draw_laptop, (-0.84, -1.04, 0.84, 0.03), 0.26),
    ThingClass(
        "book",
        84,
        "indoor",
        "books",
        belongings.draw_book,
        (-1.18, -1.08, 1.14, 0.06),
        0.1,
        ("red", "green", "blue", "purple", "brown"),
    ),
    ThingClass(
        "clock",
        85,
        "indoor",
        "clocks",
        belongings.draw_clock,
        (-0.54, -1.04, 0.54, 0.03),
        0.26,
        ("red", "yellow", "blue", "black", "green"),
    ),
    ThingClass(
        "vase",
        86,
        "indoor",
        "vases",
        belongings.draw_vase,
        (-0.32, -1.04, 0.34, 0.03),
        0.4,
        ("blue", "white", "red", "purple", "green"),
    ),
)

CLASSES: dict[str, ThingClass] = {one.name: one for one in _ALL}
