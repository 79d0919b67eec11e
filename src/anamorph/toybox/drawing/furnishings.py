"""Drawings of furniture and other things in rooms."""

from __future__ import annotations

import math
from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, curve, darker, lighter, mixed

WOODS: tuple[RGB, ...] = ((150, 100, 60), (122, 80, 50), (178, 130, 84))


def draw_chair(pen: Pen, look: Appearance) -> None:
    """A chair seen from the front at an angle, with a slatted back."""
    ink, dark = look.ink, darker(look.ink, 0.3)
    for x in (-0.2, 0.3):
        pen.limb([(x, -0.46), (x, -0.06)], [0.06, 0.045], darker(dark, 0.2))
    for x in (-0.3, 0.2):
        pen.limb([(x, -0.98), (x, -0.44)], [0.06, 0.06], ink)
    pen.box(-0.32, -1.0, 0.22, -0.86, ink, r=0.05)
    for x in (-0.17, -0.05, 0.07):
        pen.limb([(x, -0.86), (x, -0.5)], [0.045, 0.045], dark)
    pen.poly([(-0.36, -0.46), (-0.24, -0.55), (0.32, -0.55), (0.3, -0.46)], lighter(ink, 0.2))
    pen.box(-0.36, -0.47, 0.3, -0.4, ink, r=0.02)
    for x in (-0.32, 0.26):
        pen.limb([(x, -0.42), (x, -0.03)], [0.065, 0.05], dark)


def draw_couch(pen: Pen, look: Appearance) -> None:
    """A two-seat couch with arms and cushions; one unit high, two long."""
    rng = Random(look.variant)
    ink, dark, pale = look.ink, darker(look.ink, 0.22), lighter(look.ink, 0.16)
    for x in (-0.86, 0.86):
        pen.box(x - 0.05, -0.12, x + 0.05, 0, (92, 66, 46))
    pen.box(-0.92, -1.0, 0.92, -0.3, dark, r=0.14)
    for left in (-0.8, 0.01):
        pen.box(left, -0.94, left + 0.79, -0.44, ink, r=0.1)
    pen.box(-0.86, -0.34, 0.86, -0.1, dark, r=0.05)
    for left in (-0.79, 0.005):
        pen.box(left, -0.52, left + 0.785, -0.28, pale, r=0.08)
    for left, right in ((-1.02, -0.76), (0.76, 1.02)):
        pen.box(left, -0.7, right, -0.08, ink, r=0.11)
    cushion = rng.choice(((240, 214, 150), (230, 232, 236), (110, 160, 170), (222, 130, 100)))
    x = rng.choice((-0.48, 0.48))
    pen.blob([(x - 0.2, -0.84), (x + 0.16, -0.88), (x + 0.2, -0.5), (x - 0.17, -0.47)], cushion)


def draw_bed(pen: Pen, look: Appearance) -> None:
    """A bed from the side with a headboard, a pillow and a colored blanket; one unit high, two and a half long."""
    rng = Random(look.variant)
    ink = look.ink
    wood = rng.choice(WOODS)
    for x in (-1.16, 1.14):
        pen.box(x - 0.06, -0.3, x + 0.06, 0, darker(wood, 0.2))
    pen.box(-1.26, -1.0, -1.1, -0.06, wood, r=0.05)
    pen.box(1.12, -0.62, 1.24, -0.06, wood, r=0.05)
    pen.box(-1.14, -0.3, 1.16, -0.14, darker(wood, 0.1))
    pen.box(-1.12, -0.52, 1.14, -0.26, (242, 240, 234), r=0.06)
    pen.blob([(-1.06, -0.52), (-1.0, -0.74), (-0.66, -0.76), (-0.52, -0.6), (-0.56, -0.5)], (250, 249, 246))
    blanket = curve([(-0.5, -0.6), (0.0, -0.66), (0.7, -0.64), (1.14, -0.58)], closed=False)
    blanket += [(1.16, -0.2), *curve([(0.7, -0.15), (0.3, -0.19), (-0.1, -0.14), (-0.5, -0.18)], closed=False)]
    pen.poly(blanket, ink)
    pen.poly([(-0.52, -0.6), (-0.32, -0.63), (-0.32, -0.17), (-0.52, -0.19)], lighter(ink, 0.5))
    with pen.within(blanket):
        for x in (0.0, 0.36, 0.72):
            pen.line([(x, -0.64), (x + 0.05, -0.4), (x - 0.03, -0.14)], 0.025, darker(ink, 0.16), smooth=True)


def draw_dining_table(pen: Pen, look: Appearance) -> None:
    """A wooden table seen slightly from above; one unit high, two wide."""
    wood = WOODS[Random(look.variant).randrange(len(WOODS))]
    for x in (-0.72, 0.72):
        pen.limb([(x, -0.7), (x * 0.98, -0.14)], [0.08, 0.06], darker(wood, 0.42))
    top: list[Point] = [(-0.78, -1.0), (0.78, -1.0), (1.02, -0.68), (-1.02, -0.68)]
    pen.poly(top, lighter(wood, 0.14))
    with pen.within(top):
        for k in range(5):
            pen.line([(-0.5 + k * 0.25, -1.0), (-0.66 + k * 0.33, -0.68)], 0.012, mixed(wood, lighter(wood, 0.14), 0.4))
    pen.box(-1.02, -0.69, 1.02, -0.6, wood, r=0.015)
    pen.box(-0.9, -0.6, 0.9, -0.5, darker(wood, 0.2))
    for x in (-0.88, 0.88):
        pen.limb([(x, -0.56), (x * 0.98, -0.04)], [0.1, 0.075], darker(wood, 0.12))


