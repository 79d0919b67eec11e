"""Output that several commands share: the run in numbers, issues, answers, tables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from anamorph.cli.terminal import as_text
from anamorph.engine.budget import money, spending_lines
from anamorph.engine.gate import GateResult
from anamorph.model import Answer, Table, Verdict, encode, probe_name
from anamorph.report.baseline.matching import AgainstBaseline
from anamorph.report.cause_words import GRADE_WORDS, JUDGED_AS_PUBLISHED, UNGRADED, Cause, issues_from_causes
from anamorph.report.floor import ErrorFloor, floor_record
from anamorph.report.headline import headline
from anamorph.report.issues import label_threshold, read_examples
from anamorph.report.json_file import (
    baseline_record,
    cause_record,
    grade_records,
    pattern_record,
    proving_record,
    reviews_record,
)
from anamorph.report.numbers import Proving, RunNumbers, noise_cell
from anamorph.report.reviews import ReviewNumbers
from anamorph.report.suspicions import STATE_WORDS, suspected, why_of
from anamorph.report.wording import short
from anamorph.store.answers import answers_of, questions_of
from anamorph.store.omissions import omission_sentences
from anamorph.store.run import RunStore
from anamorph.store.shrinks import shrinks_of
from anamorph.store.verdicts import StoredCase, find_cases
from anamorph.studies.metrics.scoring import RunScores
from anamorph.studies.metrics.tables import scores_notes, scores_tables

MOST_ISSUES = 3
MOST_LABELS = 6
MOST_REASONS = 5
MOST_LEAD_REASONS = 3
MOST_PATTERNS = 5
MOST_CHANGES = 10
# More rows of tables are in the report, and not on the terminal.
MOST_ROWS = 16
FEWEST_SECONDS = 60
# A system that is kept less busy could be asked faster.
FULL_SHARE = 0.5
# Of the patterns and causes in --json; report.json has more.
MOST_RECORDED = 20


def gate_record(result: GateResult) -> dict[str, Any]:
    """The gate's result and its reasons, as plain JSON data."""
    reasons = [asdict(reason) for reason in result.reasons]
    record = {"outcome": result.outcome, "sentence": result.sentence, "reasons": reasons}
    return {**record, "warnings": list(result.warnings)}


def summary_record(numbers: RunNumbers) -> dict[str, Any]:
    """The run in numbers, as plain JSON data."""
    counts = numbers.counts
    reasons = numbers.undecided_reasons[:MOST_REASONS]
    return {
        "run": numbers.folder,
        "exit_code": numbers.gate.exit_code,
        "gate": gate_record(numbers.gate),
        "judged_as": numbers.judged_as,
        "headline": headline(numbers),
        "photos": numbers.photos.decided,
        "violated_photos": numbers.photos.violated,
        "cases": counts.cases,
        "holds": counts.holds,
        "leads": counts.leads,
        "violated": counts.violated,
        "undecided": counts.undecided,
        "violation_rate": counts.violation_rate,
        "violation_rate_interval": None if counts.interval is None else list(counts.interval),
        "rates_from": asdict(numbers.estimates),
        "stopped_by": numbers.stopped_by,
        "vacuous": counts.vacuous,
        "cause_count": numbers.cause_count,
        "patterns": [pattern_record(each) for each in numbers.patterns[:MOST_RECORDED]],
        "causes": [cause_record(each) for each in numbers.causes[:MOST_RECORDED]],
        "baseline": None if numbers.baseline is None else baseline_record(numbers.baseline, MOST_RECORDED),
        "reviews": None if numbers.reviews is None else reviews_record(numbers.reviews),
        "grades": grade_records(numbers),
        "wrong_anyway": asdict(numbers.wrong_anyway),
        "proving": proving_record(numbers.proving),
        "floor": floor_record(numbers.floor),
        "noise": [
            {"method": each.method, "relation": each.relation, "differing": each.noise[0], "repeated": each.noise[1]}
            for each in numbers.groups
            if each.noise[1]
        ],
        "scenes": numbers.scene_count,
        "skipped": numbers.skip_count,
        "images": numbers.image_count,
        "discarded_images": numbers.discarded_images,
        "discarded_cases": numbers.discarded_cases,
        "probes": numbers.probe_count,
        "answers": numbers.answer_count,
        "failures": numbers.failure_count,
        "spending": asdict(numbers.spending),
        "planned": {"calls": numbers.planned_calls, "proving_calls_at_most": numbers.proving_calls_at_most},
        "utilisation": {**asdict(numbers.utilisation), "share": numbers.utilisation.share},
        "probes_asked_repeatedly": numbers.repeated_probes,
        "probes_with_differing_answers": numbers.flaky_probes,
        "undecided_reasons": [{"reason": reason, "cases": count} for reason, count in reasons],
        "left_out": encode(numbers.left_out),
        "tables": [
            {"method": each.method, "title": each.table.title, "columns": each.table.columns, "rows": each.table.rows}
            if each.table is not None
            else {"method": each.method, "problem": each.problem}
            for each in numbers.tables
        ],
    }


