"""A map of images as an SVG picture and as a table."""

from __future__ import annotations

from pathlib import Path

from anamorph.report.drawings import Scatter, ScatterPoint, draw
from anamorph.report.spreadsheets import write_csv
from anamorph.studies.diversity.spread import SOURCE, DiversityMap, Spread

SVG_FILE, CSV_FILE = "map.svg", "map.csv"
COLUMNS = ("run", "group", "scene", "image", "x", "y")


def write_map(found: DiversityMap, runs: int, out: Path) -> Path:
    """Write map.svg and map.csv; gives where the picture is."""
    out.mkdir(parents=True, exist_ok=True)
    (out / SVG_FILE).write_text(draw_map(found, runs), encoding="utf-8")
    points = ((p.run, p.group, p.scene, p.image, f"{p.x:.5f}", f"{p.y:.5f}") for p in found.points)
    write_csv(out / CSV_FILE, [COLUMNS, *points])
    return out / SVG_FILE


def draw_map(found: DiversityMap, runs: int) -> str:
    """Photos as rings, edited images as points in the colour of their method."""
    place = {spread.group: position for position, spread in enumerate(found.spreads)}
    points = (ScatterPoint(p.x, p.y, place[p.group], f"{p.group} {p.scene}") for p in found.points)
    title = f"{len(found.points)} images of {runs} {'run' if runs == 1 else 'runs'}, laid out by t-SNE"
    return draw(Scatter(title, tuple(map(_in_words, found.spreads)), tuple(points), place.get(SOURCE)))


def _in_words(spread: Spread) -> str:
    moved = "" if spread.from_photo is None or spread.group == SOURCE else f", {spread.from_photo:.3f} from the photo"
    return f"{spread.group}: {spread.images} images{moved}, {spread.apart:.3f} apart"