def draw_potted_plant(pen: Pen, look: Appearance) -> None:
    """Broad leaves over a colored pot."""
    rng = Random(look.variant)
    greens: tuple[RGB, ...] = ((58, 128, 62), (78, 150, 70), (44, 106, 58))
    leaves = 11
    for k in range(leaves):
        side = (k / (leaves - 1) - 0.5) * 2
        order = rng.uniform(0.8, 1.05)
        tip = (side * 0.42 * order, -0.98 + abs(side) ** 2 * 0.38 * order + rng.uniform(0, 0.06))
        root = (side * 0.06, -0.36)
        bend = ((tip[0] + root[0]) / 2 + side * 0.08, (tip[1] + root[1]) / 2 - 0.05)
        dx, dy = tip[0] - root[0], tip[1] - root[1]
        n = math.hypot(dx, dy)
        px, py = -dy / n * 0.075, dx / n * 0.075
        tone = greens[k % 3]
        pen.poly(
            curve([root, (bend[0] + px, bend[1] + py), tip], closed=False)
            + curve([tip, (bend[0] - px, bend[1] - py), root], closed=False),
            tone,
        )
        pen.line([root, bend, tip], 0.012, lighter(tone, 0.3), smooth=True)
    pot = look.ink
    pen.poly([(-0.22, -0.34), (0.22, -0.34), (0.16, 0), (-0.16, 0)], pot)
    pen.box(-0.25, -0.4, 0.25, -0.3, lighter(pot, 0.12), r=0.02)


def draw_bench(pen: Pen, look: Appearance) -> None:
    """A park bench of slats on iron legs; one unit high, two and a quarter wide."""
    ink, iron = look.ink, (62, 64, 70)
    for x in (-0.84, 0.84):
        pen.limb([(x, -0.96), (x, -0.02)], [0.06, 0.06], iron)
    for y in (-0.98, -0.82, -0.66):
        pen.box(-1.1, y, 1.1, y + 0.12, ink, r=0.02)
    pen.poly([(-1.06, -0.5), (1.06, -0.5), (1.14, -0.4), (-1.14, -0.4)], lighter(ink, 0.18))
    pen.line([(-1.1, -0.45), (1.1, -0.45)], 0.016, darker(ink, 0.2))
    pen.box(-1.14, -0.41, 1.14, -0.32, ink, r=0.02)
    for x in (-0.94, 0.94):
        pen.limb([(x, -0.34), (x, -0.03)], [0.075, 0.075], iron)


def draw_tv(pen: Pen, look: Appearance) -> None:
    """A flat screen that shows an image, on a foot; one unit high, one and a half wide."""
    rng = Random(look.variant)
    frame = (34, 34, 40)
    pen.box(-0.3, -0.05, 0.3, 0, frame, r=0.02)
    pen.box(-0.06, -0.16, 0.06, -0.03, darker(frame, 0.2))
    pen.box(-0.78, -1.0, 0.78, -0.12, frame, r=0.03)
    screen: list[Point] = [(-0.72, -0.94), (0.72, -0.94), (0.72, -0.19), (-0.72, -0.19)]
    high, low = rng.choice(
        (((120, 180, 226), (70, 130, 90)), ((250, 190, 120), (120, 70, 110)), ((60, 80, 150), (30, 36, 80)))
    )
    pen.poly(screen, high, rim=0)
    with pen.within(screen):
        pen.blob(
            [(-0.9, -0.4), (-0.4, -0.56), (0.1, -0.42), (0.5, -0.6), (0.9, -0.44), (0.9, 0.0), (-0.9, 0.0)], low, rim=0
        )
        pen.oval(rng.uniform(-0.4, 0.4), -0.74, 0.09, 0.09, (255, 244, 200), rim=0)
        pen.poly([(-0.72, -0.94), (-0.3, -0.94), (-0.62, -0.19), (-0.72, -0.19)], lighter(high, 0.35), rim=0)


def draw_laptop(pen: Pen, look: Appearance) -> None:
    """An open laptop seen from the front, slightly from above; one unit high."""
    rng = Random(look.variant)
    metal = rng.choice(((186, 190, 196), (92, 94, 102)))
    pen.box(-0.6, -1.0, 0.6, -0.22, (40, 42, 48), r=0.04)
    page = rng.choice(((238, 242, 248), (36, 52, 84), (60, 140, 170)))
    screen: list[Point] = [(-0.54, -0.94), (0.54, -0.94), (0.54, -0.29), (-0.54, -0.29)]
    pen.poly(screen, page, rim=0)
    tone = darker(page, 0.3) if sum(page) > 400 else lighter(page, 0.5)
    pen.box(-0.54, -0.94, 0.54, -0.86, mixed(page, (90, 140, 220), 0.6), rim=0)
    for k in range(4):
        pen.line([(-0.44, -0.76 + k * 0.11), (-0.44 + rng.uniform(0.3, 0.8), -0.76 + k * 0.11)], 0.03, tone)
    pen.poly([(-0.6, -0.22), (0.6, -0.22), (0.78, -0.03), (-0.78, -0.03)], metal)
    pen.poly([(-0.52, -0.2), (0.52, -0.2), (0.6, -0.11), (-0.6, -0.11)], darker(metal, 0.5), rim=0)
    for k in range(1, 9):
        pen.line([(-0.52 + k * 0.116, -0.2), (-0.6 + k * 0.133, -0.11)], 0.014, metal)
    pen.line([(-0.56, -0.155), (0.56, -0.155)], 0.014, metal)
    pen.poly([(-0.15, -0.09), (0.15, -0.09), (0.17, -0.045), (-0.17, -0.045)], darker(metal, 0.18), rim=0)
    pen.box(-0.78, -0.035, 0.78, 0.0, darker(metal, 0.2), r=0.015)
