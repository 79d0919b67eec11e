"""Figures as SVG that stands alone: on a page, in a file for a paper, without styles or scripts.

The one drawer and the one palette: the figures of methods, and those of studies, whose records are here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from anamorph.model import Bars, Figure, HeatMap
from anamorph.report.wording import short

_INK, _MUTED, _LINE, _PAPER = "#1d1e20", "#5c5f65", "#e3e3df", "#ffffff"
_EMPTY, _SHAPE = "#f2f3f1", "#aeb3b0"
# Colours that people with any colour vision tell apart (Okabe and Ito's set, without its yellow).
_SERIES = ("#d4502f", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5c5f65")
_Ramp: TypeAlias = Sequence[tuple[int, int, int]]
# From 0 to 1, in steps of like lightness, readable in print without colour. What fails is dark ...
_FAILING: _Ramp = ((0x8F, 0x2A, 0x10), (0xD4, 0x50, 0x2F), (0xEF, 0x9A, 0x7C), (0xF9, 0xD8, 0xCA), (0xDD, 0xE8, 0xEC))
# ... and so is what is caught.
_CAUGHT: _Ramp = ((0xF7, 0xF4, 0xEC), (0x8C, 0xC9, 0xB5), (0x00, 0x6B, 0x4E))
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
_PADDING = 12
_LONGEST_TEXT = 120
# A heat map of at most this many names has room for numbers in its cells.
_MOST_NUMBERED = 24
_SCALE_WIDTH = 420


@dataclass(frozen=True, slots=True)
class LineName:
    """The name of a line in a figure: a bold, a muted and a plain part."""

    bold: str
    muted: str
    plain: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A share with its interval; `hint` appears under the pointer."""

    share: float
    low: float
    high: float
    hint: str


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Shares from 0 to 1 with their intervals: a line per name, a dot per series; `target` is marked."""

    title: str
    series: tuple[str, ...]
    lines: tuple[tuple[LineName, tuple[Dot | None, ...]], ...]
    target: float | None = None


@dataclass(frozen=True, slots=True)
class GridCell:
    """A text, shaded if it has a value from 0 to 1; `alarming` stands out."""

    text: str
    hint: str
    value: float | None = None
    alarming: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Shares caught, by row and column; None without cases."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[LineName, tuple[GridCell | None, ...]], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A point with x and y from 0 to 1; `series` is its place in the legend."""

    x: float
    y: float
    series: int
    hint: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points in a plane; those of the series `rings` are rings on top, where thousands of others do not hide them."""

    title: str
    series: tuple[str, ...]
    points: tuple[ScatterPoint, ...]
    rings: int | None = None


Drawable: TypeAlias = Figure | DotPlot | Grid | Scatter


@dataclass(frozen=True, slots=True)
class _Sketch:
    """SVG elements and the room that they take."""

    width: float
    height: float
    elements: Sequence[str]


def draw(figure: Drawable) -> str:
    """The figure as an SVG element; its title and note are its label, for the page shows them beside it."""
    note = "" if isinstance(figure, DotPlot | Scatter) else figure.note
    return _svg(_sketch(figure), f"{figure.title}. {note}" if note else figure.title)


def draw_below_each_other(title: str, figures: Iterable[Drawable]) -> str:
    """Several figures in one SVG element, each under its own title."""
    elements: list[str] = []
    width, top = 0.0, 0.0
    for figure in figures:
        sketch = _sketch(figure)
        body = "\n".join(sketch.elements)
        elements.append(_text(0, top + 16, figure.title, 16, bold=True))
        elements.append(f'<g transform="translate(0 {top + 34:.0f})">\n{body}\n</g>')
        width, top = max(width, sketch.width), top + 34 + sketch.height + 24
    return _svg(_Sketch(width, max(top - 24, 0.0), elements), title)


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


def _sketch(figure: Drawable) -> _Sketch:
    match figure:
        case HeatMap():
            return _heat_map(figure)
        case Bars():
            return _bars(figure)
        case DotPlot():
            return _dot_plot(figure)
        case Grid():
            return _grid(figure)
        case Scatter():
            return _scatter(figure)


# --- a triangle of values -------------------------------------------------------------------------------------------


def _heat_map(figure: HeatMap) -> _Sketch:
    names = figure.names
    cell = 34 if len(names) <= _MOST_NUMBERED else 18 if len(names) <= 2 * _MOST_NUMBERED else 12
    font = {34: 13, 18: 11, 12: 9}[cell]
    margin = _text_width(names, font) + 12
    place = {name: position for position, name in enumerate(names)}
    side = cell * len(names)
    elements: list[str] = []
    for position, name in enumerate(names):
        middle = position * cell + cell / 2
        # Names of lines at the left; names of columns below, turned, where the triangle has its long side.
        elements.append(_text(margin - 8, middle + font * 0.36, name, font, anchor="end"))
        elements.append(_text(margin + middle + font * 0.36, side + 10, name, font, anchor="end", turned=-90))
    for one, other, value in figure.cells:
        left, top = sorted((place[one], place[other]))
        x, y = margin + left * cell, top * cell
        said = "no value" if value is None else f"{value:.2f}"
        label = one if one == other else f"{one} and {other}"
        fill = _PAPER if value is None else _shade(value, _FAILING)
        shape = f'<rect x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" fill="{fill}" stroke="{_LINE}"/>'
        elements.append(_hinted(f"{label}: {said}", shape + _inside(value, x, y, cell)))
    elements.append(_scale(margin, side + margin + 16))
    return _Sketch(max(margin + side, 360), side + margin + 44, elements)


def _inside(value: float | None, x: float, y: float, cell: int) -> str:
    """A number if there is room for one, or ATOM's triangle for no value."""
    if value is None:
        a, b, c = x + cell * 0.3, x + cell * 0.7, x + cell * 0.5
        low, high = y + cell * 0.66, y + cell * 0.32
        return f'<path d="M{a:.1f} {low:.1f}L{b:.1f} {low:.1f}L{c:.1f} {high:.1f}Z" fill="{_SHAPE}"/>'
    if cell <= 20:
        return ""
    colour = _PAPER if value < 0.4 else _INK
    return _text(x + cell / 2 - 0.5, y + cell / 2 + 4, f"{value:.2f}", 11, anchor="middle", colour=colour)


