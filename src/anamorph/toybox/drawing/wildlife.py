"""Drawings of elephants, zebras and giraffes, from the side, facing right."""

from __future__ import annotations

from random import Random

from anamorph.toybox.drawing.animals import EYE, eye, four_legs
from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import Pen, Point, curve, darker, lighter, path


def draw_elephant(pen: Pen, look: Appearance) -> None:
    """An elephant with a large ear, tusks and a trunk."""
    rng = Random(look.variant)
    ink = ((142, 140, 148), (128, 126, 138), (156, 148, 146))[rng.randrange(3)]
    pen.line([(-0.6, -0.66), (-0.68, -0.5), (-0.66, -0.32)], 0.03, darker(ink, 0.2), smooth=True)
    pen.oval(-0.66, -0.3, 0.025, 0.05, darker(ink, 0.6), rim=0)
    four_legs(pen, ink, (-0.42, 0.2), -0.38, (0.23, 0.19), None, sway=0.01)
    for x in (-0.42, 0.2):
        for k in (-0.06, 0, 0.06):
            pen.oval(x + k, -0.02, 0.026, 0.022, lighter(ink, 0.5), rim=0)
    pen.blob(path("-0.62,-0.58 -0.52,-0.86 -0.1,-0.95 0.26,-0.9 0.4,-0.66 0.3,-0.34 -0.1,-0.28 -0.54,-0.32"), ink)
    trunk: list[Point] = [(0.62, -0.66), (0.74, -0.44), (0.74, -0.22), (0.86, -0.14)]
    if rng.random() < 0.4:
        trunk = [(0.62, -0.66), (0.8, -0.54), (0.9, -0.7), (0.88, -0.88)]
    pen.limb(curve(trunk, closed=False), [0.2 - 0.0062 * i for i in range(19)], ink)
    pen.blob(
        [(0.3, -0.86), (0.46, -0.99), (0.64, -0.94), (0.74, -0.76), (0.7, -0.56), (0.5, -0.48), (0.32, -0.56)], ink
    )
    pen.blob([(0.58, -0.54), (0.66, -0.52), (0.76, -0.4), (0.86, -0.38), (0.76, -0.34), (0.64, -0.42)], (248, 244, 228))
    pen.blob(
        [(0.36, -0.9), (0.18, -0.96), (0.06, -0.8), (0.08, -0.56), (0.22, -0.44), (0.34, -0.54), (0.42, -0.7)],
        darker(ink, 0.12),
    )
    pen.blob(
        [(0.32, -0.84), (0.2, -0.88), (0.13, -0.76), (0.15, -0.6), (0.23, -0.53), (0.31, -0.6)], (186, 156, 160), rim=0
    )
    eye(pen, 0.56, -0.79, 0.022)


