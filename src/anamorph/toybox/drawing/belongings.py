"""Drawings of small belongings."""

from __future__ import annotations

import math
from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, curve, darker, lighter, path, ring


def draw_cup(pen: Pen, look: Appearance) -> None:
    """A mug with a handle on its right."""
    ink = look.ink
    pen.loop(0.42, -0.48, 0.2, 0.24, 0.13, darker(ink, 0.32))
    pen.loop(0.42, -0.48, 0.2, 0.24, 0.09, ink)
    body = [
        (-0.4, -0.88),
        (0.4, -0.88),
        *curve([(0.38, -0.4), (0.34, -0.08), (0.0, 0.0), (-0.34, -0.08), (-0.38, -0.4)], closed=False),
    ]
    pen.poly(body, ink, rim=0.018)
    with pen.within(body):
        pen.box(0.2, -1.0, 0.5, 0.1, darker(ink, 0.16), rim=0)
        pen.box(-0.3, -1.0, -0.2, 0.1, lighter(ink, 0.4), rim=0)
    pen.oval(0, -0.88, 0.4, 0.11, lighter(ink, 0.25), rim=0.018)
    pen.oval(0, -0.87, 0.33, 0.08, (92, 58, 38), rim=0)


def draw_bottle(pen: Pen, look: Appearance) -> None:
    """A tall bottle with a label and a cap."""
    ink = look.ink
    shape = curve([(-0.055, -0.94), (-0.06, -0.72), (-0.15, -0.58), (-0.16, -0.3), (-0.155, -0.02)], closed=False)
    shape += [(-x, y) for x, y in reversed(shape)]
    pen.poly(shape, ink)
    with pen.within(shape):
        pen.box(-0.13, -1.0, -0.085, 0.1, lighter(ink, 0.55), rim=0)
        pen.box(0.07, -1.0, 0.2, 0.1, darker(ink, 0.25), rim=0)
        pen.box(-0.2, -0.46, 0.2, -0.18, (248, 242, 226), rim=0)
        pen.box(-0.2, -0.4, 0.2, -0.35, darker(ink, 0.1), rim=0)
    pen.box(-0.07, -1.0, 0.07, -0.91, (190, 160, 90), r=0.015)


def draw_book(pen: Pen, look: Appearance) -> None:
    """A closed book lying flat, or an open one held up."""
    ink = look.ink
    if look.pose == "open":
        pen.poly([(-0.86, -1.0), (0.0, -0.9), (0.86, -1.0), (0.86, -0.06), (0.0, 0.02), (-0.86, -0.06)], ink, rim=0.03)
        pen.poly(
            [(-0.76, -1.04), (0.0, -0.93), (0.76, -1.04), (0.76, -0.96), (0.0, -0.85), (-0.76, -0.96)],
            (250, 247, 236),
            rim=0,
        )
        pen.line([(0, -0.88), (0, 0.0)], 0.07, darker(ink, 0.3))
        for x in (-0.44, 0.44):
            pen.box(x - 0.2, -0.66, x + 0.2, -0.4, lighter(ink, 0.45), rim=0)
        return
    cover = darker(ink, 0.12)
    pen.poly([(-1.1, -0.36), (0.9, -0.36), (0.9, 0.0), (-1.1, 0.0)], cover, rim=0.03)
    pen.box(-0.98, -0.29, 0.96, -0.08, (250, 246, 232), rim=0)
    for y in (-0.24, -0.185, -0.13):
        pen.line([(-0.98, y), (0.94, y)], 0.016, (206, 198, 178))
    pen.poly([(-0.8, -0.98), (1.08, -0.98), (0.92, -0.34), (-1.12, -0.34)], ink, rim=0.03)
    pen.poly([(-0.44, -0.84), (0.7, -0.84), (0.64, -0.66), (-0.52, -0.66)], lighter(ink, 0.55), rim=0)
    pen.poly([(-0.6, -0.54), (0.2, -0.54), (0.18, -0.47), (-0.63, -0.47)], lighter(ink, 0.4), rim=0)


