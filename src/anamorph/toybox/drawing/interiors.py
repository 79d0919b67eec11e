"""Backgrounds indoors, and table tops."""

from __future__ import annotations

from anamorph.toybox.drawing.canvases import Canvas
from anamorph.toybox.drawing.pens import RGB, darker, lighter, mixed

# The height of the sideboard's top in a living room, and its span.
SIDEBOARD_TOP, SIDEBOARD_LEFT, SIDEBOARD_RIGHT = 0.42, 0.3, 0.7


def _wall(canvas: Canvas, floor: float) -> RGB:
    wall = canvas.pick(
        (226, 214, 196), (196, 212, 208), (214, 200, 206), (190, 202, 218), (222, 206, 172), (206, 214, 190)
    )
    canvas.gradient(0, floor, lighter(wall, 0.12), darker(wall, 0.04))
    style = canvas.chance(0, 1)
    if style < 0.35:
        for k in range(24):
            canvas.box(k / 24, 0, k / 24 + 0.012, floor, mixed(wall, lighter(wall, 0.35), 0.8))
    elif style < 0.5:
        for row in range(9):
            for column in range(15):
                canvas.oval((column + 0.5 * (row % 2)) / 15, 0.03 + row / 9 * floor, 0.008, 0.008, darker(wall, 0.07))
    canvas.grain(0, floor, 8, 6, 0.012)
    return wall


def _floor(canvas: Canvas, top: float) -> None:
    wood = canvas.pick((176, 128, 84), (148, 104, 70), (198, 158, 112), (150, 140, 132))
    canvas.gradient(top, 1, darker(wood, 0.1), lighter(wood, 0.08))
    for k in range(-8, 25):
        x = k / 16
        canvas.line([(0.5 + (x - 0.5) * 0.8, top), (0.5 + (x - 0.5) * 1.9, 1)], 0.003, darker(wood, 0.22))
    for _ in range(16):
        depth = canvas.chance(0, 1)
        y, x = top + (1 - top) * depth, canvas.chance(0, 1)
        canvas.line([(x, y), (x + 0.04 + 0.03 * depth, y)], 0.003, darker(wood, 0.2))
    canvas.grain(top, 1, 60, 8, 0.025)
    canvas.box(0, top - 0.028, 1, top, (240, 236, 228))
    canvas.box(0, top - 0.003, 1, top + 0.004, darker(wood, 0.45))


def _window(canvas: Canvas, left: float, top: float, width: float, height: float) -> None:
    canvas.box(left - 0.012, top - 0.016, left + width + 0.012, top + height + 0.016, (246, 244, 238))
    sky = canvas.pick((168, 208, 236), (206, 222, 234), (250, 214, 170))
    canvas.box(left, top, left + width, top + height, sky)
    canvas.oval(left + width * 0.3, top + height * 0.84, 0.05, 0.05, (126, 164, 110))
    canvas.oval(left + width * 0.72, top + height * 0.8, 0.06, 0.07, (110, 152, 100))
    canvas.box(left, top + height * 0.92, left + width, top + height, (126, 164, 110))
    canvas.box(left + width / 2 - 0.006, top, left + width / 2 + 0.006, top + height, (246, 244, 238))
    canvas.box(left, top + height / 2 - 0.007, left + width, top + height / 2 + 0.007, (246, 244, 238))
    canvas.box(left - 0.03, top + height + 0.016, left + width + 0.03, top + height + 0.034, (228, 224, 214))


def _frame(canvas: Canvas, left: float, top: float, width: float, height: float) -> None:
    canvas.box(left, top, left + width, top + height, canvas.pick((120, 86, 58), (60, 58, 60), (190, 160, 100)))
    inner = (left + 0.012, top + 0.016, left + width - 0.012, top + height - 0.016)
    high, low = (
        canvas.pick((236, 200, 170), (180, 206, 220), (240, 232, 214)),
        canvas.pick((120, 140, 150), (180, 120, 100), (130, 150, 110)),
    )
    canvas.box(*inner, high)
    canvas.poly(
        [
            (inner[0], inner[3]),
            (inner[0], inner[3] - height * 0.3),
            ((inner[0] + inner[2]) / 2, inner[3] - height * 0.5),
            (inner[2], inner[3] - height * 0.25),
            (inner[2], inner[3]),
        ],
        low,
    )


