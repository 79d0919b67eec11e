"""A map of images as an SVG picture and as a table."""

from __future__ import annotations

import csv
from html import escape
from pathlib import Path

from anamorph.report.csv_file import safe_cell
from anamorph.studies.diversity.spread import SOURCE, DiversityMap

_SIDE, _MARGIN, _LEGEND = 640, 24, 26
_COLOURS = ("#0b6e99", "#d1495b", "#3f8f29", "#b8860b", "#7a4fb5", "#c2561a", "#1f7a7a")
_PHOTO = "#9aa5b1"
COLUMNS = ("run", "group", "scene", "image", "x", "y")


def draw_map(found: DiversityMap, runs: int) -> str:
    """The map as SVG text: photos as rings, edited images as dots in the colour of their method."""
    groups = [spread.group for spread in found.spreads]
    edited = [group for group in groups if group != SOURCE]
    colours = {group: _COLOURS[place % len(_COLOURS)] for place, group in enumerate(edited)} | {SOURCE: _PHOTO}
    height = _SIDE + _MARGIN * 2 + _LEGEND * len(groups)
    width = _SIDE + _MARGIN * 2
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{len(found.points)} images of {runs} {'run' if runs == 1 else 'runs'}, laid out by t-SNE</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    # Photos lie on top, or thousands of twins would hide them.
    for point in sorted(found.points, key=lambda point: point.group == SOURCE):
        x, y = _MARGIN + point.x * _SIDE, _MARGIN + point.y * _SIDE
        colour, name = colours[point.group], escape(f"{point.group} {point.scene}")
        look = (
            f'r="4" fill="none" stroke="{colour}" stroke-width="2"'
            if point.group == SOURCE
            else f'r="2.6" fill="{colour}" fill-opacity="0.6"'
        )
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" {look}><title>{name}</title></circle>')
    for place, spread in enumerate(found.spreads):
        y = _SIDE + _MARGIN * 2 + place * _LEGEND + 4
        moved = (
            "" if spread.from_photo is None or spread.group == SOURCE else f", {spread.from_photo:.3f} from the photo"
        )
        text = f"{spread.group}: {spread.images} images{moved}, {spread.apart:.3f} apart"
        body.append(f'<circle cx="{_MARGIN + 6}" cy="{y - 4}" r="5" fill="{colours[spread.group]}"/>')
        body.append(f'<text x="{_MARGIN + 18}" y="{y}" fill="#1f2933">{escape(text)}</text>')
    return "\n".join((*body, "</svg>")) + "\n"


def write_points(path: Path, found: DiversityMap) -> None:
    """One row per image, safe to open in a spreadsheet."""
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(COLUMNS)
        for point in found.points:
            texts = [safe_cell(text) for text in (point.run, point.group, point.scene, point.image)]
            rows.writerow((*texts, f"{point.x:.5f}", f"{point.y:.5f}"))
