"""Runs of several systems side by side: rates on what they share, and paired differences."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamorph import catalog
from anamorph.errors import AnamorphError, RunError, UsageError
from anamorph.model import GRADES, Bar, Bars, Grade, MethodOptions, RelationOptions, Tally
from anamorph.reading.nouns import enumerated
from anamorph.report.numbers import describe_part
from anamorph.statistics.intervals import Interval, clustered, paired
from anamorph.statistics.rates import RATE_NOTE, Rate, rate_of
from anamorph.store.answers import answering_times
from anamorph.store.floors import read_floors
from anamorph.store.run import RunStore
from anamorph.store.shared_cases import PAIR_COUNTS, PhotoPair, SharedCases, SplitCase
from anamorph.store.verdicts import tallies

ALL, NOT_NAMED = "all", "not named"
# Tags with more values are not shown side by side.
_MOST_VALUES = 12


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run: what was tested, and what asking took. `seconds` is the system's own time, over all calls."""

    name: str
    folder: str
    system: str
    photos: int
    cases: int
    calls: int
    from_cache: int
    failed_calls: int
    seconds: float
    cost: float | None = None
    # Suspicions that were not proved, and count for no rate.
    leads: int = 0
    # How many closed answers must be false, and how many there are; None if none are linked.
    floor: tuple[int, int] | None = None

    @property
    def floor_words(self) -> str:
        """The share of closed answers that must be false, or a dash."""
        return "-" if self.floor is None else f"at least {self.floor[0] / self.floor[1]:.1%}"


