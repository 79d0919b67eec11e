"""A collection's photos for each combination, and its coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from anamorph.methods.atom.combinations import Combination
from anamorph.model import Table, encode
from anamorph.scenes.collection.manifest import ManifestLine
from anamorph.statistics.tables import share
from anamorph.studies.collect.coverage import CollectedCoverage, collected_coverage, coverage_table
from anamorph.studies.collect.folder import CollectionContents, Search
from anamorph.studies.relevance.votes import JudgedPhoto

_AND = " + "


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """A collection summed up for some combinations of a label space."""

    photos: int
    images: Mapping[Combination, int]
    searches: Mapping[Combination, Search]
    combinations: tuple[Combination, ...]
    coverage: tuple[CollectedCoverage, ...]
    only_relevant: bool = False

    def left_out(self) -> dict[str, int]:
        total = sum((Counter(search.left_out) for search in self.searches.values()), Counter[str]())
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    def record(self) -> dict[str, Any]:
        return {
            "photos": self.photos,
            "images": sum(self.images.values()),
            "found": sum(search.found for search in self.searches.values()),
            "left_out": self.left_out(),
            "per_k": [dict(zip(_SIZE_COLUMNS, row, strict=True)) for row in self._per_size()],
            "coverage": [encode(each) for each in self.coverage],
            "combinations": [self._record_of(each) for each in self.combinations],
        }

    def tables(self, most: int = 20) -> tuple[Table, ...]:
        """Per number of labels; what was left out and why; coverage; the combinations, the best served first."""
        sizes = tuple((str(row[0]), *row[1:]) for row in self._per_size())
        reasons = tuple(self.left_out().items())
        rows = sorted(self.combinations, key=lambda each: (-self.images[each], len(each), each))
        served = tuple(self._row_of(each) for each in rows[:most])
        rare = [each for each in rows if not self.images[each] and each in self.searches]
        tables = [
            Table("Collected", ("k", *(name.replace("_", " ") for name in _SIZE_COLUMNS[1:])), sizes),
            coverage_table(self.coverage, only_relevant=self.only_relevant),
            Table(f"Combinations, at most {most}", ("combination", "photos", "found", "keywords", "left out"), served),
        ]
        if reasons:
            tables.insert(1, Table("Left out because", ("reason", "finds"), reasons))
        if rare:
            shown = tuple((_AND.join(each), self.searches[each].found) for each in rare[:most])
            tables.append(
                Table(f"Rare: {len(rare)} have no photo; at most {most} are shown", ("combination", "found"), shown)
            )
        return tuple(tables)

    def _per_size(self) -> list[tuple[int, int, int, int, int, int]]:
        rows = []
        for size in sorted({len(each) for each in self.combinations}):
            these = [each for each in self.combinations if len(each) == size]
            searched = [each for each in these if each in self.searches or self.images[each]]
            common = sum(self.images[each] > 0 for each in these)
            found = sum(self.searches[each].found for each in these if each in self.searches)
            images = sum(self.images[each] for each in these)
            rows.append((size, len(these), common, len(searched) - common, found, images))
        return rows

    def _record_of(self, combination: Combination) -> dict[str, Any]:
        search = self.searches.get(combination)
        record: dict[str, Any] = {"labels": list(combination), "images": self.images[combination]}
        if search is None:
            return {**record, "searched": False}
        counts = {"searched": True, "keywords": search.keywords, "found": search.found}
        return {**record, **counts, "left_out": dict(search.left_out), "refused_keywords": search.refused}

    def _row_of(self, combination: Combination) -> tuple[str | int | float, ...]:
        search = self.searches.get(combination)
        images = self.images[combination]
        if search is None:
            return (_AND.join(combination), images, "-", "-", "not searched yet")
        left = ", ".join(f"{reason} {count}" for reason, count in search.left_out.items())
        return (_AND.join(combination), images, search.found, search.keywords, left or "-")


_SIZE_COLUMNS = ("k", "combinations", "common", "rare", "found", "images")


def summarise_collection(
    contents: CollectionContents,
    combinations: Sequence[Combination],
    labels: Iterable[str],
    data_set: Sequence[Iterable[str]] | None = None,
    relevant: Container[JudgedPhoto] | None = None,
) -> CollectionSummary:
    """Sum up a collection for these combinations; of several searches for one, the last counts.

    With `relevant`, only photos count for the coverage that people found to show their combination (figure 4).
    """
    entries = {each: contents.entries.get(each, []) for each in combinations}
    photos_of = {each: [entry.sha256 for entry in found] for each, found in entries.items()}
    counted = {
        each: [entry.sha256 for entry in found if relevant is None or _is_relevant(entry, relevant)]
        for each, found in entries.items()
    }
    space = tuple(labels)
    sizes = sorted({len(each) for each in combinations})
    return CollectionSummary(
        photos=len({photo for photos in photos_of.values() for photo in photos}),
        images={each: len(photos) for each, photos in photos_of.items()},
        searches={each: contents.searches[each][-1] for each in combinations if each in contents.searches},
        combinations=tuple(combinations),
        coverage=tuple(collected_coverage(counted, space, size, data_set) for size in sizes),
        only_relevant=relevant is not None,
    )


def _is_relevant(entry: ManifestLine, relevant: Container[JudgedPhoto]) -> bool:
    """Whether a judgement names the photo by its hash, its path or its file."""
    path = PurePosixPath(entry.image)
    return any((name, entry.labels) in relevant for name in (entry.sha256, entry.image, path.name, path.stem))


def share_of_common(summary: CollectionSummary) -> str:
    """How many of the combinations have a photo, in words."""
    common = sum(count > 0 for count in summary.images.values())
    total = len(summary.combinations)
    return f"{common} of {total} combinations ({share(common, total)}) have at least one photo"
