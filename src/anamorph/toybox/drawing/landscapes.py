"""Backgrounds outdoors."""

from __future__ import annotations

from anamorph.toybox.drawing.canvases import Canvas
from anamorph.toybox.drawing.pens import RGB, darker, lighter, mixed


def _sky(canvas: Canvas, horizon: float, high: RGB, low: RGB, clouds: float) -> None:
    canvas.gradient(0, horizon + 0.02, high, low)
    canvas.clouds(horizon, clouds)


def _blue_sky(canvas: Canvas, horizon: float) -> None:
    high, low = ((92, 156, 220), (198, 224, 240)) if canvas.chance(0, 1) < 0.7 else ((120, 150, 190), (244, 214, 186))
    _sky(canvas, horizon, high, low, canvas.chance(-0.7, 0.2))
    if canvas.chance(0, 1) < 0.5:
        canvas.glow(canvas.chance(0.1, 0.9), 0.06, 0.1, (255, 248, 220), 0.9)


def _tree(canvas: Canvas, x: float, y: float, size: float, leaf: RGB) -> None:
    trunk: RGB = (104, 78, 56)
    half = size * 0.06 * canvas.height / canvas.width
    canvas.poly(
        [(x - half, y), (x - half * 0.7, y - size * 0.5), (x + half * 0.7, y - size * 0.5), (x + half, y)], trunk
    )
    aspect = canvas.height / canvas.width
    for dx, dy, r, tone in (
        (0.0, 0.62, 0.3, darker(leaf, 0.2)),
        (-0.2, 0.56, 0.22, darker(leaf, 0.12)),
        (0.2, 0.54, 0.22, darker(leaf, 0.16)),
        (-0.08, 0.74, 0.22, leaf),
        (0.12, 0.78, 0.18, lighter(leaf, 0.08)),
        (-0.12, 0.82, 0.12, lighter(leaf, 0.16)),
    ):
        canvas.oval(x + dx * size * aspect, y - dy * size, r * size, r * size * 0.9, tone)


def _fir(canvas: Canvas, x: float, y: float, size: float, leaf: RGB, snow: bool) -> None:
    aspect = canvas.height / canvas.width
    for k in range(4):
        top, low, half = y - size + k * size * 0.2, y - size * 0.62 + k * size * 0.2, (0.1 + 0.06 * k) * size * aspect
        canvas.poly([(x, top), (x + half, low), (x - half, low)], darker(leaf, 0.06 * k))
        if snow:
            canvas.poly(
                [
                    (x, top),
                    (x + half * 0.5, (top + low) / 2),
                    (x, (top + low) / 2 + 0.01),
                    (x - half * 0.5, (top + low) / 2),
                ],
                (236, 242, 248),
            )


def paint_meadow(canvas: Canvas, horizon: float) -> None:
    """Hills, a line of trees, grass and flowers."""
    _blue_sky(canvas, horizon)
    canvas.ridge(horizon - 0.02, 0.14, 4, (150, 180, 190), horizon + 0.05)
    canvas.ridge(horizon, 0.08, 6, (118, 164, 130), horizon + 0.05)
    for _ in range(int(canvas.rng.integers(3, 9))):
        _tree(canvas, canvas.chance(0, 1), horizon + 0.015, canvas.chance(0.06, 0.13), (84, 138, 84))
    grass = canvas.pick((112, 168, 74), (134, 176, 84), (98, 156, 82))
    canvas.gradient(horizon, 1, lighter(grass, 0.22), darker(grass, 0.12))
    canvas.receding_grain(horizon, 0.045)
    canvas.tufts(horizon + 0.03, (darker(grass, 0.2), lighter(grass, 0.18), darker(grass, 0.1)), 260, 0.035)
    for _ in range(int(canvas.rng.integers(0, 22))):
        y = canvas.chance(horizon + 0.1, 1)
        canvas.oval(
            canvas.chance(0, 1), y, 0.006 * y, 0.005 * y, canvas.pick((250, 240, 240), (250, 220, 90), (226, 120, 150))
        )