def print_summary(console: Console, store: RunStore, numbers: RunNumbers, report: Path | None) -> None:
    """The result in one sentence, the evidence, what is behind the issues, tables, what was left out, where to look."""
    console.print(f"[bold]{as_text(headline(numbers))}.[/]", highlight=False, soft_wrap=True)
    _print_proving(console, numbers.proving)
    _print_floor(console, numbers.floor)
    _print_causes(console, store, numbers)
    _print_leads(console, numbers, report)
    _print_noise(console, numbers)
    if numbers.reviews is not None:
        print_reviews(console, numbers.reviews)
    _print_tables(console, numbers, report)
    if numbers.skip_count:
        inputs = "1 photo" if numbers.skip_count == 1 else f"{numbers.skip_count:,} photos"
        console.print(f"{inputs} could not be used; the report says which and why.", highlight=False)
    for sentence in omission_sentences(numbers.left_out):
        console.print(as_text(sentence), highlight=False, soft_wrap=True)
    if numbers.discarded_images:
        _print_discards(console, numbers)
    for sentence in filter(None, (numbers.estimates.sentence, numbers.stop_sentence)):
        console.print(as_text(sentence), highlight=False, soft_wrap=True)
    if undecided := numbers.counts.undecided:
        console.print("1 case is undecided:" if undecided == 1 else f"{undecided} cases are undecided:")
        _print_reasons(console, numbers.undecided_reasons)
    if vacuous := numbers.counts.vacuous:
        cases = "1 case holds" if vacuous == 1 else f"{vacuous} cases hold"
        console.print(f"{cases} vacuously: the answers name nothing that could be compared.", highlight=False)
    for line in filter(None, (planned_and_spent(numbers), *spending_lines(numbers.spending))):
        console.print(line, highlight=False, soft_wrap=True)
    busy = numbers.utilisation
    # Of a run that took no time, it says nothing.
    if busy.share is not None and busy.seconds >= FEWEST_SECONDS:
        console.print(
            f"The system was kept busy for {busy.share:.0%} of {busy.seconds:,.0f} s of asking.{_busier(busy.share)}",
            highlight=False,
            soft_wrap=True,
        )
    if numbers.judged_as is not None:
        said = (
            f"Judged as {numbers.judged_as}. `anamorph judge run` without --profile brings the run's own verdicts back."
        )
        console.print(as_text(said), highlight=False, soft_wrap=True)
    if report is not None:
        console.print(f"Report: {as_text(str(report))}", soft_wrap=True, highlight=False)
    print_against_baseline(console, numbers.baseline, numbers.new_causes)
    print_gate(console, numbers.gate)


def planned_and_spent(numbers: RunNumbers) -> str:
    """The calls planned, proving at its most, beside those sent; empty if nothing was sent."""
    sent, planned, proving = numbers.spending.images_sent, numbers.planned_calls, numbers.proving_calls_at_most
    if not sent or not planned:
        return ""
    proved = f" and {proving:,} to prove" if proving else ""
    price = numbers.spending.price
    cost = "" if price is None else f" (planned {money((planned + proving) * price)})"
    return f"Planned: at most {planned:,} calls{proved}{cost}; sent: {sent:,} images."


def _busier(share: float) -> str:
    """Advice for a system that waits for images most of the time."""
    if share >= FULL_SHARE:
        return ""
    return (
        " It waited for images, or for the rate that was set: raise ask.render_threads (or ask.render_processes for "
        "slow inpainting) and ask.rate_per_second, or lower ask.parallel, which costs no time."
    )


