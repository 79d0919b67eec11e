"""Drawings of pets and farm animals, from the side, facing right."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, curve, darker, lighter, mixed, path, ring

EYE: RGB = (34, 28, 30)


def four_legs(
    pen: Pen,
    ink: RGB,
    hips: Sequence[float],
    top: float,
    widths: tuple[float, float],
    hoof: RGB | None,
    sway: float = 0.02,
) -> None:
    """Far legs first and darker, then near ones; `hips` holds the back and the front pair's x."""
    back, front = hips
    for far in (True, False):
        tone = darker(ink, 0.28) if far else ink
        for x, lean in ((back, -sway), (front, sway)):
            x = x + (0.075 if far else 0.0) * (1 if x < 0 else -1) * 1.2
            foot = (x + lean * (-1 if far else 1), -widths[1] / 2)
            pen.limb([(x, top), (x + lean * 0.3, top * 0.5), foot], [widths[0], widths[1] * 1.15, widths[1]], tone)
            if hoof is not None:
                pen.box(foot[0] - widths[1] * 0.56, -widths[1] * 0.75, foot[0] + widths[1] * 0.66, 0, hoof, r=0.01)


def eye(pen: Pen, x: float, y: float, r: float) -> None:
    """A dark eye with a glint."""
    pen.oval(x, y, r, r * 1.1, EYE, rim=0)
    pen.oval(x + r * 0.3, y - r * 0.35, r * 0.35, r * 0.35, (250, 250, 250), rim=0)


def draw_dog(pen: Pen, look: Appearance) -> None:
    """A standing dog with a hanging ear, a muzzle and a raised tail."""
    rng = Random(look.variant)
    ink, dark, pale = look.ink, darker(look.ink, 0.35), lighter(look.ink, 0.35)
    pen.limb([(-0.5, -0.55), (-0.66, -0.7), (-0.68, -0.9)], [0.11, 0.09, 0.05], ink)
    four_legs(pen, ink, (-0.4, 0.3), -0.36, (0.17, 0.105), None)
    pen.blob(path("-0.54,-0.5 -0.4,-0.66 0.0,-0.63 0.3,-0.7 0.44,-0.56 0.36,-0.32 0.0,-0.27 -0.42,-0.26"), ink)
    pen.blob([(0.26, -0.36), (0.4, -0.4), (0.42, -0.58), (0.32, -0.5)], pale, rim=0)
    pen.limb([(0.32, -0.58), (0.44, -0.76)], [0.26, 0.25], ink)
    pen.oval(0.47, -0.8, 0.19, 0.17, ink)
    pen.blob([(0.52, -0.83), (0.7, -0.8), (0.76, -0.72), (0.7, -0.64), (0.5, -0.64)], pale)
    pen.oval(0.745, -0.765, 0.05, 0.042, (36, 30, 32), rim=0)
    pen.line([(0.56, -0.66), (0.64, -0.655), (0.71, -0.68)], 0.016, dark, smooth=True)
    pen.blob([(0.3, -0.93), (0.42, -0.94), (0.43, -0.78), (0.36, -0.58), (0.26, -0.68)], dark)
    eye(pen, 0.54, -0.85, 0.034)
    if rng.random() < 0.7:
        collar = rng.choice(((200, 50, 50), (50, 110, 190), (240, 190, 50)))
        pen.limb([(0.27, -0.68), (0.49, -0.57)], [0.05, 0.05], collar, rim=0.006)


def draw_cat(pen: Pen, look: Appearance) -> None:
    """A cat that sits with its tail around it, or walks with its tail up."""
    if look.pose == "walk":
        _walking_cat(pen, look)
    else:
        _sitting_cat(pen, look)


