"""A run as an object: its rate, its issues, its cases, its report."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from anamorph.api.inputs import SystemLike, take_system
from anamorph.config import Config, resolve
from anamorph.engine.budget import Spending
from anamorph.engine.events import Event
from anamorph.engine.gate import GateResult
from anamorph.engine.run import carry_out, change_settings, config_of
from anamorph.errors import MissingExtra, RunError
from anamorph.report.baseline.file import BaselineCause, ChosenBaseline
from anamorph.report.baseline.matching import BaselineMatch
from anamorph.report.cause_words import Cause, ShownPattern, find_causes, read_causes
from anamorph.report.floor import ErrorFloor
from anamorph.report.issues import Issue, JudgedCase, read_cases, read_examples, read_issues, read_leads
from anamorph.report.numbers import Proving, RunNumbers, read_numbers
from anamorph.report.wording import answer_text
from anamorph.report.writing import write_report
from anamorph.statistics.rates import Rate
from anamorph.store.run import RunStore
from anamorph.store.signing import sign

if TYPE_CHECKING:
    import pandas

# None: a live display where stderr is a terminal. True and False: always and never. A function gets every event.
Progress: TypeAlias = "bool | Callable[[Event], None] | None"


class Issues:
    """The violated cases of a run, or its leads, read from disk as they are asked for, as often as wanted."""

    def __init__(self, run: Run, noun: Literal["issues", "leads"] = "issues") -> None:
        self._run, self._noun = run, noun

    def __len__(self) -> int:
        counts = self._run.numbers.counts
        return counts.violated if self._noun == "issues" else counts.leads

    def __iter__(self) -> Iterator[Issue]:
        read = read_issues if self._noun == "issues" else read_leads
        with self._run._reading() as (store, config):
            yield from read(store, None, config.settings.ask.repeats)

    @overload
    def __getitem__(self, place: int) -> Issue: ...
    @overload
    def __getitem__(self, place: slice) -> list[Issue]: ...

    def __getitem__(self, place: int | slice) -> Issue | list[Issue]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return (
                list(islice(self, start, stop, step)) if step > 0 else [self[each] for each in range(start, stop, step)]
            )
        found = next(islice(self, place + (len(self) if place < 0 else 0), None), None)
        if found is None:
            raise IndexError(f"there are {len(self)} {self._noun}, none at {place}")
        return found

    def __repr__(self) -> str:
        return f"<{len(self)} {self._noun} of {self._run.folder}>"


class Run:
    """A run on disk; what it has found is read when it is asked for."""

    def __init__(
        self,
        folder: Path,
        config: Config | None = None,
        place: Path | None = None,
        baseline: ChosenBaseline | None = None,
    ) -> None:
        self.folder = folder.absolute()
        self._config = config
        self._baseline = baseline
        self._numbers: RunNumbers | None = None
        if place is not None:
            # A temporary folder, which is useless once this object is gone.
            weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
        with self._reading():
            pass

    @property
    def numbers(self) -> RunNumbers:
        """The run in numbers: what was tested and how it came out, by method and relation."""
        if self._numbers is None:
            with self._reading() as (store, config):
                self._numbers = read_numbers(store, config, self._baseline)
        return self._numbers

    @property
    def gate(self) -> GateResult:
        """The exit code that `anamorph run` would end with, and the sentence that says why."""
        numbers = self.numbers
        if numbers.state in ("planning", "unjudged"):
            return GateResult("broken", "The run is not finished, so it says nothing about the system yet.")
        return numbers.gate

    @property
    def passed(self) -> bool:
        """Whether the run passes its gate; by default, whether no case is violated."""
        return self.gate.exit_code == 0

    @property
    def spending(self) -> Spending:
        """Images sent, tokens used, and the cost."""
        return self.numbers.spending

    @property
    def rate(self) -> Rate:
        """The violated share of the decided cases, with its 95 % interval."""
        counts = self.numbers.counts
        return Rate(counts.holds, counts.violated, counts.undecided, counts.interval)

    @property
    def floor(self) -> ErrorFloor | None:
        """How many closed answers must be false, whatever the photos show; None if the run links none."""
        return self.numbers.floor

    @property
    def issues(self) -> Issues:
        """The violated cases by cause, the surest cause first, with pictures and answers."""
        return Issues(self)

    @property
    def leads(self) -> Issues:
        """The cases with a suspicion that was not proved, which count for nothing, with why that is so."""
        return Issues(self, "leads")

    @property
    def proving(self) -> Proving:
        """Which evidence there is, what became of suspicions, and what asking took."""
        return self.numbers.proving

    def examples(self, most: int = 3) -> list[Issue]:
        """The clearest issues of different causes, the surest cause first."""
        with self._reading() as (store, config):
            return list(read_examples(store, config.settings.ask.repeats, most))

    @property
    def causes(self) -> list[Cause]:
        """The answers that are to blame for the issues, the surest and then the commonest first."""
        with self._reading() as (store, _):
            return list(read_causes(store))

    @property
    def new_causes(self) -> list[Cause]:
        """The causes that the baseline does not know; all of them without a baseline."""
        return [cause for cause in self.causes if cause.standing != "known"]

    @property
    def fixed_causes(self) -> list[BaselineCause]:
        """The causes of the baseline that this run tested and did not find; none without a baseline."""
        against = self.numbers.baseline
        return [] if against is None else list(against.fixed)

    @property
    def patterns(self) -> tuple[ShownPattern, ...]:
        """The causes of one kind and class over all scenes, the surest and then the commonest first."""
        return self.numbers.patterns

    @property
    def cases(self) -> Iterator[JudgedCase]:
        """Every case in brief, in the order of the plan."""
        with self._reading() as (store, _):
            yield from read_cases(store)

    def to_pandas(self) -> pandas.DataFrame:
        """Every case as a row of a data frame, with a column for each tag (needs the extra `pandas`)."""
        try:
            import pandas
        except ImportError as problem:
            raise MissingExtra("Run.to_pandas", "pandas") from problem
        return pandas.DataFrame([_record(case) for case in self.cases])

    def report(self, out: str | os.PathLike[str] | None = None) -> Path:
        """Write the report, by default into the run's folder; gives the path of its first page."""
        with self._reading() as (store, config):
            folder = self.folder / "report" if out is None else Path(out)
            return write_report(store, config, folder, baseline=self._baseline).index_html

    def resume(
        self,
        *,
        system: SystemLike | None = None,
        budget: float | None = None,
        price: float | None = None,
        settings: Mapping[str, Any] | None = None,
        accept_changed_system: bool = False,
        progress: Progress = None,
    ) -> Run:
        """Carry out what is left: ask what has no answer yet, then judge everything; gives the run itself.

        `system` is for a plan that was made without one. `settings` are those that the plan does not depend on, such as
        {"ask": {"parallel": 2}}; the run keeps them, as it keeps the budget and the price. A run whose system or scenes
        are objects of another process cannot be continued here.
        """
        self._numbers = None
        with RunStore.open(self.folder) as store, _directory(store if self._config is None else None):
            config = self._config or config_of(store)
            if system is not None:
                config = _with_system(store, config, system)
            prices = {name: value for name, value in (("budget", budget), ("price", price)) if value is not None}
            changes = dict(settings or {})
            if prices:
                changes["ask"] = {**changes.get("ask", {}), **prices}
            config = change_settings(store, config, changes)
            events = carry_out(store, config, accept_changed_system=accept_changed_system)
            show(events, progress, self.folder)
        if self._config is not None:
            self._config = config
        return self

    def __repr__(self) -> str:
        counts = self.numbers.counts
        return (
            f"<Run {self.folder}: {counts.cases} cases, {counts.violated} violated, {counts.leads} leads, "
            f"{counts.undecided} undecided; {self.rate}>"
        )

    def _repr_html_(self) -> str:
        from anamorph.api.notebook import run_html

        return run_html(self)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[tuple[RunStore, Config]]:
        with RunStore.open(self.folder, read_only=True) as store:
            config = self._config or config_of(store, reading=True)
            if self._baseline is not None:
                find_causes(store, BaselineMatch(self._baseline, config.settings.ask.repeats))
            yield store, config


