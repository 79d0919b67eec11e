"""A run as a notebook shows it: numbers, and the first issues with their pictures; everything is escaped."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING

from anamorph.model import probe_name
from anamorph.report.cause_words import issues_from_causes
from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.numbers import Proving
from anamorph.report.suspicions import ProofAnswer, suspected
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
            counts.leads,
            counts.undecided,
            rate,
            interval_cell(counts.interval),
        )
        rows.append("<tr>" + "".join(f"<td {_CELL}>{_text(cell)}</td>" for cell in cells) + "</tr>")
    columns = ("method", "relation", "cases", "violated", "leads", "undecided", "rate", "95 % interval")
    head = "".join(f"<th {_CELL}>{column}</th>" for column in columns)
    issues = [_issue(issue) for issue in run.examples(MOST_ISSUES)]
    more = numbers.counts.violated - len(issues)
    behind = issues_from_causes(numbers.counts.violated, numbers.cause_count) if issues else ""
    patterns = "".join(f"<li>{_text(each.words)}: {_text(each.counts)}</li>" for each in numbers.patterns[:MOST_ISSUES])
    return (
        f"<div><p><b>{_text(run.gate.sentence)}</b><br><code>{_text(run.folder)}</code></p>"
        f"<p>{_text(_evidence(numbers.proving))}</p>"
        f"{f'<p>{_text(behind)}</p><ul>{patterns}</ul>' if issues else ''}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"{''.join(issues)}{f'<p>and {more} more: <code>run.issues</code></p>' if more > 0 else ''}"
        f"{'<p>Leads are not counted: <code>run.leads</code></p>' if numbers.counts.leads else ''}</div>"
    )


def _evidence(proving: Proving) -> str:
    return f"{proving.sentence} {proving.found}." if proving.suspicions else proving.sentence


def _issue(issue: Issue) -> str:
    count = len(issue.probes)
    figures = [_figure(probe, probe_name(place, count)) for place, probe in enumerate(issue.probes[:MOST_PROBES])]
    left = f"<p>and {count - MOST_PROBES} more follow-ups</p>" if count > MOST_PROBES else ""
    sure = f" ({issue.certainty})" if issue.certainty else ""
    return (
        f"<div><p><b>{_text(issue.method)}</b>{_text(sure)} {_text(suspected(issue.verdict))} "
        f"<code>{_text(issue.digest[:12])}</code></p>"
        f"{''.join(figures)}{left}{_proof(issue)}</div>"
    )


def _proof(issue: Issue) -> str:
    """Why it is proved, and the images that closed questions were asked about."""
    if not issue.why:
        return ""
    lines = issue.suspicions[0].proof[:MOST_PROBES] if issue.suspicions else ()
    figures = [
        f"<div {_FIGURE}>{_picture(line, line.part)}<small>{_text(line.part)}</small><br>"
        f"<i>{_text(line.question)}</i><br><b>{_text(line.said)}</b></div>"
        for line in lines
    ]
    return f"<p>{_text(issue.why)}</p>{''.join(figures)}"


def _figure(probe: ShownProbe, name: str) -> str:
    edits = "; ".join(probe.edits_in_words)
    question = "" if probe.question is None else f"<i>{_text(probe.question)}</i><br>"
    answer = "(no answer)" if probe.answer is None else answer_text(probe.answer)
    title = f"{name}: {edits}" if edits else name
    return (
        f"<div {_FIGURE}>{_picture(probe, probe.scene)}<small>{_text(title)}</small><br>{question}{_text(answer)}</div>"
    )


def _picture(shown: ShownProbe | ProofAnswer, name: str) -> str:
    try:
        image = shown.image
    except OSError:
        image = None
    if image is None:
        return ""
    image.thumbnail(THUMBNAIL)
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=85)
    content = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img alt="{_text(name)}" src="data:image/jpeg;base64,{content}"><br>'


def _text(value: object) -> str:
    return html.escape(short(str(value), MOST_TEXT))
