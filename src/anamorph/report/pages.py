"""index.html: the first screen and the tables as a static page, and the frame that the gallery's scripts fill."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from anamorph.model import Figure, Skip, Table
from anamorph.model.visible import visible
from anamorph.report.cause_words import GRADE_WORDS, JUDGED_AS_PUBLISHED, UNGRADED, Cause, issues_from_causes
from anamorph.report.drawings import draw
from anamorph.report.gallery import CARDS_PER_CHUNK, MOST_NAME, ROWS_PER_CHUNK, card, pattern_key
from anamorph.report.glossary import GLOSSARY
from anamorph.report.headline import cause_sentence, grade_lines, headline, story_sentence
from anamorph.report.issues import Issue
from anamorph.report.numbers import OutcomeCounts, RunNumbers, is_closed
from anamorph.report.wording import short, value_in_words
from anamorph.statistics.intervals import Interval

MOST_SKIPS = 200
MOST_PATTERNS = 20
# On the first screen: how many causes are shown, and how many pictures of each.
MOST_EXAMPLES = 3
_MOST_PICTURES = 3
STYLES = ("report.css", "gallery.css")
SCRIPTS = ("folds.js", "chunks.js", "cards.js", "filters.js", "gallery.js")

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
_SHARE = re.compile(r"\([^()]*%[^()]*\)")


@dataclass(frozen=True, slots=True)
class Example:
    """A cause on the first screen: its title, the clearest issue as the gallery shows it, and the pictures of that."""

    title: str
    cause: Cause
    card: Mapping[str, Any]
    probes: Sequence[Mapping[str, Any]]
    follow_ups: int
    differing: int
    compared: bool = True


@dataclass(frozen=True, slots=True)
class Inlined:
    """The content of a page in a single file: policy, style and script, chunks and pictures by name.

    `note` says what was left out, if anything was.
    """

    policy: str
    style: Markup
    script: Markup
    chunks: Sequence[tuple[str, Markup]]
    pictures: Mapping[str, str]
    note: str


def write_index(
    path: Path,
    numbers: RunNumbers,
    skips: Iterable[Skip],
    examples: Sequence[tuple[Cause, Issue]] = (),
) -> None:
    """Write the page of a folder."""
    path.write_text(render_index(numbers, skips, examples), encoding="utf-8", newline="\n")


def render_index(
    numbers: RunNumbers,
    skips: Iterable[Skip],
    examples: Sequence[tuple[Cause, Issue]] = (),
    shown: tuple[int, int] | None = None,
    inlined: Inlined | None = None,
) -> str:
    """The page: of a folder, or, with `inlined`, of a single file that has the first so many issues and leads only."""
    counts = numbers.counts
    issues, leads = (counts.violated, counts.leads) if shown is None else shown
    page = environment().get_template("index.html")
    return page.render(
        policy=POLICY if inlined is None else inlined.policy,
        inlined=inlined,
        picture=_picture_in(inlined),
        styles=STYLES,
        scripts=SCRIPTS,
        numbers=numbers,
        opening=_opening(headline(numbers)),
        grade_lines=grade_lines(numbers),
        only_grade=next((each.grade for each in numbers.grades if each.violated), None),
        stories=[(story, story_sentence(story)) for story in numbers.stories],
        examples=[_example(cause, issue, numbers) for cause, issue in examples],
        glossary=GLOSSARY,
        skips=list(skips),
        behind=issues_from_causes(counts.violated, numbers.cause_count),
        grade_words=GRADE_WORDS,
        as_published=JUDGED_AS_PUBLISHED,
        ungraded=UNGRADED,
        patterns=numbers.patterns[:MOST_PATTERNS],
        pattern_key=pattern_key,
        link_to=link_to,
        issue_count=issues,
        lead_count=leads,
        row_chunks=lambda count: math.ceil(count / ROWS_PER_CHUNK),
        rows_per_chunk=ROWS_PER_CHUNK,
        cards_per_chunk=CARDS_PER_CHUNK,
    )


def link_to(**filters: str) -> str:
    """The address of the issues with these values."""
    return "#" + urlencode({name: short(value, MOST_NAME) for name, value in filters.items()})


def _picture_in(inlined: Inlined | None) -> Callable[[str], str]:
    """The alt text of the page's images, by address."""
    if inlined is None:
        return lambda address: address
    return lambda address: f"data:image/jpeg;base64,{inlined.pictures[address]}" if address in inlined.pictures else ""


def _opening(sentence: str) -> tuple[str, str, str]:
    """The first sentence, with the share and its interval apart."""
    found = _SHARE.search(sentence)
    return (sentence, "", "") if found is None else (sentence[: found.start()], found.group(), sentence[found.end() :])


def _example(cause: Cause, issue: Issue, numbers: RunNumbers) -> Example:
    shown = card(issue)
    source, *follow_ups = shown["probes"]
    differing = [probe for probe in follow_ups if probe["differs"]]
    # Nothing happened between two questions about one image, nor between a photo and its parts.
    compared = not is_closed(issue.relation)
    # A sum needs all of its parts to be seen.
    most = 1 if compared else _MOST_PICTURES - 1
    pictures = [source, *(differing[:most] or follow_ups[: _MOST_PICTURES - 1])]
    title = cause_sentence(cause, issue, numbers)
    return Example(title, cause, shown, pictures, len(follow_ups), len(differing), compared)


def write_assets(folder: Path) -> None:
    """Copy the styles, the scripts and the logo."""
    folder.mkdir()
    for asset in (resources.files(__package__) / "assets").iterdir():
        (folder / asset.name).write_bytes(asset.read_bytes())


def read_asset(name: str) -> str:
    """The text of a style, a script or the logo."""
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")


def bar(counts: OutcomeCounts) -> list[tuple[str, str, str]]:
    """A stacked bar: the class, the start and the width of each part in per cent."""
    parts: list[tuple[str, str, str]] = []
    at = 0.0
    held = counts.holds - counts.leads
    shares = (("violated", counts.violated), ("leads", counts.leads), ("holds", held), ("undecided", counts.undecided))
    for name, number in shares:
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
    """Every string that enters a page is made visible first; the templates' own markup is exempt."""
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