def show(events: Iterator[Event], progress: Progress, folder: Path) -> None:
    """Go through the events of a run and show them as wished; an interrupted run says how to go on."""
    try:
        for event in _displayed(events, progress):
            if callable(progress):
                progress(event)
    except KeyboardInterrupt as problem:
        problem.add_note(f"Nothing is lost: continue with anamorph.open_run({str(folder)!r}).resume().")
        raise
    finally:
        events.close()  # type: ignore[attr-defined]


def _displayed(events: Iterator[Event], progress: Progress) -> Iterable[Event]:
    if progress is False or callable(progress) or (progress is None and not sys.stderr.isatty()):
        return events
    from anamorph.cli.progress import show_lines, show_live
    from anamorph.cli.terminal import open_console

    console = open_console(stderr=True)
    return show_live(events, console) if console.is_terminal else show_lines(events, sys.stderr)


def _with_system(store: RunStore, config: Config, system: SystemLike) -> Config:
    if store.fact("fingerprint") is not None:
        raise RunError(f"{store.folder}: was begun with a system already; start a new run to test another one.")
    plain, given = dict(config.plain), dict(config.given)
    given.pop("system", None)
    take_system(plain, given, system)
    changed = dataclasses.replace(resolve(plain), given=given)
    stored = {**store.fact("config", {}), "system": changed.plain["system"]}
    with store.transaction():
        store.set_fact("config", stored)
        sign(store)
    return changed


@contextlib.contextmanager
def _directory(store: RunStore | None) -> Iterator[None]:
    """Be where a run was started, where its relative paths mean what they meant."""
    directory = None if store is None else store.fact("directory")
    if not directory or not Path(directory).is_dir() or Path(directory) == Path.cwd():
        yield
        return
    with contextlib.chdir(directory):
        yield


def _record(case: JudgedCase) -> dict[str, Any]:
    source, *follow_ups = (None if answer is None else answer_text(answer) for answer in case.answers)
    return {
        "case": case.digest,
        "method": case.method,
        "relation": case.relation,
        "outcome": case.outcome,
        "reason": case.reason,
        "violated": list(case.violated),
        "categories": list(case.categories),
        "grade": case.grade,
        "state": case.state,
        "why": case.why,
        "wrong_anyway": case.wrong_anyway,
        "cause": None if case.cause is None else case.cause.digest,
        "scene": case.scene,
        "question": case.questions[0],
        "source": source,
        "follow_ups": follow_ups,
        **{f"tag_{name}": value for name, value in case.tags.items()},
    }