def paint_park(canvas: Canvas, horizon: float) -> None:
    """Large trees, a lawn and a winding path."""
    _blue_sky(canvas, horizon)
    leaf = canvas.pick((86, 146, 76), (110, 156, 70), (196, 140, 60))
    canvas.ridge(horizon - 0.05, 0.06, 10, mixed(leaf, (140, 170, 170), 0.5), horizon + 0.05)
    canvas.ridge(horizon - 0.01, 0.05, 14, darker(leaf, 0.15), horizon + 0.05)
    grass = canvas.pick((106, 164, 80), (122, 170, 76))
    canvas.gradient(horizon, 1, lighter(grass, 0.15), darker(grass, 0.15))
    canvas.receding_grain(horizon, 0.04)
    canvas.tufts(horizon + 0.05, (darker(grass, 0.16), lighter(grass, 0.14)), 180, 0.025)
    if canvas.chance(0, 1) < 0.75:
        a, b = canvas.chance(0.3, 0.7), canvas.chance(0.1, 0.9)
        path: RGB = (214, 196, 162)
        edge = [
            (a - 0.02, horizon + 0.01),
            (a + 0.02, horizon + 0.01),
            ((a + b) / 2 + 0.12, horizon + 0.2),
            (b + 0.28, 1.01),
            (b - 0.12, 1.01),
            ((a + b) / 2 - 0.02, horizon + 0.2),
        ]
        canvas.poly(edge, path)
    for x in sorted(canvas.chance(-0.02, 1.02) for _ in range(int(canvas.rng.integers(2, 5)))):
        _tree(canvas, x, horizon + canvas.chance(0.02, 0.06), canvas.chance(0.3, 0.44), leaf)


def paint_savanna(canvas: Canvas, horizon: float) -> None:
    """Dry grass, a hazy ridge and flat-topped trees."""
    high, low = ((132, 180, 216), (248, 226, 190)) if canvas.chance(0, 1) < 0.6 else ((206, 140, 110), (252, 214, 150))
    _sky(canvas, horizon, high, low, -0.6)
    canvas.ridge(horizon - 0.01, 0.07, 3, mixed(low, (150, 130, 140), 0.45), horizon + 0.05)
    grass = canvas.pick((204, 174, 98), (190, 166, 92), (176, 168, 92))
    canvas.gradient(horizon, 1, lighter(grass, 0.2), darker(grass, 0.2))
    canvas.receding_grain(horizon, 0.05)
    aspect = canvas.height / canvas.width
    for _ in range(int(canvas.rng.integers(1, 4))):
        x, size, y = canvas.chance(0, 1), canvas.chance(0.1, 0.2), horizon + canvas.chance(0.01, 0.04)
        canvas.line(
            [(x, y), (x + 0.01, y - size * 0.5), (x - size * 0.25 * aspect, y - size * 0.8)],
            0.012 * size * 6,
            (96, 76, 58),
        )
        canvas.line(
            [(x + 0.01, y - size * 0.5), (x + size * 0.3 * aspect, y - size * 0.82)], 0.01 * size * 6, (96, 76, 58)
        )
        for dx, r in ((-0.25, 0.34), (0.22, 0.36), (0.0, 0.4)):
            canvas.oval(x + dx * size * aspect, y - size * 0.86, r * size, 0.1 * size, (112, 128, 68))
    canvas.tufts(horizon + 0.04, (darker(grass, 0.25), lighter(grass, 0.25), (150, 150, 80)), 240, 0.04)


def paint_snow(canvas: Canvas, horizon: float) -> None:
    """A winter field with firs."""
    _sky(canvas, horizon, (140, 172, 206), (226, 232, 240), canvas.chance(-0.3, 0.3))
    canvas.ridge(horizon - 0.05, 0.22, 4, (188, 204, 222), horizon + 0.05)
    canvas.ridge(horizon, 0.07, 6, (208, 220, 234), horizon + 0.05)
    for x in sorted(canvas.chance(0, 1) for _ in range(int(canvas.rng.integers(4, 11)))):
        _fir(canvas, x, horizon + 0.03, canvas.chance(0.12, 0.28), (66, 104, 92), snow=True)
    canvas.gradient(horizon + 0.015, 1, (224, 233, 243), (246, 249, 252))
    canvas.receding_grain(horizon + 0.015, 0.018)
    for _ in range(6):
        y = canvas.chance(horizon + 0.1, 1)
        x = canvas.chance(0, 1)
        canvas.line([(x, y), (x + 0.1, y - 0.008), (x + 0.22, y)], 0.006, (206, 218, 234))


def paint_beach(canvas: Canvas, horizon: float) -> None:
    """Sky, sea with waves, and sand; the sea ends at 0.2 below the horizon."""
    _blue_sky(canvas, horizon)
    shore = horizon + 0.2
    canvas.gradient(horizon, shore, (44, 112, 166), (104, 186, 200))
    _ripples(canvas, horizon, shore, 36, (176, 220, 230))
    sand = canvas.pick((236, 214, 164), (228, 204, 160))
    canvas.gradient(shore, 1, darker(sand, 0.06), lighter(sand, 0.1))
    canvas.receding_grain(shore, 0.025)
    edge = [(x / 12, shore + 0.012 * float(v)) for x, v in enumerate(canvas.rng.uniform(-1, 1, 13))]
    canvas.poly(
        [(-0.02, shore - 0.03), (1.02, shore - 0.03), *reversed([(x, y + 0.012) for x, y in edge])], (206, 232, 232)
    )
    canvas.poly([(-0.02, shore - 0.04), (1.02, shore - 0.04), *reversed(edge)], (120, 192, 204))
    for _ in range(60):
        y = canvas.chance(shore + 0.04, 1)
        canvas.oval(canvas.chance(0, 1), y, 0.004, 0.003, darker(sand, 0.18))


