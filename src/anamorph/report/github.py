"""A run for GitHub Actions: annotations as workflow commands, and the job summary in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from anamorph.engine.gate import GateResult
from anamorph.model import probe_name
from anamorph.report.cause_words import UNGRADED, issues_from_causes
from anamorph.report.issues import Issue, read_examples
from anamorph.report.numbers import RunNumbers, noise_cell
from anamorph.report.wording import answer_text, short
from anamorph.statistics.rates import interval_cell
from anamorph.store.run import RunStore

# The file that a job's summary is appended to.
SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
# GitHub shows at most ten annotations of a kind for a step.
MOST_ANNOTATIONS = 9
MOST_ISSUES = 20
MOST_PATTERNS = 10
MOST_CHANGES = 10
MOST_PROBES = 6
MOST_TEXT = 400


def annotation(level: Literal["error", "warning", "notice"], title: str, message: str) -> str:
    """One workflow command; nothing in its texts can end it or begin another."""
    return f"::{level} title={_property(short(title, MOST_TEXT))}::{_data(short(message, MOST_TEXT))}"


def annotation_lines(store: RunStore, numbers: RunNumbers, result: GateResult, page: Path | None) -> Iterator[str]:
    """The gate's sentence, and the clearest issues of a run that did not pass, one for each cause."""
    where = "" if page is None else f" The report is in {page.parent}."
    level: Literal["error", "warning", "notice"] = "error" if result.exit_code else "notice"
    yield annotation(level, "Anamorph", f"{result.sentence}{where}")
    if result.exit_code == 0:
        return
    for issue in read_examples(store, numbers.repeats, MOST_ANNOTATIONS):
        if all(cause.standing == "known" for cause in issue.causes):
            continue
        sure = f" ({issue.certainty})" if issue.certainty else ""
        yield annotation(
            "error",
            f"Anamorph: {issue.method}, {issue.relation}, {issue.source.scene}{sure}",
            f"{issue.reason}\n{_answers(issue)}",
        )


def job_summary(store: RunStore, numbers: RunNumbers, result: GateResult, page: Path | None) -> str:
    """The run as a page of Markdown: the gate, patterns, rates, an issue for each cause; no text becomes markup."""
    mark = {0: "\u2705", 1: "\u274c"}.get(result.exit_code, "\u26a0\ufe0f")
    lines = [f"## {mark} Anamorph: {_markdown(result.sentence)}", ""]
    lines += _proving(numbers)
    if numbers.floor is not None:
        lines += [f"**{numbers.floor.sentence}** {numbers.floor.symmetric_sentence}".rstrip(), ""]
    lines += _against_baseline(numbers)
    lines += _behind(numbers)
    if numbers.reviews is not None:
        lines += [" ".join(map(_markdown, (numbers.reviews.sentence, *numbers.reviews.remarks))), ""]
    noisy = numbers.repeats > 1
    columns = ["method", "relation", "cases", "violated", "leads", "undecided", "rate", "95 % interval"]
    columns += ["noise"] if noisy else []
    lines.append(f"| {' | '.join(columns)} |")
    lines.append(f"|---|---|{'--:|' * (len(columns) - 2)}")
    for group in numbers.groups:
        counts = group.counts
        rate = "-" if counts.violation_rate is None else f"{counts.violation_rate:.1%}"
        cells = (
            *(counts.cases, counts.violated, counts.leads, counts.undecided, rate, interval_cell(counts.interval)),
            *((noise_cell(group.noise),) if noisy else ()),
        )
        names = f"| {_markdown(group.method)} | {_markdown(group.relation)} "
        lines.append(f"{names}| {' | '.join(map(str, cells))} |")
    lines.append("")
    shown = 0
    for issue in read_examples(store, numbers.repeats, MOST_ISSUES):
        shown += 1
        lines += _details(issue)
    if numbers.counts.violated > shown:
        lines += [f"and {numbers.counts.violated - shown} more.", ""]
    if page is not None:
        lines += [f"The report, with pictures: {_markdown(str(page))}", ""]
    return "\n".join(lines) + "\n"