def _print_tables(console: Console, numbers: RunNumbers, report: Path | None) -> None:
    """The tables that fit on a screen together; of the others, where they are."""
    left, elsewhere = MOST_ROWS, []
    for each in numbers.tables:
        if each.table is None:
            console.print(as_text(f"{each.method}: {each.problem or ''}"), highlight=False, soft_wrap=True)
            continue
        title = f"{each.method}: {each.table.title.lower()}"
        left -= (rows := len(each.table.rows))
        if left >= 0:
            console.print(rich_table(title, each.table))
        else:
            elsewhere.append(f"{title} ({rows:,} {'row' if rows == 1 else 'rows'})")
    if elsewhere:
        where = "`anamorph report`" if report is None else str(report)
        console.print(as_text(f"In {where}: {'; '.join(elsewhere)}."), highlight=False, soft_wrap=True)


def print_against_baseline(
    console: Console, against: AgainstBaseline | None, new_causes: Sequence[Cause], run: str = ""
) -> None:
    """The causes that the baseline knows, and the first new or fixed ones; nothing without a baseline."""
    if against is None:
        return
    console.print(as_text(f"{run}{': ' if run else ''}{against.sentence}"), highlight=False, soft_wrap=True)
    if against.explanation:
        console.print(as_text(against.explanation), highlight=False, soft_wrap=True)
    new = new_causes[:MOST_CHANGES]
    for cause in new:
        issues = "1 issue" if cause.issues == 1 else f"{cause.issues} issues"
        words = f"{cause.digest[:12]} {short(cause.words, 200)} in {short(cause.scene, 200)} ({issues})"
        console.print(f"  [red]new[/]    {as_text(words)}", highlight=False, soft_wrap=True)
    if against.new > len(new):
        console.print(f"  and {against.new - len(new)} more new causes", highlight=False)
    for gone in against.fixed[:MOST_CHANGES]:
        words = f"{gone.digest[:12]} {short(gone.words, 200)} in {short(gone.scene, 200)}"
        console.print(f"  [green]fixed[/]  {as_text(words)}", highlight=False, soft_wrap=True)
    if len(against.fixed) > MOST_CHANGES:
        console.print(f"  and {len(against.fixed) - MOST_CHANGES} more fixed causes", highlight=False)


def print_reviews(console: Console, reviews: ReviewNumbers) -> None:
    """The verdicts of reviewers: precision, agreement, and the reasons for false alarms."""
    lines = [reviews.sentence, *reviews.remarks]
    if reviews.kappa is not None:
        lines.append(f"{reviews.kappa}.")
    if reviews.false_alarms:
        lines.append(f"False alarms: {', '.join(f'{cause} {issues}' for cause, issues in reviews.false_alarms)}.")
    for title, counted in (("Errors", reviews.errors), ("Wrong answers", reviews.wrong_answers)):
        if counted:
            lines.append(f"{title}: {', '.join(f'{name} {issues}' for name, issues in counted)}.")
    for line in lines:
        console.print(as_text(line), highlight=False, soft_wrap=True)


def _print_floor(console: Console, floor: ErrorFloor | None) -> None:
    """How many answers must be false."""
    if floor is None:
        return
    console.print(f"[bold]{floor.sentence}[/]", highlight=False, soft_wrap=True)
    parts = [f"{each.name} {each.fewest:,} of {each.answers:,}" for each in floor.relations if each.fewest]
    if parts:
        console.print(f"  By relation alone: {', '.join(parts)}.", highlight=False, soft_wrap=True)
    if floor.symmetric_sentence:
        console.print(f"  {floor.symmetric_sentence}", highlight=False, soft_wrap=True)


def _print_proving(console: Console, proving: Proving) -> None:
    """Which evidence there is, what was proved with it, and what that took."""
    console.print(as_text(proving.sentence), highlight=False, soft_wrap=True)
    if not proving.suspicions:
        return
    others = f" ({proving.others})" if proving.others else ""
    asked = f" Asked {proving.asked}." if proving.asked else ""
    console.print(f"[bold]{proving.found}[/]{others}.{asked}", highlight=False, soft_wrap=True)


def _print_leads(console: Console, numbers: RunNumbers, report: Path | None) -> None:
    """Why leads are not counted, and where to see them."""
    leads = numbers.counts.leads
    if not leads:
        return
    console.print(
        "1 lead is not counted. Its suspicions:"
        if leads == 1
        else f"{leads:,} leads are not counted. Their suspicions:",
        highlight=False,
    )
    _print_reasons(console, numbers.proving.lead_reasons, MOST_LEAD_REASONS)
    more = len(numbers.proving.lead_reasons) - MOST_LEAD_REASONS
    if more > 0:
        console.print(f"  and {more} more {'reason' if more == 1 else 'reasons'}", highlight=False)
    shown = "" if report is None else f"{report}#leads, or "
    command = f"anamorph review {shlex.quote(numbers.folder)} --only leads"
    console.print(as_text(f"  See them in {shown}with `{command}`."), highlight=False, soft_wrap=True)