def _cat_head(pen: Pen, look: Appearance, x: float, y: float, r: float) -> None:
    ink, dark = look.ink, darker(look.ink, 0.3)
    for side in (-1, 1):
        pen.poly(
            [
                (x + side * r * 0.95, y - r * 0.2),
                (x + side * r * 0.85, y - r * 1.35),
                (x + side * r * 0.2, y - r * 0.8),
            ],
            ink,
        )
        pen.poly(
            [
                (x + side * r * 0.8, y - r * 0.5),
                (x + side * r * 0.76, y - r * 1.08),
                (x + side * r * 0.4, y - r * 0.76),
            ],
            (226, 150, 146),
            rim=0,
        )
    pen.oval(x, y, r * 1.08, r * 0.92, ink)
    for stripe in (-0.28, 0, 0.28):
        pen.line([(x + stripe * r, y - r * 0.85), (x + stripe * r * 0.9, y - r * 0.5)], r * 0.11, dark)
    pen.oval(x, y + r * 0.36, r * 0.5, r * 0.36, lighter(ink, 0.55), rim=0)
    for side in (-1, 1):
        pen.oval(x + side * r * 0.44, y - r * 0.06, r * 0.2, r * 0.22, (180, 206, 84), rim=0)
        pen.oval(x + side * r * 0.44, y - r * 0.06, r * 0.09, r * 0.2, EYE, rim=0)
        for k in (-0.08, 0.1):
            pen.line(
                [(x + side * r * 0.45, y + r * 0.36), (x + side * r * 1.35, y + r * (0.3 + k * 2))],
                r * 0.04,
                mixed(ink, (250, 250, 250), 0.6),
            )
    pen.poly([(x - r * 0.13, y + r * 0.16), (x + r * 0.13, y + r * 0.16), (x, y + r * 0.32)], (220, 120, 124), rim=0)
    pen.line(
        [
            (x - r * 0.28, y + r * 0.4),
            (x - r * 0.13, y + r * 0.54),
            (x, y + r * 0.36),
            (x + r * 0.13, y + r * 0.54),
            (x + r * 0.28, y + r * 0.4),
        ],
        r * 0.07,
        dark,
        smooth=True,
    )


def _sitting_cat(pen: Pen, look: Appearance) -> None:
    ink, dark = look.ink, darker(look.ink, 0.3)
    pen.limb([(-0.2, -0.08), (-0.46, -0.1), (-0.5, -0.3), (-0.42, -0.42)], [0.12, 0.11, 0.1, 0.08], ink)
    pen.blob(
        [(-0.3, -0.02), (-0.36, -0.2), (-0.24, -0.5), (0.02, -0.62), (0.22, -0.5), (0.24, -0.2), (0.26, -0.02)], ink
    )
    for k in (0.14, 0.26, 0.38):
        pen.line([(-0.33 + k * 0.3, -0.1 - k), (-0.2 + k * 0.2, -0.12 - k)], 0.03, dark)
    pen.blob([(0.02, -0.5), (0.16, -0.46), (0.16, -0.2), (0.06, -0.16), (-0.02, -0.26)], lighter(ink, 0.5), rim=0)
    for x in (0.02, 0.17):
        pen.limb([(x, -0.3), (x + 0.01, -0.05)], [0.11, 0.1], ink, rim=0.008)
        pen.oval(x + 0.02, -0.04, 0.075, 0.04, lighter(ink, 0.4), rim=0.006)
    _cat_head(pen, look, 0.06, -0.7, 0.225)


def _walking_cat(pen: Pen, look: Appearance) -> None:
    ink, dark = look.ink, darker(look.ink, 0.3)
    pen.limb([(-0.5, -0.48), (-0.64, -0.66), (-0.58, -0.94)], [0.1, 0.09, 0.07], ink)
    four_legs(pen, ink, (-0.4, 0.26), -0.34, (0.15, 0.095), None, sway=0.05)
    pen.blob(
        [(-0.54, -0.46), (-0.4, -0.6), (0, -0.56), (0.3, -0.6), (0.4, -0.44), (0.3, -0.26), (0, -0.24), (-0.44, -0.24)],
        ink,
    )
    for k in range(4):
        pen.line([(-0.36 + k * 0.15, -0.57), (-0.34 + k * 0.15, -0.42)], 0.03, dark)
    _cat_head(pen, look, 0.42, -0.68, 0.215)


