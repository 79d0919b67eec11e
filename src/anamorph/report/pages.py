"""index.html: the summary as a static page, and the frame that the gallery's scripts fill."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from anamorph.model import Figure, Skip, Table
from anamorph.model.visible import visible
from anamorph.report.causes import GRADE_WORDS, JUDGED_AS_PUBLISHED, issues_from_causes
from anamorph.report.drawings import draw
from anamorph.report.gallery import CARDS_PER_CHUNK, ROWS_PER_CHUNK, pattern_key
from anamorph.report.numbers import OutcomeCounts, RunNumbers
from anamorph.report.wording import value_in_words
from anamorph.statistics.intervals import Interval

MOST_SKIPS = 200
MOST_PATTERNS = 20

# 'self' alone works from disk in Chromium, but the standard leaves open whether a file: page has a self
# (w3c/webappsec-csp issue 459), hence file: beside it. Served over HTTP, file: matches nothing.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' file:",
        "style-src 'self' file:",
        "img-src 'self' file:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)

_A_NUMBER = r"[-+\u2212]?[\d.,]*\d[\d.,]*\s?%?"
# A number, an interval ("1.2 to 3.4%"), or a number with its share ("15 (53.6%)").
_NUMERIC = re.compile(rf"{_A_NUMBER}(?: to {_A_NUMBER}| \({_A_NUMBER}\))?|[-\u2013\u2014\u2026]?")


def write_index(path: Path, numbers: RunNumbers, skips: Iterable[Skip]) -> None:
    """Write the page."""
    counts = numbers.counts
    page = environment().get_template("index.html")
    html = page.render(
        policy=POLICY,
        numbers=numbers,
        headline=headline(numbers),
        skips=list(skips),
        behind=issues_from_causes(counts.violated, numbers.cause_count),
        grade_words=GRADE_WORDS,
        as_published=JUDGED_AS_PUBLISHED,
        patterns=numbers.patterns[:MOST_PATTERNS],
        pattern_key=pattern_key,
        issue_count=counts.violated,
        row_chunks=math.ceil(counts.violated / ROWS_PER_CHUNK),
        rows_per_chunk=ROWS_PER_CHUNK,
        cards_per_chunk=CARDS_PER_CHUNK,
    )
    path.write_text(html, encoding="utf-8", newline="\n")


def write_assets(folder: Path) -> None:
    """Copy the styles, the scripts and the logo."""
    folder.mkdir()
    for asset in (resources.files(__package__) / "assets").iterdir():
        (folder / asset.name).write_bytes(asset.read_bytes())


def headline(numbers: RunNumbers) -> str:
    """The result of the run in one sentence."""
    counts = numbers.counts
    if numbers.state in ("planning", "unjudged") and not counts.decided:
        return "This run has no verdicts yet"
    if not counts.cases:
        return "This run has no cases"
    if not counts.decided:
        return "No case could be decided"
    if not counts.violated:
        return "Every decided case holds" if counts.decided > 1 else "The one decided case holds"
    if counts.violation_rate is None:
        return "1 case violates its relation" if counts.violated == 1 else f"{counts.violated:,} cases violate theirs"
    of = "decided" if counts.drawn is None else "evenly drawn"
    return f"{_percent(counts.violation_rate)} of the {of} cases violate their relation"


def bar(counts: OutcomeCounts) -> list[tuple[str, str, str]]:
    """A stacked bar: the class, the start and the width of each part in per cent."""
    parts: list[tuple[str, str, str]] = []
    at = 0.0
    for name, number in (("violated", counts.violated), ("holds", counts.holds), ("undecided", counts.undecided)):
        width = 100 * number / counts.cases if counts.cases else 0.0
        if width:
            parts.append((name, f"{at:.3f}", f"{width:.3f}"))
        at += width
    return parts


def environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("anamorph", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(
        number=_number,
        percent=_percent,
        cell=_cell,
        numeric_columns=numeric_columns,
        words=value_in_words,
        interval=_interval,
        drawn=_drawn,
    )
    environment.globals.update(bar=bar)
    return environment


def _finalize(value: Any) -> Any:
    """Every text that enters a page is made visible first; markup of the templates' own is no plain text."""
    return visible(value) if type(value) is str else value


def _number(value: int) -> str:
    return f"{value:,}"


def _percent(share: float | None) -> str:
    if share is None:
        return "\u2013"
    if 0 < share < 0.001:
        return "< 0.1%"
    return "> 99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def _interval(interval: Interval | None) -> str:
    return "\u2013" if interval is None else f"{100 * interval[0]:.1f} to {interval[1]:.1%}"


def _drawn(figure: Figure) -> Markup:
    """Everything in a drawing that is a text was escaped where it was drawn."""
    return Markup(draw(figure))


def _cell(value: str | int | float) -> str:
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return _number(value)
    return f"{value:.4g}" if math.isfinite(value) else "\u2013"


def numeric_columns(table: Table) -> list[bool]:
    """Which columns hold numbers; a dash or an empty cell stands for a number that is not there."""
    found = [False] * len(table.columns)
    for column in range(len(table.columns)):
        cells = [row[column] for row in table.rows if column < len(row)]
        texts = [cell.strip() for cell in cells if isinstance(cell, str)]
        numbers = len(texts) < len(cells) or any(
            text.rstrip(")")[-1:].isdigit() or text.rstrip(")").endswith("%") for text in texts
        )
        found[column] = numbers and all(_NUMERIC.fullmatch(text) for text in texts)
    return found
