"""A run as a notebook shows it: numbers, and the first issues with their pictures; everything is escaped."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

from anamorph.model import probe_name
from anamorph.report.causes import issues_from_causes
from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.wording import answer_text, short
from anamorph.statistics.rates import interval_cell

if TYPE_CHECKING:
    from anamorph.api.runs import Run

MOST_ISSUES = 5
MOST_PROBES = 6
MOST_TEXT = 300
THUMBNAIL = (240, 180)

_CELL = 'style="text-align:left;padding:2px 12px 2px 0"'
_FIGURE = 'style="display:inline-block;vertical-align:top;width:240px;margin:0 12px 8px 0"'


def run_html(run: Run) -> str:
    """The HTML of a run, complete in itself: pictures are embedded, and nothing is a script."""
    numbers = run.numbers
    rows = []
    for group in numbers.groups:
        counts = group.counts
        rate = "-" if counts.violation_rate is None else f"{counts.violation_rate:.1%}"
        cells = (
            group.method,
            group.relation,
            counts.cases,
            counts.violated,
            counts.undecided,
            rate,
            interval_cell(counts.interval),
        )
        rows.append("<tr>" + "".join(f"<td {_CELL}>{_text(cell)}</td>" for cell in cells) + "</tr>")
    columns = ("method", "relation", "cases", "violated", "undecided", "rate", "95 % interval")
    head = "".join(f"<th {_CELL}>{column}</th>" for column in columns)
    issues = [_issue(issue) for issue in run.examples(MOST_ISSUES)]
    more = numbers.counts.violated - len(issues)
    behind = issues_from_causes(numbers.counts.violated, numbers.cause_count) if issues else ""
    patterns = "".join(f"<li>{_text(each.words)}: {_text(each.counts)}</li>" for each in numbers.patterns[:MOST_ISSUES])
    return (
        f"<div><p><b>{_text(run.gate.sentence)}</b><br><code>{_text(run.folder)}</code></p>"
        f"{f'<p>{_text(behind)}</p><ul>{patterns}</ul>' if issues else ''}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"{''.join(issues)}{f'<p>and {more} more: <code>run.issues</code></p>' if more > 0 else ''}</div>"
    )


def _issue(issue: Issue) -> str:
    count = len(issue.probes)
    figures = [_figure(probe, probe_name(place, count)) for place, probe in enumerate(issue.probes[:MOST_PROBES])]
    left = f"<p>and {count - MOST_PROBES} more follow-ups</p>" if count > MOST_PROBES else ""
    sure = f" ({issue.certainty})" if issue.certainty else ""
    return (
        f"<div><p><b>{_text(issue.method)}</b>{_text(sure)} {_text(issue.reason)} "
        f"<code>{_text(issue.digest[:12])}</code></p>"
        f"{''.join(figures)}{left}</div>"
    )


def _figure(probe: ShownProbe, name: str) -> str:
    edits = "; ".join(probe.edits_in_words)
    question = "" if probe.question is None else f"<i>{_text(probe.question)}</i><br>"
    answer = "(no answer)" if probe.answer is None else answer_text(probe.answer)
    title = f"{name}: {edits}" if edits else name
    return f"<div {_FIGURE}>{_picture(probe)}<small>{_text(title)}</small><br>{question}{_text(answer)}</div>"


def _picture(probe: ShownProbe) -> str:
    try:
        image = probe.image
    except OSError:
        image = None
    if image is None:
        return ""
    image.thumbnail(THUMBNAIL)
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=85)
    content = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img alt="{_text(probe.scene)}" src="data:image/jpeg;base64,{content}"><br>'


def _text(value: object) -> str:
    return html.escape(short(str(value), MOST_TEXT))