def _proving(numbers: RunNumbers) -> list[str]:
    """Which evidence there is, and what became of suspicions; leads do not count."""
    proving = numbers.proving
    if not proving.suspicions:
        return []
    others = f" ({proving.others})" if proving.others else ""
    sentences = [f"{proving.sentence} {proving.found}{others}; leads are not counted.", proving.noise_sentence]
    return [_markdown(sentence) for sentence in filter(None, sentences)] + [""]


def _against_baseline(numbers: RunNumbers) -> list[str]:
    """The causes that the baseline knows, and the first new or fixed ones."""
    against = numbers.baseline
    if against is None:
        return []
    lines = [_markdown(against.sentence), ""]
    if against.explanation:
        lines += [_markdown(against.explanation), ""]
    listed = [("new", cause.words, cause.scene) for cause in numbers.new_causes[:MOST_CHANGES]]
    listed += [("fixed", cause.words, cause.scene) for cause in against.fixed[:MOST_CHANGES]]
    lines += [f"- **{state}**: {_markdown(words)} in {_markdown(scene)}" for state, words, scene in listed]
    hidden = against.new + len(against.fixed) - len(listed)
    return [*lines, *([f"- and {hidden} more"] if hidden else []), ""]


def _behind(numbers: RunNumbers) -> list[str]:
    """The causes of the issues: how many, how sure they are, and the first patterns."""
    if not numbers.counts.violated:
        return []
    lines = [f"**{issues_from_causes(numbers.counts.violated, numbers.cause_count)}**", ""]
    lines += ["| grade | issues | rate | 95 % interval |", "|---|--:|--:|--:|"]
    for each in numbers.grades:
        if each.violated:
            rate = "-" if each.rate is None else f"{each.rate:.1%}"
            lines.append(f"| {each.grade or UNGRADED} | {each.violated} | {rate} | {interval_cell(each.interval)} |")
    lines += ["", *(f"- {_markdown(each.words)} ({each.counts})" for each in numbers.patterns[:MOST_PATTERNS]), ""]
    return lines


def _details(issue: Issue) -> list[str]:
    sure = f" ({issue.certainty})" if issue.certainty else ""
    title = f"{_markdown(issue.method)}, {_markdown(issue.source.scene)}{sure}: {_markdown(issue.reason)}"
    lines = ["<details>", f"<summary>{title}</summary>", ""]
    for name, mark in sorted(issue.marks.items()):
        why = f" ({mark.false_alarm})" if mark.false_alarm else ""
        lines.append(f"- {_markdown(name)} says: {mark.verdict}{why}")
    for place, probe in enumerate(issue.probes[:MOST_PROBES]):
        edits = f" ({_markdown('; '.join(probe.edits_in_words))})" if probe.edits_in_words else ""
        question = "" if probe.question is None else f"_{_markdown(probe.question)}_ "
        said = "(no answer)" if probe.answer is None else _markdown(answer_text(probe.answer))
        lines.append(f"- {probe_name(place, len(issue.probes))}{edits}: {question}{said}")
    if len(issue.probes) > MOST_PROBES:
        lines.append(f"- and {len(issue.probes) - MOST_PROBES} more follow-ups")
    return [*lines, "", f"Go through it again with {_markdown(issue.replay)}", "", "</details>", ""]


def _answers(issue: Issue) -> str:
    names = [probe_name(place, len(issue.probes)) for place in range(len(issue.probes))]
    said = ["(no answer)" if probe.answer is None else answer_text(probe.answer) for probe in issue.probes]
    pairs = zip(names[:MOST_PROBES], said[:MOST_PROBES], strict=True)
    return "\n".join(f"{name}: {short(text, 100)}" for name, text in pairs)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _markdown(text: str) -> str:
    """A text in one line of Markdown, as it stands."""
    line = " ".join(short(text, MOST_TEXT).split())
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Also names of people and numbers of issues, which GitHub would turn into links.
    return re.sub(r"([\\`*_{}\[\]()#+\-!|~@:$])", r"\\\1", escaped)