def _print_noise(console: Console, numbers: RunNumbers) -> None:
    """How often the system answers differently by chance, beside the rates where every probe was repeated."""
    if numbers.proving.noise_sentence:
        console.print(numbers.proving.noise_sentence, highlight=False, soft_wrap=True)
    noisy = [group for group in numbers.groups if group.noise[1]]
    if numbers.repeats > 1 and noisy:
        rows = []
        for group in noisy:
            rate = group.counts.violation_rate
            rows.append((group.method, group.relation, "-" if rate is None else f"{rate:.1%}", noise_cell(group.noise)))
        table = Table("Rates beside the noise", ("method", "relation", "violated", "other answer"), tuple(rows))
        console.print(rich_table(table.title, table))


def _print_causes(console: Console, store: RunStore, numbers: RunNumbers) -> None:
    """How many causes the issues have, how sure they are, the first patterns, and examples of three causes."""
    violated = numbers.counts.violated
    if not violated:
        return
    console.print(f"[bold]{issues_from_causes(violated, numbers.cause_count)}[/]", highlight=False)
    for each in numbers.grades:
        if each.violated:
            rate = "" if each.rate is None else f", {each.rate:.1%} of the decided cases"
            meaning = JUDGED_AS_PUBLISHED if each.grade is None else GRADE_WORDS[each.grade]
            noun = UNGRADED if each.grade is None else each.grade if each.violated == 1 else f"{each.grade}s"
            _print_hanging(console, "  ", f"{each.violated} {noun}{rate}: {meaning}")
    wrong = numbers.wrong_anyway
    if wrong.cases:
        said = f"In {wrong.cases} of them the untouched photo was described wrongly already ({wrong.rate or 0:.1%})."
        _print_hanging(console, "  ", said)
    # What is in one photo alone is not a pattern.
    patterns = [shown for shown in numbers.patterns if shown.pattern.scenes > 1]
    for shown in patterns[:MOST_PATTERNS]:
        _print_hanging(console, "  ", f"{as_text(shown.words)}: {shown.counts}")
    if (more := len(patterns) - MOST_PATTERNS) > 0:
        console.print(f"  and {more} more {'pattern' if more == 1 else 'patterns'}", highlight=False)
    for issue in read_examples(store, numbers.repeats, MOST_ISSUES):
        (case,) = find_cases(store, issue.digest)
        print_issue(console, store, case, issue.verdict)
    console.print()


def print_gate(console: Console, result: GateResult) -> None:
    """How a run ends, and why."""
    colour = {"passed": "green", "failed": "red"}.get(result.outcome, "yellow")
    for warning in result.warnings:
        console.print(f"[yellow]Warning: {as_text(warning)}[/]", soft_wrap=True, highlight=False)
    console.print(f"[{colour} bold]{as_text(result.sentence)}[/]", soft_wrap=True, highlight=False)


def _print_discards(console: Console, numbers: RunNumbers) -> None:
    images, cases = numbers.discarded_images, numbers.discarded_cases
    subject = "1 image was" if images == 1 else f"{images} images were"
    lost = "1 case" if cases == 1 else f"{cases} cases"
    console.print(f"{subject} discarded by checks of images, which leaves {lost} out:")
    _print_reasons(console, numbers.discard_reasons)


def _print_reasons(console: Console, reasons: Sequence[tuple[str, int]], most: int = MOST_REASONS) -> None:
    for reason, count in reasons[:most]:
        console.print(f"  {count} \u00d7 {as_text(reason)}", highlight=False, soft_wrap=True)


def answer_line(answer: Answer | None, threshold: float | None = None) -> str:
    """An answer in one line, its labels by falling score, those below the threshold apart."""
    if answer is None:
        return "(no answer)"
    if answer.labels is not None:
        ranked = sorted(answer.labels.items(), key=lambda pair: (-pair[1], pair[0]))
        below = [pair for pair in ranked if threshold is not None and pair[1] < threshold]
        named = _scores(ranked[: len(ranked) - len(below)]) or "(no label)"
        return f"{named}; not named: {_scores(below)}" if below else named
    return " ".join((answer.text or "").split())


