"""Figures as SVG that stands alone: on a page, in a file for a paper, without styles or scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from anamorph.model import Bars, Figure, HeatMap
from anamorph.report.wording import short

_INK, _MUTED, _LINE, _PAPER = "#1d1e20", "#5c5f65", "#e3e3df", "#ffffff"
# From 0 to 1: what fails is dark. Steps of like lightness, readable in print without colour.
_RAMP = ((0x8F, 0x2A, 0x10), (0xD4, 0x50, 0x2F), (0xEF, 0x9A, 0x7C), (0xF9, 0xD8, 0xCA), (0xDD, 0xE8, 0xEC))
# Colours that people with any colour vision tell apart (Okabe and Ito's set, without its yellow).
_SERIES = ("#d4502f", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c5f65")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
_MOST_NAME = 40
# So many names have room for numbers in the cells of a heat map.
_MOST_NUMBERED = 24


def draw(figure: Figure) -> str:
    """The figure as an SVG element."""
    return _heat_map(figure) if isinstance(figure, HeatMap) else _bars(figure)


def rows_of(figure: Figure) -> Iterable[Sequence[str | float]]:
    """The figure as a table, its header first."""
    if isinstance(figure, HeatMap):
        yield ("first", "second", "value")
        for one, other, value in figure.cells:
            yield (one, other, "" if value is None else value)
        return
    yield ("name", "series", "rate", "low", "high")
    for bar in figure.bars:
        for series, rate in zip(figure.series, bar.rates, strict=True):
            yield (bar.name, series, *(("", "", "") if rate is None else rate))


def _heat_map(figure: HeatMap) -> str:
    names = figure.names
    cell = 34 if len(names) <= _MOST_NUMBERED else 18 if len(names) <= 2 * _MOST_NUMBERED else 12
    font = {34: 13, 18: 11, 12: 9}[cell]
    margin = _text_width(names, font) + 12
    place = {name: position for position, name in enumerate(names)}
    side = cell * len(names)
    width, height = max(margin + side + 12, 360), side + margin + 56
    parts: list[str] = []
    for position, name in enumerate(names):
        middle = position * cell + cell / 2
        # Row names at the left; column names below, turned, where the triangle has its long side.
        parts.append(_text(margin - 8, middle + font * 0.36, name, font, anchor="end"))
        parts.append(_turned(margin + middle + font * 0.36, side + 10, name, font))
    for one, other, value in figure.cells:
        left, top = sorted((place[one], place[other]))
        x, y = margin + left * cell, top * cell
        said = "no value" if value is None else f"{value:.2f}"
        label = one if one == other else f"{one} and {other}"
        fill = _PAPER if value is None else _shade(value)
        shape = f'<rect x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" fill="{fill}" stroke="{_LINE}"/>'
        parts.append(f"<g><title>{_words(label)}: {said}</title>{shape}{_inside(value, x, y, cell)}</g>")
    parts.append(_scale(margin, side + margin + 16))
    return _svg(width, height, figure.title, figure.note, parts)


def _inside(value: float | None, x: float, y: float, cell: int) -> str:
    """A number where there is room for one, or the paper's triangle for no value."""
    if value is None:
        a, b, c = x + cell * 0.3, x + cell * 0.7, x + cell * 0.5
        low, high = y + cell * 0.66, y + cell * 0.32
        return f'<path d="M{a:.1f} {low:.1f}L{b:.1f} {low:.1f}L{c:.1f} {high:.1f}Z" fill="#aeb3b0"/>'
    if cell <= 20:
        return ""
    colour = _PAPER if value < 0.4 else _INK
    return _text(x + cell / 2 - 0.5, y + cell / 2 + 4, f"{value:.2f}", 11, anchor="middle", colour=colour)


