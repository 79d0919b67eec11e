"""Backgrounds outdoors."""

from __future__ import annotations

from anamorph.toybox.drawing.backcloths import Cloth
from anamorph.toybox.drawing.pens import RGB, darker, lighter, mixed


def _sky(cloth: Cloth, horizon: float, high: RGB, low: RGB, clouds: float) -> None:
    cloth.gradient(0, horizon + 0.02, high, low)
    cloth.clouds(horizon, clouds)


def _blue_sky(cloth: Cloth, horizon: float) -> None:
    high, low = ((92, 156, 220), (198, 224, 240)) if cloth.chance(0, 1) < 0.7 else ((120, 150, 190), (244, 214, 186))
    _sky(cloth, horizon, high, low, cloth.chance(-0.7, 0.2))
    if cloth.chance(0, 1) < 0.5:
        cloth.glow(cloth.chance(0.1, 0.9), 0.06, 0.1, (255, 248, 220), 0.9)


def _tree(cloth: Cloth, x: float, y: float, size: float, leaf: RGB) -> None:
    trunk: RGB = (104, 78, 56)
    half = size * 0.06 * cloth.height / cloth.width
    cloth.poly(
        [(x - half, y), (x - half * 0.7, y - size * 0.5), (x + half * 0.7, y - size * 0.5), (x + half, y)], trunk
    )
    aspect = cloth.height / cloth.width
    for dx, dy, r, tone in (
        (0.0, 0.62, 0.3, darker(leaf, 0.2)),
        (-0.2, 0.56, 0.22, darker(leaf, 0.12)),
        (0.2, 0.54, 0.22, darker(leaf, 0.16)),
        (-0.08, 0.74, 0.22, leaf),
        (0.12, 0.78, 0.18, lighter(leaf, 0.08)),
        (-0.12, 0.82, 0.12, lighter(leaf, 0.16)),
    ):
        cloth.oval(x + dx * size * aspect, y - dy * size, r * size, r * size * 0.9, tone)


def _fir(cloth: Cloth, x: float, y: float, size: float, leaf: RGB, snow: bool) -> None:
    aspect = cloth.height / cloth.width
    for k in range(4):
        top, low, half = y - size + k * size * 0.2, y - size * 0.62 + k * size * 0.2, (0.1 + 0.06 * k) * size * aspect
        cloth.poly([(x, top), (x + half, low), (x - half, low)], darker(leaf, 0.06 * k))
        if snow:
            cloth.poly(
                [
                    (x, top),
                    (x + half * 0.5, (top + low) / 2),
                    (x, (top + low) / 2 + 0.01),
                    (x - half * 0.5, (top + low) / 2),
                ],
                (236, 242, 248),
            )


def paint_meadow(cloth: Cloth, horizon: float) -> None:
    """Hills, a line of trees, grass and flowers."""
    _blue_sky(cloth, horizon)
    cloth.ridge(horizon - 0.02, 0.14, 4, (150, 180, 190), horizon + 0.05)
    cloth.ridge(horizon, 0.08, 6, (118, 164, 130), horizon + 0.05)
    for _ in range(int(cloth.rng.integers(3, 9))):
        _tree(cloth, cloth.chance(0, 1), horizon + 0.015, cloth.chance(0.06, 0.13), (84, 138, 84))
    grass = cloth.pick((112, 168, 74), (134, 176, 84), (98, 156, 82))
    cloth.gradient(horizon, 1, lighter(grass, 0.22), darker(grass, 0.12))
    cloth.receding_grain(horizon, 0.045)
    cloth.tufts(horizon + 0.03, (darker(grass, 0.2), lighter(grass, 0.18), darker(grass, 0.1)), 260, 0.035)
    for _ in range(int(cloth.rng.integers(0, 22))):
        y = cloth.chance(horizon + 0.1, 1)
        cloth.oval(
            cloth.chance(0, 1), y, 0.006 * y, 0.005 * y, cloth.pick((250, 240, 240), (250, 220, 90), (226, 120, 150))
        )


def paint_park(cloth: Cloth, horizon: float) -> None:
    """Large trees, a lawn and a winding path."""
    _blue_sky(cloth, horizon)
    leaf = cloth.pick((86, 146, 76), (110, 156, 70), (196, 140, 60))
    cloth.ridge(horizon - 0.05, 0.06, 10, mixed(leaf, (140, 170, 170), 0.5), horizon + 0.05)
    cloth.ridge(horizon - 0.01, 0.05, 14, darker(leaf, 0.15), horizon + 0.05)
    grass = cloth.pick((106, 164, 80), (122, 170, 76))
    cloth.gradient(horizon, 1, lighter(grass, 0.15), darker(grass, 0.15))
    cloth.receding_grain(horizon, 0.04)
    cloth.tufts(horizon + 0.05, (darker(grass, 0.16), lighter(grass, 0.14)), 180, 0.025)
    if cloth.chance(0, 1) < 0.75:
        a, b = cloth.chance(0.3, 0.7), cloth.chance(0.1, 0.9)
        path: RGB = (214, 196, 162)
        edge = [
            (a - 0.02, horizon + 0.01),
            (a + 0.02, horizon + 0.01),
            ((a + b) / 2 + 0.12, horizon + 0.2),
            (b + 0.28, 1.01),
            (b - 0.12, 1.01),
            ((a + b) / 2 - 0.02, horizon + 0.2),
        ]
        cloth.poly(edge, path)
    for x in sorted(cloth.chance(-0.02, 1.02) for _ in range(int(cloth.rng.integers(2, 5)))):
        _tree(cloth, x, horizon + cloth.chance(0.02, 0.06), cloth.chance(0.3, 0.44), leaf)


