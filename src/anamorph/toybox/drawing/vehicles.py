"""Drawings of vehicles, from the side, facing right."""

from __future__ import annotations

import math
from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, curve, darker, lighter, mixed, path

GLASS: RGB = (150, 190, 210)
TYRE: RGB = (40, 40, 46)


def _wheel(pen: Pen, x: float, r: float) -> None:
    pen.oval(x, -r, r, r, TYRE)
    pen.oval(x, -r, r * 0.6, r * 0.6, (186, 190, 196), rim=0)
    pen.oval(x, -r, r * 0.22, r * 0.22, (96, 98, 104), rim=0)
    for k in range(5):
        angle = 2 * math.pi * k / 5 + 0.3
        pen.line([(x, -r), (x + r * 0.55 * math.cos(angle), -r + r * 0.55 * math.sin(angle))], r * 0.1, (120, 124, 130))


def _pane(pen: Pen, points: list[Point]) -> None:
    pen.poly(points, GLASS)
    with pen.within(points):
        left, top = min(p[0] for p in points), min(p[1] for p in points)
        width = max(p[0] for p in points) - left
        pen.poly(
            [
                (left + width * 0.2, top - 0.1),
                (left + width * 0.45, top - 0.1),
                (left + width * 0.1, top + 0.6),
                (left - width * 0.2, top + 0.6),
            ],
            lighter(GLASS, 0.5),
            rim=0,
        )


def draw_car(pen: Pen, look: Appearance) -> None:
    """A car with two side windows; one unit high, two and a half long."""
    rng = Random(look.variant)
    ink, dark = look.ink, darker(look.ink, 0.35)
    hatch = rng.random() < 0.4
    tail = -0.98 if hatch else -0.72
    pen.limb([(-1.1, -0.24), (1.12, -0.24)], [0.12, 0.12], (60, 60, 66))
    pen.blob(
        path(
            "-1.2,-0.3 -1.18,-0.56 -0.9,-0.66 -0.4,-0.66 0.5,-0.66 0.95,-0.6 1.2,-0.48 1.22,-0.26 0.9,-0.18 -0.9,-0.18"
        ),
        ink,
    )
    pen.poly(
        curve(
            [
                (-1.0 if hatch else -0.86, -0.6),
                (tail + 0.06, -0.9),
                (-0.48, -1.0),
                (0.1, -1.0),
                (0.34, -0.9),
                (0.66, -0.6),
            ],
            closed=False,
        ),
        ink,
    )
    pen.box(-0.98, -0.66, 0.62, -0.54, ink, rim=0)
    _pane(
        pen,
        [
            (-0.74 if not hatch else -0.86, -0.64),
            (-0.6 if not hatch else -0.8, -0.88),
            (-0.46, -0.93),
            (-0.16, -0.93),
            (-0.16, -0.64),
        ],
    )
    _pane(pen, [(-0.08, -0.64), (-0.08, -0.93), (0.1, -0.93), (0.26, -0.86), (0.5, -0.64)])
    pen.line([(-0.12, -0.64), (-0.12, -0.24)], 0.02, dark)
    pen.line([(-1.16, -0.42), (1.18, -0.42)], 0.022, mixed(ink, dark, 0.6))
    pen.line([(-0.34, -0.53), (-0.22, -0.53)], 0.03, dark)
    pen.line([(0.3, -0.53), (0.42, -0.53)], 0.03, dark)
    pen.oval(1.12, -0.44, 0.07, 0.06, (255, 240, 180), rim=0.01)
    pen.box(-1.2, -0.54, -1.13, -0.42, (200, 40, 40), r=0.02, rim=0)
    for x in (-0.68, 0.72):
        pen.oval(x, -0.22, 0.28, 0.27, dark, rim=0)
        _wheel(pen, x, 0.22)