def _ripples(canvas: Canvas, top: float, bottom: float, count: int, colour: RGB) -> None:
    for _ in range(count):
        depth = canvas.chance(0, 1)
        y, x, half = top + (bottom - top) * depth, canvas.chance(0, 1), 0.01 + 0.04 * depth
        tone = mixed(colour, (60, 130, 170), 0.5 - 0.3 * depth)
        canvas.line([(x - half, y), (x, y - 0.004 * (1 + depth)), (x + half, y)], 0.004, tone)


def paint_lake(canvas: Canvas, horizon: float) -> None:
    """Wide water in front of a wooded shore, with a strip of grass in front from 0.84 down."""
    _blue_sky(canvas, horizon)
    canvas.ridge(horizon - 0.03, 0.2, 4, (150, 174, 190), horizon + 0.03)
    canvas.ridge(horizon, 0.08, 12, (84, 128, 104), horizon + 0.03)
    canvas.gradient(horizon + 0.01, 1, (96, 150, 176), (50, 104, 146))
    canvas.grain(horizon + 0.01, 1, 8, 26, 0.05)
    _ripples(canvas, horizon + 0.03, 0.86, 60, (170, 210, 222))
    grass = canvas.pick((116, 160, 84), (134, 160, 86))
    canvas.ridge(0.875, 0.03, 8, grass, 1.05)
    canvas.receding_grain(0.9, 0.05)
    canvas.tufts(0.88, (darker(grass, 0.2), lighter(grass, 0.15)), 150, 0.05)


def paint_street(canvas: Canvas, horizon: float) -> None:
    """Houses, a pavement from the horizon to 0.7, and a road below it."""
    _blue_sky(canvas, horizon)
    x = -0.02
    while x < 1:
        width, height = canvas.chance(0.13, 0.26), canvas.chance(0.24, 0.42)
        wall = canvas.pick(
            (206, 176, 150), (188, 110, 90), (214, 204, 184), (160, 172, 180), (222, 190, 120), (172, 150, 160)
        )
        _house(canvas, x, horizon + 0.04, width, height, wall)
        x += width
    kerb = 0.7
    paving: RGB = (190, 186, 180)
    canvas.gradient(horizon + 0.04, kerb, darker(paving, 0.12), paving)
    for k in range(14):
        slope = (k / 13 - 0.5) * 0.25
        canvas.line([(k / 13, horizon + 0.04), (k / 13 + slope, kerb)], 0.003, darker(paving, 0.16))
    canvas.line([(0, (horizon + 0.04 + kerb) / 2), (1, (horizon + 0.04 + kerb) / 2)], 0.003, darker(paving, 0.16))
    canvas.gradient(kerb, kerb + 0.016, (216, 214, 208), (160, 158, 154))
    canvas.gradient(kerb + 0.016, 1, (96, 98, 106), (78, 80, 88))
    canvas.grain(kerb + 0.016, 1, 120, 40, 0.03)
    canvas.grain(kerb + 0.016, 1, 10, 5, 0.03)
    for k in range(4):
        left = -0.1 + k * 0.32 + canvas.chance(-0.01, 0.01)
        canvas.poly(
            [(left, 0.872), (left + 0.17, 0.872), (left + 0.166, 0.888), (left - 0.006, 0.888)], (230, 226, 206)
        )


def _house(canvas: Canvas, left: float, floor: float, width: float, height: float, wall: RGB) -> None:
    top = floor - height
    canvas.box(left, top, left + width, floor, wall)
    canvas.box(left, top, left + width, top + 0.018, darker(wall, 0.25))
    canvas.box(left + width - 0.012, top, left + width, floor, darker(wall, 0.18))
    columns = max(2, round(width / 0.06))
    step = width / columns
    lit = canvas.chance(0, 1) < 0.3
    row = top + 0.045
    while row < floor - 0.11:
        for k in range(columns):
            pane: RGB = (250, 226, 160) if lit and canvas.chance(0, 1) < 0.3 else (112, 140, 160)
            canvas.box(left + (k + 0.24) * step, row, left + (k + 0.76) * step, row + 0.05, pane)
            canvas.box(left + (k + 0.2) * step, row + 0.05, left + (k + 0.8) * step, row + 0.058, lighter(wall, 0.3))
        row += 0.085
    awning = canvas.pick((176, 70, 64), (70, 120, 110), (70, 96, 140), (200, 160, 90))
    canvas.box(left + width * 0.1, floor - 0.07, left + width * 0.66, floor, (96, 112, 124))
    canvas.box(left + width * 0.06, floor - 0.085, left + width * 0.7, floor - 0.058, awning)
    canvas.box(left + width * 0.76, floor - 0.075, left + width * 0.92, floor, darker(wall, 0.45))