def _scores(ranked: Sequence[tuple[str, float]]) -> str:
    more = f", and {len(ranked) - MOST_LABELS} more" if len(ranked) > MOST_LABELS else ""
    return ", ".join(f"{name} {score:.2f}" for name, score in ranked[:MOST_LABELS]) + more


def print_issue(console: Console, store: RunStore, case: StoredCase, verdict: Verdict) -> None:
    """A violated case: why, how sure it is, what the system answered, and what proves it."""
    state = None if verdict.state is None else STATE_WORDS[verdict.state]
    sure = ", ".join(word for word in (verdict.grade, state) if word)
    console.print()
    console.print(
        f"[bold]{case.digest[:12]}[/] {f'[bold]{sure}[/], ' if sure else ''}{as_text(case.method)} {_tags(case)}",
        soft_wrap=True,
        highlight=False,
    )
    _print_hanging(console, "  ", as_text(suspected(verdict)))
    shrunk = shrinks_of(store, [case.digest]).get(case.digest)
    if shrunk is not None and len(shrunk.probes) == len(case.probes):
        given = [dict(enumerate(probe.answers)) for probe in shrunk.probes]
        console.print("  shrunk to a smaller edit, which the report shows:", highlight=False)
    else:
        answers = answers_of(store, case.probes)
        given = [answers[probe] for probe in case.probes]
    names = [probe_name(position, len(case.probes)) for position in range(len(case.probes))]
    width = max(map(len, names)) + 1
    questions, threshold = questions_of(store, case.probes), label_threshold(store)
    for name, probe, attempts in zip(names, case.probes, given, strict=True):
        answer = attempts.get(min(attempts, default=0))
        question = questions[probe]
        asked = f"[dim]{as_text(question[:300])}[/] " if question else ""
        _print_hanging(console, f"  {name:<{width}}", f"{asked}{as_text(answer_line(answer, threshold)[:300])}")
    if why := why_of(verdict):
        word = {"proved": "proof", "lead": "not counted"}.get(verdict.state or "", "why")
        _print_hanging(console, f"  {word}: ", as_text(why))


def _print_hanging(console: Console, first: str, markup: str) -> None:
    """A text whose further lines are indented like its first; whole where it goes to a file."""
    if not console.is_terminal:
        console.print(f"{first}{markup}", highlight=False, soft_wrap=True)
        return
    grid = RichTable.grid()
    grid.add_column(width=len(first), no_wrap=True)
    grid.add_column()
    grid.add_row(first, markup)
    console.print(grid, highlight=False)


def _tags(case: StoredCase) -> str:
    return as_text(", ".join(f"{key} {value}" for key, value in json.loads(case.tags).items()))


def rich_table(title: str, table: Table, elsewhere: str = "the report") -> RichTable:
    """A table for the terminal; `elsewhere` are the rows that are not shown."""
    rich = RichTable(title=as_text(title), title_justify="left", title_style="bold")
    for position, column in enumerate(table.columns):
        # Names may be long, and cut off they look the same.
        rich.add_column(as_text(column), justify="left" if position == 0 else "right", overflow="fold")
    for row in table.shown():
        rich.add_row(*(as_text(str(cell)) for cell in row))
    if table.hidden:
        rich.caption = f"{table.hidden} more rows between them: see {elsewhere}"
    return rich


def table_of(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], left: Collection[str] = (), **look: Any
) -> RichTable:
    """A table of text from anywhere; numbers in it stand right, but for the columns that are `left`."""
    rich = RichTable(title=as_text(title) or None, title_justify="left", title_style="bold", **look)
    cells = [[f"{cell:,}" if isinstance(cell, int) else as_text(str(cell)) for cell in row] for row in rows]
    for position, column in enumerate(columns):
        text = position == 0 or column in left
        rich.add_column(as_text(column), justify="left" if text else "right", overflow="fold")
    for row in cells:
        rich.add_row(*row)
    return rich


def print_caption_scores(console: Console, found: Sequence[RunScores]) -> None:
    """The caption metrics of runs, and what they leave out."""
    for table in scores_tables(found):
        console.print(rich_table(table.title, table))
    for line in scores_notes(found):
        console.print(as_text(line), highlight=False, soft_wrap=True)