def _scale(x: float, y: float) -> str:
    steps = 20
    boxes = [
        f'<rect x="{x + step * 8}" y="{y}" width="8" height="10" fill="{_shade(step / (steps - 1), _FAILING)}"/>'
        for step in range(steps)
    ]
    ends = _text(x, y + 24, "0", 11) + _text(x + steps * 8, y + 24, "1", 11, anchor="end")
    return "".join(boxes) + ends


# --- rates and shares with their intervals --------------------------------------------------------------------------


def _bars(figure: Bars) -> _Sketch:
    count = len(figure.series)
    margin = _text_width([bar.name for bar in figure.bars], 13) + 12
    line = 14 * count + 18
    top = 28 * (count > 1)
    bottom = top + line * len(figure.bars)
    elements = [_legend(figure.series, margin, "bar")] if count > 1 else []
    elements += _axis(margin, top, bottom, [(tick / 100, f"{tick} %") for tick in range(0, 101, 20)])
    for position, bar in enumerate(figure.bars):
        y = top + position * line
        elements.append(_text(margin - 10, y + line / 2 + 4, bar.name, 13, anchor="end"))
        for number, rate in enumerate(bar.rates):
            if rate is not None:
                elements.append(_rate(margin, y + 9 + 14 * number, rate, figure.series[number], number, bar.name))
    return _Sketch(margin + _SCALE_WIDTH + 20, bottom + 22, elements)


def _rate(x: float, y: float, rate: tuple[float, float, float], series: str, number: int, name: str) -> str:
    """A bar to the rate, and a line over the interval."""
    share, low, high = rate
    middle = y + 5.5
    ends = [f"{x + _SCALE_WIDTH * each:.1f}" for each in (low, high)]
    whisker = f"M{ends[0]} {middle}H{ends[1]}M{ends[0]} {middle - 3}v6M{ends[1]} {middle - 3}v6"
    hint = f"{name}, {series}: {share:.1%}, {100 * low:.1f} to {high:.1%}"
    bar = _mark("bar", x, y, _colour(number), _SCALE_WIDTH * share)
    return _hinted(hint, f'{bar}<path d="{whisker}" stroke="{_INK}" fill="none"/>')