def draw_horse(pen: Pen, look: Appearance) -> None:
    """A horse with a long neck, a mane and a flowing tail."""
    ink = look.ink
    mane = darker(ink, 0.55) if sum(ink) > 220 else (28, 26, 28)
    if sum(ink) > 640:
        mane = (196, 188, 176)
    pen.blob([(-0.48, -0.62), (-0.58, -0.6), (-0.64, -0.34), (-0.58, -0.18), (-0.52, -0.36)], mane)
    four_legs(pen, ink, (-0.38, 0.24), -0.42, (0.15, 0.07), darker(ink, 0.6))
    pen.blob(path("-0.5,-0.56 -0.42,-0.68 -0.1,-0.64 0.16,-0.67 0.34,-0.58 0.3,-0.4 0.0,-0.35 -0.36,-0.36"), ink)
    pen.blob(
        [(0.12, -0.64), (0.3, -0.84), (0.38, -0.94), (0.48, -0.9), (0.42, -0.74), (0.36, -0.5), (0.24, -0.46)], ink
    )
    pen.blob(
        [(0.38, -0.96), (0.48, -0.95), (0.58, -0.84), (0.66, -0.76), (0.63, -0.68), (0.55, -0.69), (0.42, -0.8)], ink
    )
    pen.oval(0.625, -0.725, 0.045, 0.04, darker(ink, 0.3), tilt=40, rim=0)
    pen.poly([(0.37, -0.92), (0.38, -1.02), (0.44, -0.94)], ink)
    pen.blob(
        [(0.4, -0.97), (0.34, -0.94), (0.22, -0.8), (0.1, -0.63), (0.16, -0.6), (0.28, -0.72), (0.36, -0.86)], mane
    )
    eye(pen, 0.47, -0.87, 0.018)


def draw_cow(pen: Pen, look: Appearance) -> None:
    """A cow with patches, horns and an udder."""
    rng = Random(look.variant)
    ink = look.ink
    patch = (52, 46, 48) if sum(ink) > 600 else (244, 238, 228)
    pen.line([(-0.6, -0.76), (-0.7, -0.6), (-0.68, -0.34)], 0.035, darker(ink, 0.25), smooth=True)
    pen.oval(-0.68, -0.32, 0.04, 0.07, darker(ink, 0.6), rim=0)
    pen.blob([(-0.24, -0.36), (-0.02, -0.36), (-0.04, -0.24), (-0.2, -0.24)], (236, 164, 160))
    four_legs(pen, ink, (-0.46, 0.34), -0.4, (0.17, 0.095), (70, 58, 52))
    outline: list[Point] = path("-0.62,-0.7 -0.5,-0.82 0.1,-0.8 0.4,-0.84 0.52,-0.68 0.44,-0.4 0.0,-0.32 -0.54,-0.36")
    pen.blob(outline, ink)
    with pen.within(curve(outline, closed=True)):
        for x, y in ((-0.42, -0.72), (-0.05, -0.56), (0.28, -0.76)):
            x, y = x + rng.uniform(-0.06, 0.06), y + rng.uniform(-0.05, 0.05)
            spots = [
                (x + dx * rng.uniform(0.8, 1.2), y + dy * rng.uniform(0.8, 1.2))
                for dx, dy in ((-0.15, -0.02), (-0.06, -0.13), (0.1, -0.11), (0.16, 0.02), (0.05, 0.13), (-0.1, 0.1))
            ]
            pen.blob(spots, patch, rim=0)
    for x in (0.5, 0.66):
        pen.limb([(x, -0.94), (x + (0.05 if x > 0.6 else -0.05), -1.04)], [0.045, 0.02], (226, 212, 184))
    pen.blob([(0.42, -0.96), (0.74, -0.96), (0.74, -0.76), (0.68, -0.62), (0.52, -0.62), (0.44, -0.74)], ink)
    pen.blob([(0.36, -0.9), (0.46, -0.92), (0.46, -0.84), (0.34, -0.82)], darker(ink, 0.2))
    pen.blob([(0.72, -0.92), (0.84, -0.9), (0.84, -0.82), (0.72, -0.84)], darker(ink, 0.2))
    pen.blob([(0.47, -0.72), (0.71, -0.72), (0.72, -0.62), (0.6, -0.56), (0.48, -0.62)], (238, 178, 172))
    for x in (0.54, 0.65):
        pen.oval(x, -0.655, 0.02, 0.028, (150, 90, 90), rim=0)
        eye(pen, x + (x - 0.595) * 0.4, -0.83, 0.028)