def draw_bus(pen: Pen, look: Appearance) -> None:
    """A city bus: a long box with a row of windows; one unit high, two and a quarter long."""
    ink, dark = look.ink, darker(look.ink, 0.35)
    pen.box(-1.1, -1.0, 1.1, -0.12, ink, r=0.09)
    pen.box(-1.08, -0.3, 1.1, -0.12, darker(ink, 0.2), r=0.04, rim=0)
    pen.box(-1.06, -0.985, 1.06, -0.93, lighter(ink, 0.35), r=0.03, rim=0)
    for k in range(5):
        left = -1.0 + k * 0.335
        _pane(pen, [(left, -0.84), (left + 0.285, -0.84), (left + 0.285, -0.5), (left, -0.5)])
    pen.box(0.7, -0.86, 0.9, -0.16, (90, 104, 116), r=0.02)
    for left in (0.715, 0.81):
        _pane(pen, [(left, -0.83), (left + 0.075, -0.83), (left + 0.075, -0.22), (left, -0.22)])
    _pane(pen, [(0.95, -0.86), (1.09, -0.86), (1.1, -0.44), (0.95, -0.44)])
    pen.line([(-1.08, -0.4), (0.68, -0.4)], 0.035, lighter(ink, 0.6))
    pen.oval(1.06, -0.24, 0.045, 0.045, (255, 240, 180), rim=0.008)
    for x in (-0.66, 0.46):
        pen.oval(x, -0.14, 0.19, 0.18, dark, rim=0)
        _wheel(pen, x, 0.145)


def draw_truck(pen: Pen, look: Appearance) -> None:
    """A truck: a pale cargo box behind a colored cab; one unit high, two long."""
    ink, dark = look.ink, darker(look.ink, 0.35)
    cargo = (228, 226, 218)
    pen.box(-1.0, -0.26, 0.95, -0.15, (64, 64, 70))
    pen.box(-1.02, -1.0, 0.38, -0.24, cargo, r=0.02)
    for k in range(1, 7):
        pen.line([(-1.02 + k * 0.2, -0.97), (-1.02 + k * 0.2, -0.27)], 0.014, darker(cargo, 0.14))
    pen.box(-1.0, -0.68, 0.36, -0.54, ink, rim=0)
    pen.blob(path("0.44,-0.82 0.7,-0.83 0.84,-0.76 0.96,-0.5 1.02,-0.44 1.02,-0.2 0.7,-0.16 0.44,-0.18"), ink)
    _pane(pen, [(0.62, -0.74), (0.76, -0.74), (0.88, -0.5), (0.62, -0.5)])
    pen.line([(0.6, -0.78), (0.6, -0.24)], 0.016, dark)
    pen.line([(0.66, -0.42), (0.74, -0.42)], 0.025, dark)
    pen.oval(0.985, -0.34, 0.035, 0.045, (255, 240, 180), rim=0.008)
    for x in (-0.74, -0.4, 0.72):
        pen.oval(x, -0.17, 0.19, 0.18, dark if x > 0 else (64, 64, 70), rim=0)
        _wheel(pen, x, 0.15)


def draw_bicycle(pen: Pen, look: Appearance) -> None:
    """A bicycle; one unit high, one and three quarters long."""
    ink = look.ink
    r = 0.36
    back, front, crank, seat, head = (-0.5, -r), (0.5, -r), (-0.06, -0.34), (-0.2, -0.82), (0.34, -0.86)
    for x, y in (back, front):
        pen.loop(x, y, r - 0.03, r - 0.03, 0.065, TYRE)
        pen.loop(x, y, r - 0.075, r - 0.075, 0.025, (190, 192, 196))
        for k in range(5):
            dx, dy = (r - 0.08) * math.cos(k * math.pi / 5), (r - 0.08) * math.sin(k * math.pi / 5)
            pen.line([(x - dx, y - dy), (x + dx, y + dy)], 0.01, (176, 178, 184))
    for start, end in (
        (back, crank),
        (back, (-0.17, -0.72)),
        (crank, (-0.2, -0.8)),
        (crank, (0.36, -0.72)),
        ((-0.17, -0.72), (0.35, -0.78)),
    ):
        pen.line([start, end], 0.075, darker(ink, 0.3))
        pen.line([start, end], 0.05, ink)
    pen.line([front, (0.36, -0.74), head], 0.06, ink)
    pen.line([(0.33, -0.86), (0.36, -0.98), (0.52, -0.97), (0.54, -0.9)], 0.05, (60, 60, 66), smooth=True)
    pen.limb([(-0.34, -0.87), (-0.08, -0.84)], [0.09, 0.05], (54, 44, 42))
    pen.line([(-0.2, -0.84), seat], 0.05, (150, 152, 158))
    pen.oval(crank[0], crank[1], 0.085, 0.085, (110, 112, 118))
    pen.line([(crank[0] - 0.09, crank[1] - 0.11), (crank[0] + 0.09, crank[1] + 0.11)], 0.03, (70, 70, 76))
    pen.line([(crank[0] + 0.03, crank[1] + 0.12), (crank[0] + 0.16, crank[1] + 0.12)], 0.045, (40, 40, 44))