def _dot_plot(figure: DotPlot) -> _Sketch:
    line = 12 * len(figure.series) + 6
    margin = _line_names_width([name for name, _ in figure.lines])
    top, bottom = 34, 34 + line * len(figure.lines)
    elements = [_legend(figure.series, margin, "dot")]
    elements += _axis(margin, top, bottom, [(tenth / 10, f"{tenth / 10:.1f}") for tenth in range(0, 11, 2)])
    if figure.target is not None:
        x = margin + figure.target * _SCALE_WIDTH
        elements.append(f'<path d="M{x:.1f} {top}V{bottom}" stroke="{_MUTED}" stroke-dasharray="3 4"/>')
        elements.append(_text(x, top - 4, f"{figure.target:g}", 11, anchor="middle", colour=_MUTED))
    for position, (name, dots) in enumerate(figure.lines):
        y = top + position * line
        elements.append(_line_name(y + line / 2, name))
        for number, dot in enumerate(dots):
            if dot is not None:
                elements.append(_share(dot, margin, y + 9 + 12 * number, _colour(number)))
    return _Sketch(margin + _SCALE_WIDTH + 20, bottom + 22, elements)


def _share(dot: Dot, x: float, y: float, colour: str) -> str:
    low, high, at = (x + share * _SCALE_WIDTH for share in (dot.low, dot.high, dot.share))
    interval = f'<path d="M{low:.1f} {y}H{high:.1f}" stroke="{colour}" stroke-width="2" stroke-opacity="0.55"/>'
    return _hinted(dot.hint, interval + _mark("dot", at, y, colour))


# --- a grid of cells ------------------------------------------------------------------------------------------------


def _grid(figure: Grid) -> _Sketch:
    width, height, head = 78, 30, 104 if figure.note else 84
    margin = _line_names_width([name for name, _ in figure.lines])
    elements = [_text(0, 4, figure.note, 13, colour=_MUTED)] if figure.note else []
    for position, column in enumerate(figure.columns):
        x = margin + position * width + width / 2 - 4
        elements.append(_text(x, head - 8, column, 13, turned=-35))
    for number, (name, cells) in enumerate(figure.lines):
        y = head + number * height
        elements.append(_line_name(y + height / 2, name))
        for position, cell in enumerate(cells):
            if cell is not None:
                elements.append(_cell(cell, margin + position * width, y, width, height))
    # The last column's name leans out to the right.
    lean = max((0.85 * _text_width([name], 13) - width / 2 for name in figure.columns[-1:]), default=0.0)
    return _Sketch(margin + len(figure.columns) * width + max(lean, 0.0), head + len(figure.lines) * height, elements)


def _cell(cell: GridCell, x: float, y: float, width: int, height: int) -> str:
    fill, ink = _EMPTY, _SERIES[0] if cell.alarming else _MUTED
    if cell.value is not None:
        fill, ink = _shade(cell.value, _CAUGHT), _PAPER if cell.value > 0.6 else _INK
    size = 13 if len(cell.text) < 5 else 12 if len(cell.text) < 9 else 11
    box = f'<rect x="{x + 1}" y="{y + 1}" width="{width - 2}" height="{height - 2}" rx="3" fill="{fill}"/>'
    text = _text(x + width / 2, y + height / 2 + 5, cell.text, size, anchor="middle", colour=ink)
    return _hinted(cell.hint, box + text)


# --- points in a plane ----------------------------------------------------------------------------------------------


def _scatter(figure: Scatter) -> _Sketch:
    side, line = 640, 24
    colours = _scatter_colours(figure)
    elements: list[str] = []
    for point in sorted(figure.points, key=lambda point: point.series == figure.rings):
        kind = "ring" if point.series == figure.rings else "point"
        mark = _mark(kind, point.x * side, point.y * side, colours[point.series])
        elements.append(_hinted(point.hint, mark))
    for position, name in enumerate(figure.series):
        y = side + 32 + position * line
        kind = "ring" if position == figure.rings else "dot"
        elements.append(_mark(kind, 6, y - 4, colours[position]))
        elements.append(_text(18, y, name, 13))
    return _Sketch(side, side + 20 + line * len(figure.series), elements)


