"""Drawings of food, on a table seen slightly from above."""

from __future__ import annotations

import math
from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, curve, darker, lighter, mixed, path, ring

PLATE: RGB = (244, 244, 240)


def _plate(pen: Pen, x: float, y: float, rx: float, ry: float) -> None:
    pen.oval(x, y, rx, ry, PLATE)
    pen.oval(x, y - ry * 0.06, rx * 0.8, ry * 0.76, darker(PLATE, 0.08), rim=0)


def draw_apple(pen: Pen, look: Appearance) -> None:
    """An apple with a stalk and a leaf."""
    ink = look.ink
    body: list[Point] = path(
        "0.0,-0.76 0.26,-0.86 0.47,-0.68 0.46,-0.36 0.3,-0.06 0.1,-0.02 "
        "0.0,-0.05 -0.1,-0.02 -0.3,-0.06 -0.46,-0.36 -0.47,-0.68 -0.26,-0.86"
    )
    pen.blob(body, ink, rim=0.022)
    with pen.within(curve(body, closed=True)):
        pen.blob([(0.3, -0.9), (0.6, -0.6), (0.5, -0.1), (0.2, 0.0), (0.38, -0.4)], darker(ink, 0.18), rim=0)
        pen.oval(0.02, -0.78, 0.16, 0.05, darker(ink, 0.45), rim=0)
    pen.oval(-0.24, -0.62, 0.07, 0.13, lighter(ink, 0.6), tilt=20, rim=0)
    pen.line([(0.0, -0.76), (0.03, -0.9), (0.1, -0.99)], 0.055, (96, 66, 40), smooth=True)
    pen.blob([(0.06, -0.86), (0.22, -0.99), (0.42, -0.98), (0.3, -0.84)], (96, 160, 70), rim=0.016)


def draw_orange(pen: Pen, look: Appearance) -> None:
    """An orange with pores and a green stalk end."""
    rng = Random(look.variant)
    ink: RGB = (244, 144, 30)
    pen.oval(0, -0.48, 0.48, 0.48, ink, rim=0.022)
    outline = ring(0, -0.48, 0.48, 0.48)
    with pen.within(outline):
        pen.blob([(0.2, -1.0), (0.6, -0.7), (0.6, 0.0), (0.0, 0.06), (0.34, -0.3)], darker(ink, 0.13), rim=0)
        for _ in range(26):
            pen.oval(rng.uniform(-0.4, 0.4), rng.uniform(-0.86, -0.1), 0.014, 0.014, darker(ink, 0.2), rim=0)
    pen.oval(-0.18, -0.68, 0.1, 0.07, lighter(ink, 0.5), tilt=-30, rim=0)
    for k in range(5):
        a = k * 2 * math.pi / 5
        pen.poly(
            [
                (0.02, -0.88),
                (0.02 + 0.11 * math.cos(a), -0.88 + 0.05 * math.sin(a)),
                (0.02 + 0.11 * math.cos(a + 0.6), -0.88 + 0.05 * math.sin(a + 0.6)),
            ],
            (74, 130, 60),
            rim=0,
        )
    pen.oval(0.02, -0.885, 0.04, 0.028, (96, 84, 40), rim=0)


def draw_banana(pen: Pen, look: Appearance) -> None:
    """A bunch of two bananas, drawn as one fruit: one unit high, two wide."""
    ink: RGB = (250, 214, 66)
    outer = curve(
        [(-0.92, -0.86), (-0.8, -0.4), (-0.4, -0.08), (0.1, -0.02), (0.62, -0.2), (0.96, -0.62)], closed=False
    )
    inner = curve(
        [(0.88, -0.66), (0.5, -0.44), (0.08, -0.36), (-0.36, -0.44), (-0.66, -0.68), (-0.76, -0.92)], closed=False
    )
    pen.poly(outer + inner, ink, rim=0.025)
    pen.line(
        [(-0.8, -0.72), (-0.6, -0.38), (-0.3, -0.22), (0.1, -0.18), (0.55, -0.3), (0.9, -0.6)],
        0.03,
        darker(ink, 0.2),
        smooth=True,
    )
    pen.line([(-0.84, -0.88), (-0.88, -1.0)], 0.13, (120, 100, 40))
    pen.poly([(0.86, -0.68), (0.98, -0.64), (1.0, -0.72), (0.92, -0.75)], (92, 72, 40), rim=0)
    pen.line([(-0.5, -0.5), (-0.2, -0.38), (0.2, -0.32)], 0.035, lighter(ink, 0.6), smooth=True)


