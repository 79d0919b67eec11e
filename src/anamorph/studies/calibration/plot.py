"""A calibration as one SVG picture: shares with their intervals above, the matrix of faults below."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from anamorph.studies.calibration.records import PRECISE, Calibration, Row, Share, matrix

_INK, _FAINT, _PAPER, _RULE = "#1f2933", "#66727f", "#ffffff", "#d9dee3"
_PRECISION, _RECALL = "#0b6e99", "#d1495b"
_LOW, _HIGH = (247, 244, 236), (16, 110, 92)
_EMPTY = "#f2f3f5"
_MARGIN, _LABELS, _LINE = 28, 330, 30
_SCALE = 420
_CELL_WIDTH, _CELL_HEIGHT = 78, 30
_HEADER = 104


def draw(calibration: Calibration) -> str:
    """The picture as SVG text; it needs no other file."""
    systems, faults = calibration.of_systems, matrix(calibration.of_faults)
    columns: tuple[str | None, ...] = (None, *calibration.faults)
    width = _MARGIN * 2 + _LABELS + max(_SCALE + 40, _CELL_WIDTH * len(columns) if faults else 0)
    body: list[str] = []
    y = _MARGIN + 8
    if systems:
        y = _draw_shares(body, systems, y)
    if faults:
        y = _draw_matrix(body, faults, columns, y)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}" '
        'role="img" font-family="system-ui, sans-serif" font-size="13">'
        f"<title>Precision and recall on {calibration.scenes} toybox scenes</title>"
        f'<rect width="{width}" height="{y}" fill="{_PAPER}"/>'
    )
    return "\n".join((head, *body, "</svg>")) + "\n"


# --- shares with their intervals ------------------------------------------------------------------------------------


def _draw_shares(body: list[str], rows: Sequence[Row], top: int) -> int:
    left = _MARGIN + _LABELS
    body.append(_text(_MARGIN, top + 10, "Precision and recall, with 95 % intervals", size=16, weight=600))
    for place, (name, colour) in enumerate((("precision", _PRECISION), ("recall", _RECALL))):
        x = left + 250 + place * 100
        body.append(f'<circle cx="{x}" cy="{top + 5}" r="5" fill="{colour}"/>')
        body.append(_text(x + 10, top + 10, name))
    first, bottom = top + 34, top + 34 + _LINE * len(rows)
    for tenth in range(0, 11, 2):
        x = left + tenth * _SCALE // 10
        body.append(f'<line x1="{x}" y1="{first}" x2="{x}" y2="{bottom}" stroke="{_RULE}"/>')
        body.append(_text(x, bottom + 18, f"{tenth / 10:.1f}", anchor="middle", fill=_FAINT))
    target = left + PRECISE * _SCALE
    body.append(
        f'<line x1="{target:g}" y1="{first}" x2="{target:g}" y2="{bottom}" stroke="{_FAINT}" stroke-dasharray="3 4"/>'
    )
    body.append(_text(round(target), first - 6, f"{PRECISE:g}", anchor="middle", fill=_FAINT, size=11))
    for place, row in enumerate(rows):
        y = first + _LINE * place + _LINE // 2
        body.append(_row_label(y, row.system.removeprefix("toybox:"), row.method, row.relation))
        body += _share(row.precision, left, y - 5, _PRECISION)
        body += _share(row.recall, left, y + 6, _RECALL)
    return bottom + 50


def _share(share: Share, left: int, y: int, colour: str) -> list[str]:
    if share.value is None or share.interval is None:
        return []
    low, high = (left + bound * _SCALE for bound in share.interval)
    at = left + share.value * _SCALE
    hint = f"<title>{share.hits} of {share.total} = {share.value:.3f}</title>"
    return [
        f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" stroke="{colour}" stroke-width="2" opacity="0.55"/>',
        f'<circle cx="{at:.1f}" cy="{y}" r="4.5" fill="{colour}">{hint}</circle>',
    ]


# --- the matrix of faults -------------------------------------------------------------------------------------------


def _draw_matrix(
    body: list[str],
    rows: dict[tuple[str, str, str], dict[str | None, Row]],
    columns: Sequence[str | None],
    top: int,
) -> int:
    left = _MARGIN + _LABELS
    body.append(_text(_MARGIN, top + 10, "Which relation catches which fault", size=16, weight=600))
    body.append(_text(_MARGIN, top + 30, "share of the cases with a wrong answer", fill=_FAINT))
    body.append(_text(_MARGIN, top + 47, "that are reported", fill=_FAINT))
    first = top + _HEADER
    for place, fault in enumerate(columns):
        x = left + place * _CELL_WIDTH + _CELL_WIDTH // 2
        name = "false alarms" if fault is None else fault
        body.append(
            f'<text x="{x - 4}" y="{first - 8}" fill="{_INK}" '
            f'transform="rotate(-35 {x - 4} {first - 8})">{escape(name)}</text>'
        )
    for line, ((form, method, relation), cells) in enumerate(rows.items()):
        y = first + line * _CELL_HEIGHT
        body.append(_row_label(y + _CELL_HEIGHT // 2, form, method, relation))
        for place, fault in enumerate(columns):
            body += _cell(cells.get(fault), left + place * _CELL_WIDTH, y)
    return first + len(rows) * _CELL_HEIGHT + _MARGIN


def _cell(row: Row | None, x: int, y: int) -> list[str]:
    if row is None:
        return []
    fill, ink, text, size = _EMPTY, _FAINT, "\u2013", 13
    if row.fault is None:
        decided = row.cases - row.undecided - row.untold
        text, size = f"{row.reports}/{decided}", 12
        ink = _RECALL if row.reports else _FAINT
    elif row.recall.value is not None:
        value = row.recall.value
        fill = _shade(value)
        ink, text = ("#ffffff" if value > 0.55 else _INK), f"{value:.2f}".removeprefix("0")
    elif row.undecided:
        text, size = f"{row.undecided / row.cases:.0%} undec.", 11
    hint = f"<title>{row.reports} reports, {row.right} right, {row.wrong} wrong of {row.cases} cases</title>"
    middle = x + _CELL_WIDTH // 2
    return [
        f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}" rx="3" fill="{fill}">'
        f"{hint}</rect>",
        _text(middle, y + _CELL_HEIGHT // 2 + 5, text, anchor="middle", fill=ink, size=size),
    ]


def _shade(value: float) -> str:
    channels = (round(low + (high - low) * value) for low, high in zip(_LOW, _HIGH, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _row_label(y: int, first: str, method: str, relation: str) -> str:
    return (
        f'<text x="{_MARGIN}" y="{y + 4}" fill="{_INK}"><tspan font-weight="600">{escape(first)}</tspan> '
        f'<tspan fill="{_FAINT}">{escape(method)}</tspan> {escape(relation)}</text>'
    )


def _text(
    x: int, y: int, text: str, *, anchor: str = "start", fill: str = _INK, size: int = 13, weight: int = 400
) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{fill}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