def draw_sheep(pen: Pen, look: Appearance) -> None:
    """A sheep: a cloud of wool on dark legs, with a dark face."""
    rng = Random(look.variant)
    wool, face = (240, 234, 222), (70, 62, 62)
    four_legs(pen, face, (-0.36, 0.28), -0.34, (0.12, 0.09), (44, 40, 42))
    pen.oval(-0.04, -0.58, 0.52, 0.3, darker(wool, 0.1))
    for i in range(22):
        x, y = ring(-0.04, -0.58, 0.46, 0.25, steps=22)[i]
        pen.oval(x, y, 0.12, 0.115, mixed(wool, (205, 198, 190), 0.5 if y > -0.5 else rng.uniform(0, 0.2)), rim=0.01)
    for _ in range(26):
        x, y = rng.uniform(-0.4, 0.34), rng.uniform(-0.72, -0.46)
        pen.oval(x, y, 0.1, 0.095, mixed(wool, (212, 205, 196), rng.uniform(0, 0.35)), rim=0)
    pen.blob([(0.34, -0.72), (0.2, -0.78), (0.24, -0.68)], face)
    pen.blob([(0.36, -0.86), (0.52, -0.88), (0.68, -0.7), (0.7, -0.56), (0.6, -0.52), (0.42, -0.6)], face)
    pen.oval(0.4, -0.84, 0.14, 0.1, wool, tilt=-15, rim=0.008)
    pen.oval(0.51, -0.73, 0.035, 0.04, (240, 240, 236), rim=0)
    pen.oval(0.52, -0.73, 0.018, 0.022, EYE, rim=0)


def draw_bird(pen: Pen, look: Appearance) -> None:
    """A bird that flies with raised wings, or stands."""
    ink, wing, pale = look.ink, darker(look.ink, 0.3), lighter(look.ink, 0.55)
    if look.pose == "fly":
        pen.blob(
            [(0.02, -0.5), (-0.26, -0.78), (-0.42, -1.0), (-0.5, -0.98), (-0.4, -0.66), (-0.2, -0.4)],
            darker(wing, 0.15),
        )
        pen.poly([(-0.4, -0.44), (-0.84, -0.52), (-0.8, -0.38), (-0.86, -0.26), (-0.38, -0.3)], wing)
        pen.blob(
            [(-0.5, -0.38), (-0.1, -0.52), (0.3, -0.56), (0.56, -0.5), (0.5, -0.34), (0.1, -0.2), (-0.3, -0.26)], ink
        )
        pen.blob([(0.4, -0.34), (0.1, -0.22), (-0.2, -0.26), (0.1, -0.36)], pale, rim=0)
        pen.oval(0.52, -0.5, 0.17, 0.15, ink)
        pen.poly([(0.66, -0.55), (0.86, -0.46), (0.66, -0.43)], (240, 160, 40))
        pen.blob(
            [(0.26, -0.48), (0.12, -0.82), (-0.08, -1.06), (-0.2, -1.0), (-0.3, -0.82), (-0.26, -0.56), (-0.14, -0.42)],
            wing,
        )
        for k in (0.0, 0.1, 0.2):
            pen.line([(-0.2 + k, -0.46), (-0.18 + k, -0.8 + k)], 0.025, darker(wing, 0.2))
        eye(pen, 0.56, -0.53, 0.032)
        return
    for x in (-0.06, 0.1):
        pen.line([(x, -0.24), (x + 0.02, -0.02), (x + 0.12, -0.01)], 0.04, (222, 140, 50))
    pen.poly([(-0.36, -0.42), (-0.78, -0.26), (-0.74, -0.14), (-0.3, -0.26)], wing)
    pen.blob(
        [(-0.46, -0.36), (-0.24, -0.6), (0.1, -0.72), (0.36, -0.66), (0.38, -0.4), (0.16, -0.18), (-0.2, -0.18)], ink
    )
    pen.blob([(0.36, -0.52), (0.34, -0.36), (0.14, -0.2), (-0.06, -0.2), (0.16, -0.34)], pale, rim=0)
    pen.oval(0.26, -0.78, 0.22, 0.2, ink)
    pen.poly([(0.44, -0.86), (0.7, -0.76), (0.44, -0.7)], (240, 160, 40))
    pen.blob([(0.06, -0.58), (-0.14, -0.56), (-0.5, -0.28), (-0.2, -0.28), (0.06, -0.4)], wing)
    eye(pen, 0.33, -0.82, 0.045)