def paint_room(canvas: Canvas, horizon: float) -> None:
    """A room with a boarded floor; on its wall a window, pictures or nothing."""
    wall = _wall(canvas, horizon)
    side = canvas.chance(0, 1) < 0.5
    if canvas.chance(0, 1) < 0.7:
        _window(canvas, 0.06 if side else 0.68, 0.06, 0.24, 0.3)
    if canvas.chance(0, 1) < 0.6:
        left = 0.74 if side else 0.08
        _frame(canvas, left, 0.09, 0.12, 0.13)
    _floor(canvas, horizon)
    if canvas.chance(0, 1) < 0.6:
        _rug(canvas, horizon)
    light = 0.12 if side else 0.88
    canvas.glow(light, 0.2, 0.5, lighter(wall, 0.7), 0.25)


def _rug(canvas: Canvas, floor: float) -> None:
    tone = canvas.pick((170, 80, 76), (90, 116, 140), (200, 180, 150), (110, 130, 100), (150, 120, 150))
    x, y = canvas.chance(0.4, 0.6), floor + (1 - floor) * 0.56
    canvas.oval(x, y, 0.52, 0.13, darker(tone, 0.1))
    canvas.oval(x, y, 0.46, 0.11, lighter(tone, 0.2))
    canvas.oval(x, y, 0.4, 0.09, tone)
    canvas.grain(floor, 1, 90, 50, 0.02)


def paint_lounge(canvas: Canvas, horizon: float) -> None:
    """A room with a sideboard against the wall, for a screen or a vase."""
    wall = _wall(canvas, horizon)
    if canvas.chance(0, 1) < 0.5:
        _frame(canvas, 0.08, 0.08, 0.13, 0.15)
    if canvas.chance(0, 1) < 0.5:
        _window(canvas, 0.76, 0.05, 0.2, 0.28)
    _floor(canvas, horizon)
    board = canvas.pick((140, 96, 62), (232, 228, 220), (96, 72, 58), (178, 136, 94))
    left, right, top = SIDEBOARD_LEFT, SIDEBOARD_RIGHT, SIDEBOARD_TOP
    low = horizon + 0.045
    canvas.box(left - 0.01, low, right + 0.01, low + 0.016, darker(mixed(board, (80, 70, 66), 0.5), 0.4))
    canvas.box(left, top, right, low, board)
    canvas.box(left - 0.012, top, right + 0.012, top + 0.018, lighter(board, 0.2))
    for k in range(3):
        a = left + (right - left) * (k / 3) + 0.008
        b = left + (right - left) * ((k + 1) / 3) - 0.008
        canvas.box(a, top + 0.032, b, low - 0.014, darker(board, 0.1))
        canvas.oval((a + b) / 2, top + 0.06, 0.007, 0.007, darker(board, 0.5))
    if canvas.chance(0, 1) < 0.7:
        _rug(canvas, horizon)
    canvas.glow(0.2, 0.1, 0.5, lighter(wall, 0.7), 0.2)


def _table_top(canvas: Canvas, edge: float, wood: RGB) -> None:
    canvas.gradient(edge, 1, darker(wood, 0.05), lighter(wood, 0.1))
    for k in range(-3, 9):
        canvas.line([(0.5 + (k / 6 - 0.5) * 0.9, edge), (0.5 + (k / 6 - 0.5) * 1.6, 1)], 0.004, darker(wood, 0.2))
    canvas.grain(edge, 1, 5, 90, 0.018)
    canvas.grain(edge, 1, 40, 6, 0.015)
    canvas.box(0, edge - 0.004, 1, edge + 0.006, darker(wood, 0.3))


