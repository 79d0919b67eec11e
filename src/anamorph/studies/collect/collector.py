"""Collecting photos for label combinations: search, filter, fetch, keep (ATOM, section II-B-3)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from anamorph.errors import Refused, SystemDown, Transient
from anamorph.methods.atom.combinations import Combination
from anamorph.model import Find, Query, Searcher, digest_of, encode, setting
from anamorph.pixels.perceptual_hash import ALIKE, BITS, differing_bits
from anamorph.reading.labels import label_space
from anamorph.scenes.collection.manifest import ManifestLine
from anamorph.studies.collect.caption_filter import CaptionFilter
from anamorph.studies.collect.downloads import Broken, Downloader, DownloadSettings
from anamorph.studies.collect.folder import CollectionFolder, Kept, Search, image_name
from anamorph.studies.collect.keywords import keywords
from anamorph.studies.collect.pictures import Taken, take


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """How photos are collected, whatever the search engine."""

    space: str = setting("coco", "The label space: coco, voc, coco-stuff, or the path of a .toml or .json file.")
    per_combination: int = setting(5, "The paper's N: photos to keep for each combination.", least=1)
    per_keyword: int = setting(20, "The paper's M: results to look at for each keyword.", least=1)
    keywords: int = setting(25, "Ask at most this many keywords of synonyms for a combination; 0 for all.", least=0)
    tagger: str = setting("rules", "What finds the nouns of captions: rules, spacy, spacy:MODEL, stanza.")
    alike: int = setting(
        ALIKE,
        "Photos of one combination whose perceptual hashes differ in at most this many bits are duplicates.",
        most=BITS,
    )
    give_up_after: int = setting(3, "Stop after this many failed searches in a row.", least=1)
    download: DownloadSettings = setting(DownloadSettings(), "Limits of a download, and where it may go.")


@dataclass(frozen=True, slots=True)
class CombinationBegan:
    """The search for a combination begins."""

    labels: Combination
    place: int
    total: int


@dataclass(frozen=True, slots=True)
class PhotoKept:
    """A photo was added to the collection."""

    entry: ManifestLine


@dataclass(frozen=True, slots=True)
class PhotoLeftOut:
    """A find was left out."""

    labels: Combination
    find: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """A keyword found nothing because the search engine failed."""

    labels: Combination
    reason: str


@dataclass(frozen=True, slots=True)
class CombinationEnded:
    """The search for a combination ended; `images` is how many the collection has for it now."""

    search: Search
    images: int


# Settings of searchers that change how they ask, not what they ask for.
_MANNERS = frozenset(("contact", "rate_per_second", "timeout_seconds", "retries", "index"))

CollectEvent = CombinationBegan | PhotoKept | PhotoLeftOut | SearchFailed | CombinationEnded


def settings_digest(searcher: Searcher, settings: CollectSettings) -> str:
    """A digest of all that the result of a search depends on: not of rate limits, time-outs and paths."""
    own = encode(settings)
    asked = {name: value for name, value in encode(searcher).items() if name not in _MANNERS}
    download = {name: own["download"][name] for name in ("most_megabytes", "most_megapixels", "least_pixels")}
    return digest_of({"searcher": asked, **own, "give_up_after": 0, "download": download})


class Collector:
    """Looks for photos of combinations and adds them to a folder."""

    def __init__(
        self,
        folder: CollectionFolder,
        searcher: Searcher,
        settings: CollectSettings,
        downloader: Downloader | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._searcher, self._settings, self._clock = folder, searcher, settings, clock
        self._downloader = downloader or Downloader(settings.download)
        self._space = label_space(settings.space)
        self._filter = CaptionFilter(settings.space, settings.tagger)
        self._digest = settings_digest(searcher, settings)
        self._failed_in_row = 0

    def collect(
        self, combinations: Iterable[Combination], *, refill: bool = False, limit: int | None = None
    ) -> Iterator[CollectEvent]:
        """Search for each combination that was not searched for before, or with `refill` for each that lacks photos."""
        to_do = [each for each in combinations if self._is_to_do(each, refill)][:limit]
        for place, combination in enumerate(to_do, start=1):
            yield CombinationBegan(combination, place, len(to_do))
            attempt = _Attempt(combination, self._folder)
            yield from self._search(attempt)
            search = attempt.search(self._searcher.kind, self._digest)
            if search.complete:
                self._folder.finish(search)
            yield CombinationEnded(search, len(attempt.present))

    def _is_to_do(self, combination: Combination, refill: bool) -> bool:
        if refill:
            return len(self._folder.entries.get(combination, [])) < self._settings.per_combination
        return not self._folder.is_done(combination, self._digest)

    def _search(self, attempt: _Attempt) -> Iterator[CollectEvent]:
        for query in keywords(attempt.combination, self._space, self._settings.keywords or None):
            if len(attempt.present) >= self._settings.per_combination:
                return
            try:
                yield from self._ask(query, attempt)
                self._failed_in_row = 0
            except Refused as problem:
                # The same keyword would be refused again, so the combination counts as searched.
                attempt.refused += 1
                yield SearchFailed(attempt.combination, str(problem))
            except Transient as problem:
                attempt.complete = False
                self._failed_in_row += 1
                yield SearchFailed(attempt.combination, str(problem))
                if self._failed_in_row >= self._settings.give_up_after:
                    raise SystemDown(
                        f"The search engine failed {self._failed_in_row} times in a row; the last time: {problem}"
                    ) from problem

    def _ask(self, query: Query, attempt: _Attempt) -> Iterator[CollectEvent]:
        attempt.keywords += 1
        for find in self._searcher.search(query, self._settings.per_keyword):
            if find.place in attempt.looked_at:
                continue
            attempt.looked_at.add(find.place)
            attempt.found += 1
            try:
                yield PhotoKept(self._keep(find, query, attempt))
            except Broken as problem:
                attempt.left_out[problem.reason] = attempt.left_out.get(problem.reason, 0) + 1
                yield PhotoLeftOut(attempt.combination, find.place, problem.reason, problem.detail)
            if len(attempt.present) >= self._settings.per_combination:
                return

    def _keep(self, find: Find, query: Query, attempt: _Attempt) -> ManifestLine:
        attempt.check_place(find)
        caption, flaw = self._filter.choose(find.captions, attempt.combination)
        if flaw is not None:
            raise Broken(flaw)
        try:
            taken = take(find, self._downloader, self._settings.download)
        except Broken as problem:
            raise Broken(f"broken: {problem.reason}", problem.detail) from problem
        attempt.check_likeness(taken, self._settings.alike)
        asked = " + ".join(query.words)
        entry = ManifestLine(
            image=image_name(taken),
            labels=attempt.combination,
            caption=caption,
            captions=find.captions,
            query=f"{asked} (simple)" if query.simple else asked,
            searcher=self._searcher.kind,
            origin=find.place,
            page=find.page,
            licence=find.licence,
            licence_url=find.licence_url,
            author=find.author,
            sha256=taken.sha256,
            perceptual_hash=f"{taken.perceptual_hash:016x}",
            width=taken.width,
            height=taken.height,
            bytes=len(taken.content),
            collected_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock())),
        )
        self._folder.add(entry, taken)
        attempt.present.append(entry)
        attempt.added += 1
        return entry


class _Attempt:
    """One combination while it is searched for."""

    def __init__(self, combination: Combination, folder: CollectionFolder) -> None:
        self.combination = combination
        self.present = list(folder.entries.get(combination, []))
        self.added = 0
        self.left_out: dict[str, int] = {}
        self.looked_at: set[str] = set()
        self.keywords = self.found = self.refused = 0
        self.complete = True
        self._gone = folder.reviewed_away(combination)

    def check_place(self, find: Find) -> None:
        """Raise Broken for a find that was looked at before."""
        if any(entry.origin == find.place for entry in self.present):
            raise Broken("collected before")
        if any(each.place == find.place for each in self._gone):
            raise Broken("reviewed away")

    def check_likeness(self, taken: Taken, alike: int) -> None:
        """Raise Broken for a picture that the combination has already, or that a reviewer removed."""
        for reason, hashes in (
            ("duplicate", [entry.perceptual_hash for entry in self.present]),
            ("reviewed away", [each.perceptual_hash for each in self._gone]),
        ):
            if any(differing_bits(int(each, 16), taken.perceptual_hash) <= alike for each in hashes):
                raise Broken(reason)

    def search(self, searcher: str, settings: str) -> Search:
        return Search(
            self.combination,
            settings,
            searcher,
            self.keywords,
            self.found,
            self.added,
            tuple(Kept(entry.origin, entry.sha256, entry.perceptual_hash) for entry in self.present),
            dict(sorted(self.left_out.items())),
            self.refused,
            self.complete,
        )