def paint_savanna(cloth: Cloth, horizon: float) -> None:
    """Dry grass, a hazy ridge and flat-topped trees."""
    high, low = ((132, 180, 216), (248, 226, 190)) if cloth.chance(0, 1) < 0.6 else ((206, 140, 110), (252, 214, 150))
    _sky(cloth, horizon, high, low, -0.6)
    cloth.ridge(horizon - 0.01, 0.07, 3, mixed(low, (150, 130, 140), 0.45), horizon + 0.05)
    grass = cloth.pick((204, 174, 98), (190, 166, 92), (176, 168, 92))
    cloth.gradient(horizon, 1, lighter(grass, 0.2), darker(grass, 0.2))
    cloth.receding_grain(horizon, 0.05)
    aspect = cloth.height / cloth.width
    for _ in range(int(cloth.rng.integers(1, 4))):
        x, size, y = cloth.chance(0, 1), cloth.chance(0.1, 0.2), horizon + cloth.chance(0.01, 0.04)
        cloth.line(
            [(x, y), (x + 0.01, y - size * 0.5), (x - size * 0.25 * aspect, y - size * 0.8)],
            0.012 * size * 6,
            (96, 76, 58),
        )
        cloth.line(
            [(x + 0.01, y - size * 0.5), (x + size * 0.3 * aspect, y - size * 0.82)], 0.01 * size * 6, (96, 76, 58)
        )
        for dx, r in ((-0.25, 0.34), (0.22, 0.36), (0.0, 0.4)):
            cloth.oval(x + dx * size * aspect, y - size * 0.86, r * size, 0.1 * size, (112, 128, 68))
    cloth.tufts(horizon + 0.04, (darker(grass, 0.25), lighter(grass, 0.25), (150, 150, 80)), 240, 0.04)


def paint_snow(cloth: Cloth, horizon: float) -> None:
    """A winter field with firs."""
    _sky(cloth, horizon, (140, 172, 206), (226, 232, 240), cloth.chance(-0.3, 0.3))
    cloth.ridge(horizon - 0.05, 0.22, 4, (188, 204, 222), horizon + 0.05)
    cloth.ridge(horizon, 0.07, 6, (208, 220, 234), horizon + 0.05)
    for x in sorted(cloth.chance(0, 1) for _ in range(int(cloth.rng.integers(4, 11)))):
        _fir(cloth, x, horizon + 0.03, cloth.chance(0.12, 0.28), (66, 104, 92), snow=True)
    cloth.gradient(horizon + 0.015, 1, (224, 233, 243), (246, 249, 252))
    cloth.receding_grain(horizon + 0.015, 0.018)
    for _ in range(6):
        y = cloth.chance(horizon + 0.1, 1)
        x = cloth.chance(0, 1)
        cloth.line([(x, y), (x + 0.1, y - 0.008), (x + 0.22, y)], 0.006, (206, 218, 234))


def paint_beach(cloth: Cloth, horizon: float) -> None:
    """Sky, sea with waves, and sand; the sea ends at 0.2 below the horizon."""
    _blue_sky(cloth, horizon)
    shore = horizon + 0.2
    cloth.gradient(horizon, shore, (44, 112, 166), (104, 186, 200))
    _ripples(cloth, horizon, shore, 36, (176, 220, 230))
    sand = cloth.pick((236, 214, 164), (228, 204, 160))
    cloth.gradient(shore, 1, darker(sand, 0.06), lighter(sand, 0.1))
    cloth.receding_grain(shore, 0.025)
    edge = [(x / 12, shore + 0.012 * float(v)) for x, v in enumerate(cloth.rng.uniform(-1, 1, 13))]
    cloth.poly(
        [(-0.02, shore - 0.03), (1.02, shore - 0.03), *reversed([(x, y + 0.012) for x, y in edge])], (206, 232, 232)
    )
    cloth.poly([(-0.02, shore - 0.04), (1.02, shore - 0.04), *reversed(edge)], (120, 192, 204))
    for _ in range(60):
        y = cloth.chance(shore + 0.04, 1)
        cloth.oval(cloth.chance(0, 1), y, 0.004, 0.003, darker(sand, 0.18))