@dataclass(frozen=True, slots=True)
class RelationRates:
    """The rate of each run on one relation of a method, or on all of them, and its leads, which do not count."""

    method: str
    relation: str
    name: str
    rates: tuple[Rate, ...]
    leads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TagRates:
    """The rate of each run on the cases of a method that have one value of a tag, such as a depth or an overlap."""

    method: str
    tag: str
    value: str
    rates: tuple[Rate, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more often the second run violates a relation than the first, over cases that both decided."""

    first: int
    second: int
    method: str
    relation: str
    name: str
    decided: int
    difference: float
    interval: Interval | None
    only_first: int
    only_second: int
    both: int = 0

    @property
    def neither(self) -> int:
        return self.decided - self.only_first - self.only_second - self.both

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True, slots=True)
class GradeRates:
    """How often each run violates shared cases with one grade: the number, the rate, and its interval."""

    grade: Grade | None
    violated: tuple[int, ...]
    rates: tuple[float | None, ...]
    intervals: tuple[Interval | None, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs side by side; without shared cases the rates are of each run's own, and there are no differences.

    `overall` has a difference for every two runs, over all their cases; `versions` says that the runs are an earlier
    and a later version of one system.
    """

    runs: tuple[ComparedRun, ...]
    shared: int
    rates: tuple[RelationRates, ...]
    differences: tuple[Difference, ...]
    figures: tuple[Bars, ...]
    overall: tuple[Difference, ...] = ()
    grades: tuple[GradeRates, ...] = ()
    versions: bool = False
    by_tag: tuple[TagRates, ...] = ()

    @property
    def winner(self) -> int | None:
        """The run that clearly errs less often than every other one; None if there is none."""
        for place in range(len(self.runs)):
            own = [each for each in self.overall if place in (each.first, each.second)]
            if own and all(_loser(each) == (each.second if each.first == place else each.first) for each in own):
                return place
        return None

    @property
    def headline(self) -> str:
        names = [run.name for run in self.runs]
        if not self.overall:
            return "The runs share no case"
        winner = self.winner
        if self.versions:
            return {0: f"{names[1]} is worse than {names[0]}", 1: f"{names[1]} is better than {names[0]}"}.get(
                -1 if winner is None else winner, f"No clear change from {names[0]} to {names[1]}"
            )
        if winner is None:
            return f"No clear winner {'between' if len(names) == 2 else 'among'} {enumerated(names)}"
        return f"{names[winner]} wins against {enumerated([name for name in names if name != names[winner]])}"

    @property
    def lead(self) -> str:
        """How often the systems fail, and how sure the difference between the best two is."""
        if not self.overall:
            return self.sentence
        each = self._closest
        better, worse = (each.second, each.first) if each.difference < 0 else (each.first, each.second)
        rates = {
            each.first: (each.only_first + each.both) / max(1, each.decided),
            each.second: (each.only_second + each.both) / max(1, each.decided),
        }
        said = (
            f"{self.runs[better].name} fails {rates[better]:.1%} and {self.runs[worse].name} {rates[worse]:.1%} of the "
            f"{each.decided:,} cases that both decided"
        )
        points = 100 * abs(each.difference)
        if each.interval is None:
            return f"{said}: {points:.1f} points apart. One photo gives no interval."
        low, high = sorted(100 * end * (1 if each.difference >= 0 else -1) for end in each.interval)
        sure = "" if each.clear else ", so either may be better"
        return f"{said}: {points:.1f} points apart, 95 % interval {low:.1f} to {high:.1f}{sure}."

    @property
    def _closest(self) -> Difference:
        """The difference between the best run and the one that comes closest to it."""
        best = min(range(len(self.runs)), key=lambda place: self._rank(place))
        own = [each for each in self.overall if best in (each.first, each.second)]
        return min(own, key=lambda each: abs(each.difference))

    def _rank(self, place: int) -> tuple[int, int]:
        """Fewer losses first; of equals, the first run."""
        lost = [each for each in self.overall if place in (each.first, each.second)]
        worse = sum((each.difference > 0) == (each.second == place) for each in lost if each.difference)
        return worse, place

    @property
    def floors(self) -> str:
        """How many closed answers of each run must be false; empty if no run has an error floor."""
        if not any(run.floor for run in self.runs):
            return ""
        each = ", ".join(f"{run.name} {run.floor_words if run.floor else 'has no error floor'}" for run in self.runs)
        return f"False answers, whatever the photos show: {each}."

    @property
    def sentence(self) -> str:
        sizes = sorted({run.cases for run in self.runs})
        if not self.shared:
            return "The runs share no case, so each rate is of a run's own cases and no difference is computed."
        if sizes == [self.shared]:
            return f"The runs have the same {self.shared:,} cases."
        own = ", ".join(f"{run.name} has {run.cases:,}" for run in self.runs)
        return f"The runs have different plans: compared are the {self.shared:,} cases that all have ({own})."


def compare(
    stores: Sequence[RunStore], shared: SharedCases, costs: Sequence[float | None], *, versions: bool = False
) -> Comparison:
    """Put runs side by side; `versions` says that the second is a later version of the first's system."""
    names = _names([store.folder for store in stores])
    runs = tuple(_run(store, name, cost) for store, name, cost in zip(stores, names, costs, strict=True))
    count = shared.count
    each = [shared.tallies(place) if count else tallies(store) for place, store in enumerate(stores)]
    rates = tuple(_rates(each))
    places = list(itertools.combinations(range(len(stores)), 2)) if count else []
    paired_up = [(first, second, list(shared.pairs(first, second))) for first, second in places]
    differences = tuple(one for each in paired_up for one in _differences(*each))
    overall = tuple(_overall(*each) for each in paired_up)
    later = len(runs) == 2 and (versions or (runs[0].system == runs[1].system != NOT_NAMED))
    grades = tuple(_grades(shared, len(stores))) if count else ()
    tags = tuple(_by_tag(each))
    return Comparison(runs, count, rates, differences, tuple(_figures(names, rates)), overall, grades, later, tags)


def check_comparable(stores: Sequence[RunStore]) -> None:
    if len(stores) < 2:
        raise UsageError("One run cannot be compared. Give two or more, such as `anamorph compare RUN RUN`.")
    folders = [store.folder.resolve() for store in stores]
    for folder in folders:
        if folders.count(folder) > 1:
            raise UsageError(f"{folder}: is given twice. A run cannot be compared with itself.")
    for store in stores:
        if not store.fact("judged"):
            raise RunError(f"{store.folder}: has no verdicts yet. Use `anamorph resume {store.folder}` first.")


def split_cases(comparison: Comparison, shared: SharedCases) -> Iterator[tuple[int, int, SplitCase]]:
    """For every two runs, each case that only one of them violates."""
    for first, second in dict.fromkeys((each.first, each.second) for each in comparison.differences):
        for case in shared.splits(first, second):
            yield first, second, case


def _loser(each: Difference) -> int | None:
    """The run that clearly fails more often; None if either may."""
    if not each.clear:
        return None
    return each.second if each.difference > 0 else each.first


def _overall(first: int, second: int, pairs: Sequence[PhotoPair]) -> Difference:
    """The difference over all methods and relations; cases of one photo count together."""
    photos: dict[int, list[PhotoPair]] = {}
    for pair in pairs:
        photos.setdefault(pair.photo, []).append(pair)
    whole = [
        PhotoPair(ALL, ALL, photo, *(sum(getattr(pair, name) for pair in some) for name in PAIR_COUNTS))
        for photo, some in photos.items()
    ]
    return _difference(first, second, ALL, ALL, whole)


def _grades(shared: SharedCases, runs: int) -> Iterator[GradeRates]:
    decided = [shared.decided(run) for run in range(runs)]
    graded = [shared.graded(run) for run in range(runs)]
    for grade in (*GRADES, None):
        if not any(grade in own for own in graded):
            continue
        counts = [own.get(grade, {}) for own in graded]
        violated = [sum(own.values()) for own in counts]
        yield GradeRates(
            grade,
            tuple(violated),
            tuple(number / sum(own.values()) if own else None for number, own in zip(violated, decided, strict=True)),
            tuple(
                clustered((number, own.get(photo, 0)) for photo, number in all_cases.items())
                for own, all_cases in zip(counts, decided, strict=True)
            ),
        )


def _rates(each: Sequence[Sequence[Tally]]) -> Iterator[RelationRates]:
    kinds = _in_order((tally.method, tally.relation) for own in each for tally in own)
    for method in dict.fromkeys(method for method, _ in kinds):
        relations = [relation for one, relation in kinds if one == method]
        for relation in relations:
            own = [[t for t in run if (t.method, t.relation) == (method, relation)] for run in each]
            yield RelationRates(method, relation, relation_name(relation), tuple(map(rate_of, own)), _leads(own))
        if len(relations) > 1:
            whole = [[t for t in run if t.method == method] for run in each]
            yield RelationRates(method, ALL, ALL, tuple(map(rate_of, whole)), _leads(whole))


def _leads(each: Sequence[Sequence[Tally]]) -> tuple[int, ...]:
    return tuple(sum(tally.leads for tally in own) for own in each)


def _by_tag(each: Sequence[Sequence[Tally]]) -> Iterator[TagRates]:
    """Rates by every tag that has a few values; one with more, such as a label combination, has tables of its own."""
    for method in dict.fromkeys(tally.method for run in each for tally in run):
        own = [[tally for tally in run if tally.method == method] for run in each]
        for tag in dict.fromkeys(tag for run in own for tally in run for tag in tally.tags):
            values = dict.fromkeys(tally.tags[tag] for run in own for tally in run if tag in tally.tags)
            for value in values if 1 < len(values) <= _MOST_VALUES else ():
                having = ([tally for tally in run if tally.tags.get(tag) == value] for run in own)
                yield TagRates(method, tag, value, tuple(map(rate_of, having)))


def _in_order(kinds: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Methods and relations as they come in the plan, or relations as they come in the paper where that is known."""
    found = list(dict.fromkeys(kinds))
    methods = list(dict.fromkeys(method for method, _ in found))
    papers = {method: _paper_order(method) for method in methods}
    return sorted(found, key=lambda kind: (methods.index(kind[0]), papers[kind[0]].get(kind[1], -1)))


def _paper_order(method: str) -> dict[str, int]:
    try:
        kinds = MethodOptions.relation_order.of(catalog.find("methods", method))
    except AnamorphError:
        kinds = ()
    return {kind: place for place, kind in enumerate(kinds)}


def _differences(first: int, second: int, pairs: Sequence[PhotoPair]) -> Iterator[Difference]:
    photos: dict[tuple[str, str], list[PhotoPair]] = {}
    for pair in pairs:
        photos.setdefault((pair.method, pair.relation), []).append(pair)
    for method, relation in _in_order(photos):
        yield _difference(first, second, method, relation, photos[method, relation])


def _difference(first: int, second: int, method: str, relation: str, own: Sequence[PhotoPair]) -> Difference:
    difference, interval = paired((each.decided, each.first, each.second) for each in own)
    decided, failed, _, only_first, only_second = (sum(getattr(each, name) for each in own) for name in PAIR_COUNTS)
    counts = (decided, difference, interval, only_first, only_second, failed - only_first)
    return Difference(first, second, method, relation, relation_name(relation), *counts)


def _figures(names: Sequence[str], rates: Sequence[RelationRates]) -> Iterator[Bars]:
    for method in dict.fromkeys(each.method for each in rates):
        own = [each for each in rates if each.method == method and each.relation != ALL]
        bars = [Bar(each.name, tuple(rate.with_interval for rate in each.rates)) for each in own]
        yield Bars(f"Error rates, {method}", tuple(names), tuple(bars), RATE_NOTE)


def relation_name(kind: str) -> str:
    """The paper's name of a relation, if it has one."""
    try:
        return RelationOptions.name.of(catalog.find("relations", kind)) or kind
    except AnamorphError:
        return kind


def _run(store: RunStore, name: str, cost_per_call: float | None) -> ComparedRun:
    calls, recalled, seconds = answering_times(store)
    return ComparedRun(
        name=name,
        folder=str(store.folder),
        system=_system(store),
        photos=store.count("scenes"),
        cases=store.count("cases"),
        calls=calls,
        from_cache=recalled,
        failed_calls=store.count("failures"),
        seconds=seconds,
        cost=_spent(store) if cost_per_call is None else calls * cost_per_call,
        leads=store.count("verdicts", "outcome = 'lead'"),
        floor=next(((row.fewest, row.answers) for row in read_floors(store, "all") if row.answers), None),
    )


def _spent(store: RunStore) -> float | None:
    """The cost that the run recorded; None if its calls had no price."""
    ask = store.fact("config", {}).get("ask", {})
    priced = isinstance(ask, dict) and any(ask.get(name) is not None for name in ("price", "price_in", "price_out"))
    return store.fact("spending", {}).get("spent") if priced else None


def _system(store: RunStore) -> str:
    part = describe_part("systems", store.fact("config", {}).get("system"))
    return NOT_NAMED if part is None else f"{part.kind} {part.choice}".strip()


def _names(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that distinguish the runs."""
    parts = [folder.resolve().parts for folder in folders]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(names):
            return names
    return [json.dumps(str(folder)) for folder in folders]