def paint_kitchen(canvas: Canvas, horizon: float) -> None:
    """A countertop in front of tiles."""
    tile = canvas.pick((232, 236, 232), (196, 216, 216), (236, 222, 196), (206, 218, 196), (218, 208, 220))
    canvas.gradient(0, horizon, tile, darker(tile, 0.07))
    joint = darker(tile, 0.16)
    for k in range(13):
        canvas.line([(k / 12, 0.0), (k / 12, horizon)], 0.004, joint)
    for k in range(6):
        canvas.line([(0, horizon - k * 0.111), (1, horizon - k * 0.111)], 0.004, joint)
    if canvas.chance(0, 1) < 0.55:
        shelf = canvas.pick((150, 108, 72), (236, 232, 224))
        canvas.box(0.0, 0.13, 0.42, 0.155, shelf)
        canvas.box(0.0, 0.155, 0.42, 0.168, darker(shelf, 0.35))
    if canvas.chance(0, 1) < 0.45:
        _window(canvas, 0.58, 0.03, 0.3, 0.26)
    canvas.grain(0, horizon, 9, 7, 0.014)
    canvas.blur(0.004)
    _table_top(canvas, horizon, canvas.pick((188, 142, 96), (164, 116, 76), (206, 204, 200), (96, 92, 94)))


def paint_desk(canvas: Canvas, horizon: float) -> None:
    """A desk in front of a plain wall."""
    wall = _wall(canvas, horizon)
    if canvas.chance(0, 1) < 0.6:
        _window(canvas, canvas.chance(0.05, 0.6), 0.02, 0.3, 0.24)
    elif canvas.chance(0, 1) < 0.6:
        _frame(canvas, canvas.chance(0.1, 0.6), 0.05, 0.16, 0.2)
    canvas.blur(0.006)
    _table_top(canvas, horizon, canvas.pick((208, 172, 128), (150, 104, 70), (224, 220, 212), (112, 84, 66)))
    canvas.glow(0.85, 0.1, 0.5, lighter(wall, 0.8), 0.25)


def paint_garden_table(canvas: Canvas, horizon: float) -> None:
    """A table in a garden, the garden out of focus."""
    canvas.gradient(0, horizon, (176, 206, 170), (120, 164, 96))
    for _ in range(46):
        tone = canvas.pick((96, 148, 84), (140, 182, 100), (74, 120, 72), (190, 212, 150), (236, 190, 170))
        canvas.oval(
            canvas.chance(0, 1), canvas.chance(0, horizon), canvas.chance(0.02, 0.09), canvas.chance(0.02, 0.08), tone
        )
    canvas.blur(0.025)
    canvas.glow(canvas.chance(0.1, 0.9), 0.05, 0.2, (255, 250, 220), 0.6)
    checked = canvas.chance(0, 1) < 0.5
    if not checked:
        _table_top(canvas, horizon, canvas.pick((190, 160, 124), (170, 150, 130)))
        return
    pale, tone = (246, 244, 238), canvas.pick((210, 90, 84), (96, 140, 190), (120, 170, 120))
    canvas.gradient(horizon, 1, pale, pale)
    rows = [horizon + (1 - horizon) * (k / 9) ** 1.35 for k in range(10)]
    for k in range(9):
        shade = mixed(pale, tone, 0.4)
        if k % 2:
            canvas.box(0, rows[k], 1, rows[k + 1], shade)
    for k in range(-8, 20, 2):
        for j in range(9):
            y0, y1 = rows[j], rows[j + 1]
            s0, s1 = 0.75 + 0.75 * (y0 - horizon) / (1 - horizon), 0.75 + 0.75 * (y1 - horizon) / (1 - horizon)
            a, b = k / 12 - 0.5, (k + 1) / 12 - 0.5
            canvas.poly(
                [(0.5 + a * s0, y0), (0.5 + b * s0, y0), (0.5 + b * s1, y1), (0.5 + a * s1, y1)],
                mixed(pale, tone, 0.75 if j % 2 else 0.4),
            )
    canvas.grain(horizon, 1, 120, 60, 0.015)
    canvas.box(0, horizon - 0.004, 1, horizon + 0.006, darker(tone, 0.3))