def draw_boat(pen: Pen, look: Appearance) -> None:
    """A sailboat with a colored hull; one unit high."""
    rng = Random(look.variant)
    ink = look.ink
    pen.line([(0.0, -0.2), (0.0, -0.99)], 0.03, (116, 84, 56))
    sail = rng.choice(((250, 247, 238), (246, 236, 214)))
    pen.poly(curve([(0.03, -0.98), (0.3, -0.62), (0.44, -0.28), (0.03, -0.27)], closed=False), sail)
    pen.poly(curve([(-0.03, -0.9), (-0.2, -0.6), (-0.34, -0.3), (-0.03, -0.27)], closed=False), darker(sail, 0.08))
    for y in (-0.75, -0.52):
        pen.line([(0.03, y), (0.03 + (0.98 + y) * 0.72, y + 0.03)], 0.01, darker(sail, 0.2))
    pen.poly([(0.0, -0.99), (0.0, -0.92), (0.13, -0.955)], ink, rim=0.006)
    hull = curve([(-0.56, -0.22), (-0.2, -0.2), (0.3, -0.21), (0.64, -0.26)], closed=False)
    hull += curve([(0.5, -0.06), (0.36, 0.02), (-0.36, 0.02), (-0.5, -0.06)], closed=False)
    pen.poly(hull, ink)
    with pen.within(hull):
        pen.line([(-0.6, -0.17), (0.7, -0.2)], 0.04, lighter(ink, 0.65))
        pen.box(-0.7, -0.035, 0.7, 0.1, darker(ink, 0.4), rim=0)


def draw_airplane(pen: Pen, look: Appearance) -> None:
    """An airliner in flight; one unit high, about two and a half long."""
    rng = Random(look.variant)
    ink, trim = (236, 239, 243), rng.choice(((44, 90, 170), (200, 56, 52), (40, 130, 110), (240, 150, 40)))
    pen.poly([(-0.1, -0.52), (-0.52, -0.94), (-0.36, -0.95), (0.26, -0.54)], darker(ink, 0.22))
    pen.poly([(-1.1, -0.52), (-1.26, -0.96), (-1.06, -0.97), (-0.72, -0.58)], trim)
    body: list[Point] = path(
        "-1.24,-0.54 -0.8,-0.62 0.6,-0.64 1.0,-0.58 1.2,-0.46 1.08,-0.36 0.6,-0.32 -0.6,-0.34 -1.1,-0.46"
    )
    pen.blob(body, ink)
    with pen.within(curve(body, closed=True)):
        pen.box(-1.4, -0.42, 1.4, -0.385, trim, rim=0)
        pen.box(-1.4, -0.36, 1.4, -0.2, darker(ink, 0.15), rim=0)
    for k in range(13):
        pen.box(-0.74 + k * 0.115, -0.555, -0.685 + k * 0.115, -0.48, (84, 108, 134), r=0.02, rim=0)
    pen.poly([(0.92, -0.58), (1.04, -0.56), (1.12, -0.49), (0.94, -0.49)], (66, 88, 112), rim=0)
    pen.oval(0.06, -0.22, 0.17, 0.075, darker(ink, 0.28))
    pen.poly([(0.3, -0.42), (-0.1, -0.4), (-0.7, 0.0), (-0.5, 0.0), (0.36, -0.36)], darker(ink, 0.08))
    pen.poly([(-0.86, -0.5), (-1.3, -0.38), (-1.16, -0.36), (-0.7, -0.46)], darker(ink, 0.12))