def draw_zebra(pen: Pen, look: Appearance) -> None:
    """A zebra: a stocky horse in black and white stripes."""
    ink, stripe = (246, 243, 236), (38, 36, 42)
    pen.line([(-0.5, -0.6), (-0.6, -0.42), (-0.58, -0.28)], 0.035, ink, smooth=True)
    pen.oval(-0.58, -0.24, 0.035, 0.08, stripe, rim=0)
    four_legs(pen, ink, (-0.36, 0.22), -0.4, (0.15, 0.075), stripe)
    for x in (-0.36, 0.22, -0.27, 0.13):
        for y in (-0.32, -0.25, -0.18, -0.11):
            pen.line([(x - 0.045, y), (x + 0.045, y + 0.01)], 0.026, stripe)
    body: list[Point] = path("-0.5,-0.54 -0.42,-0.68 -0.1,-0.66 0.16,-0.69 0.34,-0.6 0.28,-0.4 0.0,-0.34 -0.36,-0.36")
    neck: list[Point] = path("0.1,-0.66 0.3,-0.88 0.38,-0.97 0.5,-0.92 0.44,-0.76 0.36,-0.54 0.22,-0.46")
    pen.blob(body, ink)
    with pen.within(curve(body, closed=True)):
        for k in range(9):
            x = -0.46 + k * 0.088
            pen.poly(
                [(x, -0.8), (x + 0.045, -0.8), (x + 0.02 - (k - 4) * 0.006, -0.3), (x - 0.005, -0.42)], stripe, rim=0
            )
    pen.blob(neck, ink)
    with pen.within(curve(neck, closed=True)):
        for k in range(7):
            y = -0.92 + k * 0.072
            pen.line([(0.0, y - 0.02), (0.6, y + 0.1)], 0.03, stripe)
    pen.blob([(0.4, -0.98), (0.5, -0.97), (0.6, -0.85), (0.68, -0.77), (0.65, -0.69), (0.57, -0.7), (0.43, -0.82)], ink)
    pen.oval(0.65, -0.735, 0.045, 0.05, stripe, tilt=40, rim=0)
    for shift in (0.0, 0.055, 0.11):
        pen.line([(0.47 + shift, -0.95 + shift * 1.1), (0.45 + shift, -0.8 + shift * 0.5)], 0.02, stripe)
    pen.poly([(0.38, -0.93), (0.4, -1.03), (0.46, -0.95)], ink)
    pen.blob(
        [(0.4, -1.0), (0.33, -0.98), (0.2, -0.84), (0.08, -0.66), (0.13, -0.63), (0.26, -0.78), (0.36, -0.91)], stripe
    )
    pen.oval(0.5, -0.88, 0.02, 0.022, EYE, rim=0)


def draw_giraffe(pen: Pen, look: Appearance) -> None:
    """A giraffe: a very long neck, spots, and two small horns."""
    rng = Random(look.variant)
    ink, spot = (238, 200, 124), (166, 104, 48)
    pen.line([(-0.26, -0.44), (-0.32, -0.34), (-0.31, -0.24)], 0.016, ink, smooth=True)
    pen.oval(-0.31, -0.22, 0.016, 0.04, (80, 56, 40), rim=0)
    four_legs(pen, ink, (-0.19, 0.09), -0.32, (0.08, 0.04), (110, 78, 52), sway=0.01)
    body: list[Point] = path("-0.27,-0.42 -0.2,-0.49 0.0,-0.52 0.13,-0.55 0.19,-0.46 0.14,-0.32 -0.05,-0.3 -0.23,-0.32")
    neck: list[Point] = path("0.0,-0.5 0.14,-0.76 0.185,-0.93 0.255,-0.9 0.245,-0.76 0.2,-0.42 0.1,-0.4")
    for shape in (body, neck):
        pen.blob(shape, ink)
    for shape in (body, neck):
        with pen.within(curve(shape, closed=True)):
            for row in range(13):
                for col in range(8):
                    x = -0.29 + col * 0.075 + (row % 2) * 0.037 + rng.uniform(-0.008, 0.008)
                    y = -0.95 + row * 0.055 + rng.uniform(-0.006, 0.006)
                    pen.poly(
                        [
                            (x - 0.026, y - 0.006),
                            (x - 0.008, y - 0.022),
                            (x + 0.024, y - 0.014),
                            (x + 0.026, y + 0.012),
                            (x - 0.002, y + 0.022),
                            (x - 0.024, y + 0.012),
                        ],
                        spot,
                        rim=0,
                    )
    for x in (0.205, 0.235):
        pen.line([(x, -0.95), (x - 0.004, -1.0)], 0.014, ink)
        pen.oval(x - 0.004, -1.0, 0.012, 0.01, (92, 60, 40), rim=0)
    pen.blob([(0.2, -0.95), (0.12, -0.965), (0.15, -0.925)], ink)
    pen.blob(
        [(0.18, -0.95), (0.25, -0.97), (0.32, -0.92), (0.37, -0.88), (0.35, -0.845), (0.28, -0.86), (0.2, -0.88)], ink
    )
    pen.oval(0.35, -0.866, 0.022, 0.02, (206, 158, 96), tilt=30, rim=0)
    eye(pen, 0.262, -0.93, 0.011)