def _scale(x: float, y: float) -> str:
    steps = 20
    boxes = [
        f'<rect x="{x + step * 8}" y="{y}" width="8" height="10" fill="{_shade(step / (steps - 1))}"/>'
        for step in range(steps)
    ]
    ends = _text(x, y + 24, "0", 11) + _text(x + steps * 8, y + 24, "1", 11, anchor="end")
    return "".join(boxes) + ends


def _bars(figure: Bars) -> str:
    count = len(figure.series)
    margin = _text_width([bar.name for bar in figure.bars], 13) + 12
    row, plot = 14 * count + 18, 420
    legend = 28 * (count > 1)
    bottom = legend + row * len(figure.bars)
    parts = [_legend(figure.series, margin)] if count > 1 else []
    for tick in range(0, 101, 20):
        x = margin + plot * tick / 100
        parts.append(f'<path d="M{x} {legend}V{bottom}" stroke="{_LINE}"/>')
        parts.append(_text(x, bottom + 18, f"{tick} %", 11, anchor="middle", colour=_MUTED))
    for position, bar in enumerate(figure.bars):
        top = legend + position * row
        parts.append(_text(margin - 10, top + row / 2 + 4, bar.name, 13, anchor="end"))
        for number, rate in enumerate(bar.rates):
            if rate is not None:
                parts.append(_rate(margin, plot, top + 9 + 14 * number, rate, figure.series[number], number, bar.name))
    return _svg(margin + plot + 30, bottom + 34, figure.title, figure.note, parts)


def _rate(
    margin: float, plot: float, top: float, rate: tuple[float, float, float], series: str, number: int, name: str
) -> str:
    """A bar to the rate, and a line over the interval."""
    share, low, high = rate
    colour, middle = _SERIES[number % len(_SERIES)], top + 5.5
    ends = [f"{margin + plot * each:.1f}" for each in (low, high)]
    whisker = f"M{ends[0]} {middle}H{ends[1]}M{ends[0]} {middle - 3}v6M{ends[1]} {middle - 3}v6"
    said = f"{name}, {series}: {share:.1%}, {100 * low:.1f} to {high:.1%}"
    return (
        f"<g><title>{_words(said)}</title>"
        f'<rect x="{margin}" y="{top}" width="{plot * share:.1f}" height="11" fill="{colour}" fill-opacity="0.55"/>'
        f'<path d="{whisker}" stroke="{_INK}" fill="none"/></g>'
    )


def _legend(series: Sequence[str], margin: float) -> str:
    parts, x = [], margin
    for number, name in enumerate(series):
        parts.append(f'<rect x="{x}" y="4" width="11" height="11" fill="{_SERIES[number % len(_SERIES)]}"/>')
        parts.append(_text(x + 16, 14, name, 12))
        x += 32 + _text_width([name], 12)
    return "".join(parts)


def _svg(width: float, height: float, title: str, note: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    label = quoteattr(short(f"{title}. {note}" if note else title, 400))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label={label} font-family="{_FONT}">\n'
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, size: int, *, anchor: str = "start", colour: str = _INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{_words(text)}</text>'
    )


def _turned(x: float, y: float, text: str, size: int) -> str:
    place = f'transform="translate({x:.1f} {y:.1f}) rotate(-90)"'
    return f'<text {place} font-size="{size}" text-anchor="end" fill="{_INK}">{_words(text)}</text>'


def _words(text: str) -> str:
    return escape(short(text, 3 * _MOST_NAME))


def _text_width(texts: Iterable[str], size: int) -> float:
    """About how wide the widest text is; a file cannot measure, so there is room to spare."""
    return 0.58 * size * max((min(len(text), 3 * _MOST_NAME) for text in texts), default=0)


def _shade(value: float) -> str:
    place = min(max(value, 0.0), 1.0) * (len(_RAMP) - 1)
    low = min(int(place), len(_RAMP) - 2)
    rest = place - low
    return "#" + "".join(f"{round(a + (b - a) * rest):02x}" for a, b in zip(_RAMP[low], _RAMP[low + 1], strict=True))