def draw_pizza(pen: Pen, look: Appearance) -> None:
    """A whole pizza on a plate with salami and basil; one unit high, two and a half wide."""
    rng = Random(look.variant)
    _plate(pen, 0, -0.48, 1.25, 0.48)
    crust: RGB = (214, 152, 84)
    pen.oval(0, -0.54, 1.06, 0.4, crust, rim=0.03)
    pen.oval(0, -0.56, 0.92, 0.32, (206, 70, 40), rim=0)
    pen.oval(0, -0.57, 0.87, 0.29, (250, 208, 104), rim=0)
    slots = ((-0.6, -0.55), (-0.22, -0.7), (0.24, -0.71), (0.62, -0.56), (0.3, -0.46), (-0.22, -0.44), (0.03, -0.58))
    for x, y in slots:
        x, y = x + rng.uniform(-0.04, 0.04), y + rng.uniform(-0.015, 0.015)
        pen.oval(x, y, 0.15, 0.065, (196, 56, 46), rim=0.012)
        pen.oval(x - 0.03, y - 0.015, 0.06, 0.02, (226, 104, 84), rim=0)
    for _ in range(7):
        x, y = rng.uniform(-0.65, 0.65), rng.uniform(-0.68, -0.46)
        pen.oval(x, y, 0.07, 0.03, (66, 134, 58), tilt=rng.uniform(-40, 40), rim=0)
    for angle in (20, 80, 140):
        dx, dy = 0.9 * math.cos(math.radians(angle)), 0.31 * math.sin(math.radians(angle))
        pen.line([(-dx, -0.56 - dy), (dx, -0.56 + dy)], 0.016, (206, 150, 70))


def draw_donut(pen: Pen, look: Appearance) -> None:
    """An iced ring with sprinkles; one unit high, a little less than two wide."""
    rng = Random(look.variant)
    dough: RGB = (212, 154, 92)
    icing = rng.choice(((240, 136, 176), (110, 66, 44), (248, 240, 230), (150, 206, 220)))
    pen.oval(0, -0.44, 0.86, 0.44, dough, rim=0.03)
    pen.oval(0, -0.56, 0.84, 0.38, lighter(dough, 0.1), rim=0)
    wave = [
        (0.8 * math.cos(a) * (1 + 0.05 * math.sin(7 * a)), -0.58 + 0.36 * math.sin(a) * (1 + 0.07 * math.sin(7 * a)))
        for a in (2 * math.pi * k / 56 for k in range(56))
    ]
    pen.poly(wave, icing, rim=0.02)
    for _ in range(26):
        a, r = rng.uniform(0, 2 * math.pi), rng.uniform(0.5, 0.86)
        x, y = 0.8 * r * math.cos(a), -0.58 + 0.36 * r * math.sin(a)
        turn = rng.uniform(0, math.pi)
        pen.line(
            [(x, y), (x + 0.07 * math.cos(turn), y + 0.05 * math.sin(turn))],
            0.03,
            rng.choice(((250, 220, 70), (80, 170, 220), (250, 250, 250), (120, 190, 90), (230, 70, 70))),
        )
    pen.oval(0, -0.56, 0.26, 0.11, darker(dough, 0.55), rim=0.02)
    pen.oval(0, -0.53, 0.22, 0.07, darker(dough, 0.7), rim=0)


def draw_cake(pen: Pen, look: Appearance) -> None:
    """A round layer cake with dripping icing and candles on a stand."""
    rng = Random(look.variant)
    sponge, icing = rng.choice(
        (
            ((226, 180, 120), (246, 170, 190)),
            ((120, 74, 50), (250, 244, 232)),
            ((232, 196, 140), (110, 64, 42)),
            ((240, 214, 160), (160, 214, 208)),
        )
    )
    pen.oval(0, -0.08, 0.72, 0.1, PLATE)
    pen.poly(
        [
            (-0.54, -0.56),
            (0.54, -0.56),
            (0.54, -0.14),
            *curve([(0.54, -0.14), (0.0, -0.02), (-0.54, -0.14)], closed=False),
        ],
        sponge,
    )
    pen.line(
        [(-0.54, -0.34), (-0.3, -0.265), (0.0, -0.24), (0.3, -0.265), (0.54, -0.34)],
        0.06,
        mixed(icing, sponge, 0.2),
        smooth=True,
    )
    drips: list[Point] = [(-0.56, -0.6)]
    for k in range(8):
        x = -0.54 + k * 0.154
        deep = 0.1 + 0.1 * (k % 2) + rng.uniform(0, 0.05)
        drips += [(x, -0.56 + 0.09 * math.sqrt(max(0.0, 1 - (x / 0.56) ** 2)) + deep)]
    drips += [(0.56, -0.6)]
    pen.poly(curve(drips, closed=False), icing, rim=0.01)
    pen.oval(0, -0.6, 0.56, 0.12, lighter(icing, 0.25))
    candles = rng.randint(3, 5)
    for k in range(candles):
        x = -0.32 + 0.64 * k / (candles - 1)
        y = -0.6 + 0.05 * math.cos(x * 5)
        pen.limb(
            [(x, y), (x, y - 0.2)],
            [0.05, 0.05],
            rng.choice(((90, 160, 220), (250, 200, 70), (236, 96, 110))),
            rim=0.006,
        )
        pen.blob([(x, y - 0.37), (x + 0.035, y - 0.26), (x, y - 0.22), (x - 0.035, y - 0.26)], (255, 200, 60), rim=0)
    for k in range(6):
        a = math.pi * (0.1 + 0.16 * k)
        pen.oval(0.46 * math.cos(a), -0.585 + 0.085 * math.sin(a), 0.045, 0.038, (206, 40, 56), rim=0.006)