def _ripples(cloth: Cloth, top: float, bottom: float, count: int, colour: RGB) -> None:
    for _ in range(count):
        depth = cloth.chance(0, 1)
        y, x, half = top + (bottom - top) * depth, cloth.chance(0, 1), 0.01 + 0.04 * depth
        tone = mixed(colour, (60, 130, 170), 0.5 - 0.3 * depth)
        cloth.line([(x - half, y), (x, y - 0.004 * (1 + depth)), (x + half, y)], 0.004, tone)


def paint_lake(cloth: Cloth, horizon: float) -> None:
    """Wide water before a wooded shore, with a strip of grass in front from 0.84 down."""
    _blue_sky(cloth, horizon)
    cloth.ridge(horizon - 0.03, 0.2, 4, (150, 174, 190), horizon + 0.03)
    cloth.ridge(horizon, 0.08, 12, (84, 128, 104), horizon + 0.03)
    cloth.gradient(horizon + 0.01, 1, (96, 150, 176), (50, 104, 146))
    cloth.grain(horizon + 0.01, 1, 8, 26, 0.05)
    _ripples(cloth, horizon + 0.03, 0.86, 60, (170, 210, 222))
    grass = cloth.pick((116, 160, 84), (134, 160, 86))
    cloth.ridge(0.875, 0.03, 8, grass, 1.05)
    cloth.receding_grain(0.9, 0.05)
    cloth.tufts(0.88, (darker(grass, 0.2), lighter(grass, 0.15)), 150, 0.05)


def paint_street(cloth: Cloth, horizon: float) -> None:
    """Houses, a pavement from the horizon to 0.7, and a road below it."""
    _blue_sky(cloth, horizon)
    x = -0.02
    while x < 1:
        width, height = cloth.chance(0.13, 0.26), cloth.chance(0.24, 0.42)
        wall = cloth.pick(
            (206, 176, 150), (188, 110, 90), (214, 204, 184), (160, 172, 180), (222, 190, 120), (172, 150, 160)
        )
        _house(cloth, x, horizon + 0.04, width, height, wall)
        x += width
    kerb = 0.7
    paving: RGB = (190, 186, 180)
    cloth.gradient(horizon + 0.04, kerb, darker(paving, 0.12), paving)
    for k in range(14):
        slope = (k / 13 - 0.5) * 0.25
        cloth.line([(k / 13, horizon + 0.04), (k / 13 + slope, kerb)], 0.003, darker(paving, 0.16))
    cloth.line([(0, (horizon + 0.04 + kerb) / 2), (1, (horizon + 0.04 + kerb) / 2)], 0.003, darker(paving, 0.16))
    cloth.gradient(kerb, kerb + 0.016, (216, 214, 208), (160, 158, 154))
    cloth.gradient(kerb + 0.016, 1, (96, 98, 106), (78, 80, 88))
    cloth.grain(kerb + 0.016, 1, 120, 40, 0.03)
    cloth.grain(kerb + 0.016, 1, 10, 5, 0.03)
    for k in range(4):
        left = -0.1 + k * 0.32 + cloth.chance(-0.01, 0.01)
        cloth.poly([(left, 0.872), (left + 0.17, 0.872), (left + 0.166, 0.888), (left - 0.006, 0.888)], (230, 226, 206))


def _house(cloth: Cloth, left: float, floor: float, width: float, height: float, wall: RGB) -> None:
    top = floor - height
    cloth.box(left, top, left + width, floor, wall)
    cloth.box(left, top, left + width, top + 0.018, darker(wall, 0.25))
    cloth.box(left + width - 0.012, top, left + width, floor, darker(wall, 0.18))
    columns = max(2, round(width / 0.06))
    step = width / columns
    lit = cloth.chance(0, 1) < 0.3
    row = top + 0.045
    while row < floor - 0.11:
        for k in range(columns):
            pane: RGB = (250, 226, 160) if lit and cloth.chance(0, 1) < 0.3 else (112, 140, 160)
            cloth.box(left + (k + 0.24) * step, row, left + (k + 0.76) * step, row + 0.05, pane)
            cloth.box(left + (k + 0.2) * step, row + 0.05, left + (k + 0.8) * step, row + 0.058, lighter(wall, 0.3))
        row += 0.085
    awning = cloth.pick((176, 70, 64), (70, 120, 110), (70, 96, 140), (200, 160, 90))
    cloth.box(left + width * 0.1, floor - 0.07, left + width * 0.66, floor, (96, 112, 124))
    cloth.box(left + width * 0.06, floor - 0.085, left + width * 0.7, floor - 0.058, awning)
    cloth.box(left + width * 0.76, floor - 0.075, left + width * 0.92, floor, darker(wall, 0.45))