def _scatter_colours(figure: Scatter) -> list[str]:
    """The palette in order for the points; rings are in ink, so that they stand out from every colour."""
    others = iter(range(len(figure.series)))
    return [_INK if position == figure.rings else _colour(next(others)) for position in range(len(figure.series))]


# --- what all figures are made of -----------------------------------------------------------------------------------


def _svg(sketch: _Sketch, label: str) -> str:
    body = "\n".join(sketch.elements)
    width, height = (round(length) + 2 * _PADDING for length in (sketch.width, sketch.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_PADDING} {-_PADDING} {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label={quoteattr(short(label, 400))} '
        f'font-family="{_FONT}">\n'
        f'<rect x="{-_PADDING}" y="{-_PADDING}" width="{width}" height="{height}" fill="{_PAPER}"/>\n{body}\n</svg>\n'
    )


def _axis(x: float, top: float, bottom: float, ticks: Iterable[tuple[float, str]]) -> list[str]:
    elements = []
    for share, name in ticks:
        at = x + _SCALE_WIDTH * share
        elements.append(f'<path d="M{at:.1f} {top}V{bottom}" stroke="{_LINE}"/>')
        elements.append(_text(at, bottom + 18, name, 11, anchor="middle", colour=_MUTED))
    return elements


def _legend(series: Sequence[str], x: float, kind: str) -> str:
    elements = []
    for number, name in enumerate(series):
        elements.append(_mark(kind, x, 0, _colour(number)) if kind == "bar" else _mark(kind, x + 5, 6, _colour(number)))
        elements.append(_text(x + 16, 10, name, 12))
        x += 32 + _text_width([name], 12)
    return "".join(elements)


def _mark(kind: str, x: float, y: float, colour: str, width: float = 11) -> str:
    """The symbol of a value, in a figure and in its legend."""
    match kind:
        case "bar":
            size = f'width="{width:.1f}" height="11"'
            return f'<rect x="{x:.1f}" y="{y}" {size} fill="{colour}" fill-opacity="0.6"/>'
        case "ring":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_PAPER}" stroke="{colour}" stroke-width="1.6"/>'
        case "point":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}" fill-opacity="0.6"/>'
        case _:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'


def _hinted(hint: str, elements: str) -> str:
    return f"<g><title>{_words(hint)}</title>{elements}</g>"


def _line_name(y: float, name: LineName) -> str:
    bold = f'<tspan font-weight="600">{_words(name.bold)}</tspan>'
    return (
        f'<text x="0" y="{y + 4:.1f}" font-size="13" fill="{_INK}">{bold} '
        f'<tspan fill="{_MUTED}">{_words(name.muted)}</tspan> {_words(name.plain)}</text>'
    )


def _line_names_width(names: Iterable[LineName]) -> float:
    return _text_width([f"{name.bold} {name.muted} {name.plain}" for name in names], 13) + 16


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    *,
    anchor: str = "start",
    colour: str = _INK,
    bold: bool = False,
    turned: int = 0,
) -> str:
    where = f'transform="translate({x:.1f} {y:.1f}) rotate({turned})"' if turned else f'x="{x:.1f}" y="{y:.1f}"'
    weight = ' font-weight="600"' if bold else ""
    return f'<text {where} font-size="{size}"{weight} text-anchor="{anchor}" fill="{colour}">{_words(text)}</text>'


def _words(text: str) -> str:
    return escape(short(text, _LONGEST_TEXT))


def _text_width(texts: Iterable[str], size: int) -> float:
    """About how wide the widest text is; a file cannot measure, so there is room to spare."""
    return 0.58 * size * max((min(len(text), _LONGEST_TEXT) for text in texts), default=0)


def _colour(number: int) -> str:
    return _SERIES[number % len(_SERIES)]


def _shade(value: float, ramp: _Ramp) -> str:
    place = min(max(value, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    rest = place - low
    return "#" + "".join(f"{round(a + (b - a) * rest):02x}" for a, b in zip(ramp[low], ramp[low + 1], strict=True))
