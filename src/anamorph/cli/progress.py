"""How the engine's events are shown: a live display, plain lines, or a JSON log."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from anamorph.cli.terminal import as_text, open_console
from anamorph.engine.events import (
    Advised,
    Answered,
    AskFailed,
    BudgetSpent,
    Discarded,
    Event,
    Judged,
    Planned,
    PlannedFurther,
    PlannedSome,
    PoolBuilt,
    ProofPlanned,
    ReadSome,
    Rendered,
    RenderFailed,
    RequestsWritten,
    Retrying,
    Scanned,
    Segmented,
    Settled,
    Skipped,
    StageBegan,
    StoppedByRule,
)
from anamorph.model.visible import one_line

VERBS = {
    "scan": "Scanning scenes",
    "plan": "Planning cases",
    "render": "Making images",
    "ask": "Asking the system",
    "read": "Reading",
    "judge": "Judging",
    "prove": "Proving suspicions",
}
EVERY_SECONDS = 5.0


class Tracker:
    """Counts that every display shows: how far the stage is, how fast it goes, and how many errors there were."""

    def __init__(self) -> None:
        self.stage = ""
        self.total: int | None = None
        self.done = 0
        self.errors = 0
        self.images = 0
        self.began = time.monotonic()

    def take(self, event: Event) -> int:
        """Count an event; returns by how much the stage advanced."""
        step = 0
        self.images += isinstance(event, Rendered)
        match event:
            case StageBegan(stage, total):
                self.stage, self.total, self.done, self.began = stage, total, 0, time.monotonic()
                self.images = 0
            case Rendered() | RenderFailed() | Discarded() if self.stage == "render":
                self.errors += isinstance(event, RenderFailed)
                step = 1
            case Scanned() | Answered() | Judged():
                step = 1
            case ReadSome(answers):
                step = answers - self.done
            case PlannedSome(cases) | Planned(cases):
                step = cases - self.done
            case AskFailed():
                self.errors += 1
                step = 1
            case RenderFailed(_, probes):
                self.errors += probes
                step = probes
            case Discarded(_, probes):
                step = probes
            case Skipped():
                self.errors += 1
        self.done += step
        return step

    @property
    def makes_images(self) -> bool:
        """Whether images are made while the system is asked, so that either may be what takes the time."""
        return self.stage in ("ask", "prove") and self.images > 0

    @property
    def rate(self) -> float:
        elapsed = time.monotonic() - self.began
        return self.done / elapsed if elapsed > 0 else 0.0


def trouble(event: Event) -> str | None:
    """A line about something that went wrong or could be better, if that is what the event reports."""
    match event:
        case Advised(advice):
            return advice
        case Skipped(what, reason):
            return f"skipped {what}: {reason}"
        case RenderFailed(_, _, reason):
            return f"no image: {reason}"
        case Discarded(_, _, reason):
            return f"discarded an image: {reason}"
        case AskFailed(probe, _, reason, tries):
            return f"no answer for {probe[:12]} after {tries} {'try' if tries == 1 else 'tries'}: {reason}"
        case Retrying(reason, wait):
            return f"trying again in {wait:.1f} s: {reason}"
        case BudgetSpent(budget, _, images_sent, lacking):
            return (
                f"no further call fits the budget of {budget:g}: {images_sent} images sent, {lacking} answers missing"
            )
        case RequestsWritten(requests, files):
            calls = "1 closed question" if requests == 1 else f"{requests} closed questions"
            return f"{calls} must be answered before all suspicions are settled: {', '.join(files)}"
        case StoppedByRule(rule, lacking):
            return f"stopped by the rule {rule}: {lacking} answers missing"
        case _:
            return None


def shown(events: Iterable[Event], *, plain: bool = False) -> Iterator[Event]:
    """The events, shown on stderr as they pass: live on a terminal, as lines elsewhere."""
    console = open_console(stderr=True)
    return show_lines(events, sys.stderr) if plain or not console.is_terminal else show_live(events, console)


def exhaust(events: Iterable[Event]) -> None:
    """Let a stage run to its end."""
    for _ in events:
        pass


def show_live(events: Iterable[Event], console: Console) -> Iterator[Event]:
    """A progress bar with rate, time left and errors; trouble is printed above it, the first few of a kind."""
    tracker, quiet = Tracker(), _Quiet()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[errors]}", style="red"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task: TaskID | None = None
        images: TaskID | None = None
        for event in events:
            step = tracker.take(event)
            if isinstance(event, Rendered) and tracker.makes_images:
                if images is None:
                    images = progress.add_task(VERBS["render"], total=None, rate="", errors="")
                progress.update(images, advance=1)
            if isinstance(event, StageBegan):
                for old in (task, images):
                    if old is not None:
                        progress.remove_task(old)
                images = None
                task = progress.add_task(VERBS[event.stage], total=event.total, rate="", errors="")
            elif task is not None and step:
                errors = f"{tracker.errors} errors" if tracker.errors else ""
                progress.update(task, advance=step, rate=f"{tracker.rate:,.0f}/s", errors=errors)
            line = quiet.line(event)
            if line:
                progress.console.print(f"[yellow]{as_text(line)}[/yellow]", highlight=False)
            yield event


def show_lines(events: Iterable[Event], out: TextIO) -> Iterator[Event]:
    """One plain line per stage, every few seconds, and for trouble: for logs and pipes."""
    tracker, quiet, last = Tracker(), _Quiet(), time.monotonic()
    for event in events:
        if isinstance(event, StageBegan) and tracker.stage:
            _line(tracker, out)
        tracker.take(event)
        if isinstance(event, Planned):
            questions = "" if event.probes == event.images else f", {event.probes} questions"
            first = "" if event.cases else ", in rounds that follow"
            out.write(f"planned {event.cases} cases{first}: {event.images} images{questions}\n")
        if isinstance(event, Segmented):
            out.write(
                f"segmented {event.looked} photos and recalled {event.recalled}: {event.things} objects"
                f"{f', {event.failed} photos failed' if event.failed else ''}\n"
            )
        if isinstance(event, PlannedFurther):
            out.write(f"round {event.round} of planning: {event.probes} new questions, {event.cases} cases so far\n")
        if isinstance(event, ProofPlanned):
            calls = "1 call" if event.calls == 1 else f"{event.calls} calls"
            out.write(f"round {event.round} of proving: {calls} for {event.suspicions} open suspicions\n")
        if isinstance(event, Settled):
            out.write(
                f"suspicions: {event.proved} proved, {event.refuted} refuted, {event.unfair} from unfair edits, "
                f"{event.leads} {'lead' if event.leads == 1 else 'leads'}, {event.undecided} undecided\n"
            )
        if isinstance(event, PoolBuilt):
            out.write(f"cut {event.cutouts} objects of {event.classes} classes out of the scenes, to be inserted\n")
            left = ", ".join(f"{count} {reason}" for reason, count in event.rejected)
            out.write(f"left out: {left or 'none'}{'' if event.recognised else '; no recognizer at hand'}\n")
        line = quiet.line(event)
        if line:
            out.write(one_line(line) + "\n")
        if time.monotonic() - last >= EVERY_SECONDS:
            _line(tracker, out)
            last = time.monotonic()
        yield event
    if tracker.stage:
        _line(tracker, out)


def log_events(events: Iterable[Event], out: TextIO) -> Iterator[Event]:
    """Write every event as a JSON line and pass it on."""
    for event in events:
        record = {"event": type(event).__name__, "at": round(time.time(), 3), **asdict(event)}
        out.write(json.dumps(record, ensure_ascii=True) + "\n")
        yield event


def _line(tracker: Tracker, out: TextIO) -> None:
    of = f" of {tracker.total}" if tracker.total is not None else ""
    errors = f", {tracker.errors} errors" if tracker.errors else ""
    left = ""
    if tracker.total and tracker.rate and tracker.total > tracker.done:
        left = f", {(tracker.total - tracker.done) / tracker.rate:.0f} s left"
    made = f"making images: {tracker.images}; " if tracker.makes_images else ""
    out.write(f"{made}{VERBS[tracker.stage].lower()}: {tracker.done}{of} ({tracker.rate:,.0f}/s{left}{errors})\n")
    out.flush()


class _Quiet:
    """Lets the first few lines of each type of trouble through, so that a thousand failures do not flood the screen."""

    MOST = 5

    def __init__(self) -> None:
        self._seen: dict[type, int] = {}

    def line(self, event: Event) -> str | None:
        text = trouble(event)
        if text is None:
            return None
        count = self._seen[type(event)] = self._seen.get(type(event), 0) + 1
        if count > self.MOST:
            return None
        return text if count < self.MOST else f"{text} (further lines like this are left out; the report has them all)"