def draw_clock(pen: Pen, look: Appearance) -> None:
    """A round clock with a colored frame; an alarm clock has bells and feet."""
    rng = Random(look.variant)
    ink = look.ink
    y, r = (-0.46, 0.4) if look.pose == "alarm" else (-0.5, 0.5)
    if look.pose == "alarm":
        for side in (-1, 1):
            pen.limb([(side * 0.26, -0.14), (side * 0.34, -0.02)], [0.08, 0.06], darker(ink, 0.4))
            pen.oval(side * 0.24, -0.88, 0.15, 0.1, lighter(ink, 0.1), tilt=side * 32)
        pen.line([(0, -0.86), (0, -0.98)], 0.05, darker(ink, 0.4))
    pen.oval(0, y, r, r, ink)
    pen.oval(0, y, r * 0.8, r * 0.8, (252, 250, 242), rim=0.008)
    for k in range(12):
        a = math.pi * k / 6
        inner = 0.62 if k % 3 else 0.56
        pen.line(
            [
                (r * inner * math.sin(a), y - r * inner * math.cos(a)),
                (r * 0.72 * math.sin(a), y - r * 0.72 * math.cos(a)),
            ],
            0.02 if k % 3 else 0.035,
            (60, 58, 62),
        )
    hours, minutes = rng.uniform(0, 12), rng.choice((0, 10, 20, 35, 50))
    for turn, length, width in ((hours / 12, 0.4, 0.05), (minutes / 60, 0.6, 0.035)):
        a = 2 * math.pi * turn
        pen.line([(0, y), (r * length * math.sin(a), y - r * length * math.cos(a))], width, (40, 38, 44))
    pen.oval(0, y, 0.035, 0.035, (190, 50, 46), rim=0)


def draw_umbrella(pen: Pen, look: Appearance) -> None:
    """An open umbrella with its stick in the ground."""
    ink = look.ink
    pen.line([(0.0, -0.9), (0.02, -0.02)], 0.034, (110, 84, 62))
    rim = [(0.62 * (k / 6 * 2 - 1), -0.5 + (0.045 if k % 2 else 0.0)) for k in range(7)]
    dome = curve(
        [(-0.62, -0.5), (-0.52, -0.72), (-0.28, -0.88), (0.0, -0.94), (0.28, -0.88), (0.52, -0.72), (0.62, -0.5)],
        closed=False,
    )
    low = curve([(x, y - 0.045 * (k % 2) * 2) for k, (x, y) in enumerate(reversed(rim))], closed=False)
    pen.poly(dome + low, ink)
    with pen.within(dome + low):
        for k in (1, 3, 5):
            a, b = rim[k - 1][0], rim[k][0]
            pen.poly(
                [
                    (0, -0.96),
                    *curve([(0, -0.94), (a * 0.7, -0.8), (a, -0.48)], closed=False),
                    (b, -0.44),
                    *curve([(b, -0.48), (b * 0.7, -0.8), (0, -0.94)], closed=False),
                ],
                lighter(ink, 0.42),
                rim=0,
            )
        pen.line(dome, 0.03, darker(ink, 0.25))
    pen.line([(0, -0.93), (0, -1.0)], 0.03, (90, 70, 54))


def draw_kite(pen: Pen, look: Appearance) -> None:
    """A diamond kite with a tail of bows."""
    ink = look.ink
    second = lighter(ink, 0.55)
    tail: list[Point] = [(-0.06, -0.42), (-0.2, -0.3), (-0.08, -0.18), (-0.26, -0.06), (-0.2, 0.0)]
    pen.line(tail, 0.022, darker(ink, 0.3), smooth=True)
    for x, y in tail[1:4]:
        pen.poly([(x - 0.07, y - 0.045), (x, y), (x - 0.07, y + 0.045)], ink, rim=0.006)
        pen.poly([(x + 0.07, y - 0.045), (x, y), (x + 0.07, y + 0.045)], second, rim=0.006)
    top, right, low, left, mid = (0.12, -1.0), (0.38, -0.66), (-0.06, -0.4), (-0.24, -0.8), (0.075, -0.735)
    pen.poly([top, right, mid], ink)
    pen.poly([top, left, mid], second)
    pen.poly([low, right, mid], second)
    pen.poly([low, left, mid], ink)
    pen.line([top, low], 0.016, darker(ink, 0.4))
    pen.line([left, right], 0.016, darker(ink, 0.4))


def draw_ball(pen: Pen, look: Appearance) -> None:
    """A beach ball in two tones."""
    ink, pale = look.ink, (250, 248, 242)
    if sum(ink) > 690:
        pale = (176, 182, 192)
    outline = ring(0, -0.5, 0.5, 0.5)
    pen.poly(outline, ink, rim=0.022)
    with pen.within(outline):
        for a in (20, 140, 260):
            one, two = math.radians(a), math.radians(a + 52)
            pen.poly(
                [
                    (-0.08, -0.62),
                    (0.7 * math.cos(one), -0.5 + 0.7 * math.sin(one)),
                    (0.7 * math.cos(two), -0.5 + 0.7 * math.sin(two)),
                ],
                pale,
                rim=0.01,
            )
        pen.oval(-0.08, -0.62, 0.1, 0.09, darker(ink, 0.2), rim=0)
    pen.oval(-0.2, -0.8, 0.1, 0.05, (255, 255, 255), tilt=-30, rim=0)


def draw_vase(pen: Pen, look: Appearance) -> None:
    """A curved vase with three flowers."""
    rng = Random(look.variant)
    petal: RGB = rng.choice(((250, 214, 80), (244, 150, 180), (250, 250, 246), (190, 130, 210)))
    for x, y in ((-0.17, -0.84), (0.02, -0.92), (0.2, -0.82)):
        pen.line([(0, -0.44), (x * 0.6, -0.64), (x, y)], 0.022, (76, 132, 66), smooth=True)
        pen.blob([(x * 0.5, -0.62), (x * 0.5 + 0.1, -0.7), (x * 0.5 + 0.02, -0.56)], (84, 146, 72), rim=0)
        for k in range(6):
            a = k * math.pi / 3
            pen.oval(x + 0.062 * math.cos(a), y + 0.062 * math.sin(a), 0.045, 0.045, petal, rim=0.005)
        pen.oval(x, y, 0.036, 0.036, (226, 150, 50), rim=0)
    ink = look.ink
    half = curve([(0.1, -0.54), (0.075, -0.46), (0.18, -0.3), (0.19, -0.16), (0.11, 0.0)], closed=False)
    shape = half + [(-x, y) for x, y in reversed(half)]
    pen.poly(shape, ink)
    with pen.within(shape):
        pen.box(0.09, -0.6, 0.3, 0.1, darker(ink, 0.18), rim=0)
        pen.oval(-0.1, -0.26, 0.03, 0.1, lighter(ink, 0.5), rim=0)
        pen.box(-0.3, -0.235, 0.3, -0.2, lighter(ink, 0.35), rim=0)
    pen.oval(0, -0.54, 0.1, 0.028, darker(ink, 0.4))


def draw_backpack(pen: Pen, look: Appearance) -> None:
    """A backpack with a front pocket and a handle."""
    ink, dark, pale = look.ink, darker(look.ink, 0.28), lighter(look.ink, 0.18)
    pen.loop(0, -0.92, 0.1, 0.08, 0.045, dark)
    for side in (-1, 1):
        pen.box(side * 0.4 - 0.09, -0.42, side * 0.4 + 0.09, -0.06, dark, r=0.06)
    pen.blob(path("-0.34,-0.02 -0.4,-0.4 -0.34,-0.76 -0.16,-0.93 0.16,-0.93 0.34,-0.76 0.4,-0.4 0.34,-0.02"), ink)
    pen.line([(-0.36, -0.62), (-0.2, -0.53), (0.2, -0.53), (0.36, -0.62)], 0.03, dark, smooth=True)
    pen.box(-0.27, -0.42, 0.27, -0.06, pale, r=0.08)
    pen.line([(-0.23, -0.31), (0.23, -0.31)], 0.028, dark)
    pen.box(-0.03, -0.34, 0.03, -0.24, (226, 206, 140), r=0.01, rim=0)
    pen.box(-0.045, -0.58, 0.045, -0.48, (226, 206, 140), r=0.01, rim=0)
