"""A subset of a scene source's photos, chosen outside the source."""

from __future__ import annotations

import dataclasses
import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, SceneSource, Skip, digest_of, setting
from anamorph.model.protocols import SceneSourceOptions
from anamorph.photos.files import read_text, shown
from anamorph.photos.names import names_of
from anamorph.scenes.choosing.splits import MOST_BYTES, photos_of_split

# How many missing ids an error lists.
_LISTED = 5


@dataclass(frozen=True, slots=True)
class PhotoChoice:
    """The choice of photos; every scene source takes these settings beside its own."""

    ids: str | None = setting(
        None, "A file with the id or file name of a photo on each line: only these photos; all must exist."
    )
    splits: str | None = setting(
        None,
        "The splits: Karpathy's JSON file, a JSON object of lists, or a folder of lists such as VOC's ImageSets/Main.",
    )
    split: str | None = setting(None, "With splits: only the photos of this one; train+restval means both.")
    skip: int = setting(0, "Skip this many photos at the beginning.", least=0)
    sample: int | None = setting(None, "Only this many photos, chosen at random by the run's seed.", least=1)

    def __post_init__(self) -> None:
        if (self.split is None) != (self.splits is None):
            lacking, there = ("splits", "split") if self.splits is None else ("split", "splits")
            example = {"splits": "splits=dataset_coco.json", "split": "split=test"}[lacking]
            raise ValueError(f"{there} also needs {lacking}, such as {example}")


NAMES = tuple(field.name for field in dataclasses.fields(PhotoChoice))


def choice_in(table: Mapping[str, Any], own: frozenset[str]) -> dict[str, Any]:
    """The choice in a table of scenes; settings that the source has itself (`own`) are the source's.

    VOC has its own `split`, which applies unless `splits` is set.
    """
    return {
        name: table[name]
        for name in NAMES
        if name in table and (name not in own or (name == "split" and "splits" in table))
    }


def chosen(source: SceneSource, choice: PhotoChoice, seed: int) -> SceneSource:
    """The source, reduced to the choice."""
    return source if choice == PhotoChoice() else cast(SceneSource, ChosenScenes(source, choice, seed))


@dataclass(frozen=True, slots=True)
class ChosenScenes:
    """The chosen photos of a source, in its order."""

    source: SceneSource
    choice: PhotoChoice
    seed: int

    @property
    def kind(self) -> str:
        return self.source.kind

    @property
    def describes(self) -> bool:
        return SceneSourceOptions.describes.of(self.source)

    def pixels(self, scene: Scene) -> Pixels:
        return self.source.pixels(scene)

    @property
    def packed(self) -> Callable[[Scene], Callable[[], Pixels]] | None:
        return SceneSourceOptions.packed.of(self.source)

    def scan(self) -> Iterator[Scene | Skip]:
        left = self.choice.skip
        listed = self._without_first(self._listed(), left) if left else self._listed()
        return listed if self.choice.sample is None else self._sampled(listed, self.choice.sample)

    def _listed(self) -> Iterator[Scene | Skip]:
        split = None
        if self.choice.splits is not None and self.choice.split is not None:
            split = photos_of_split(self.choice.splits, self.choice.split)
        ids = None if self.choice.ids is None else _Ids(self.choice.ids)
        found = False
        for item in self.source.scan():
            if isinstance(item, Skip):
                if ids is not None:
                    ids.note(item)
                yield item
                continue
            if split is not None and split.isdisjoint(names_of(item)):
                continue
            if ids is not None and not ids.name(item):
                continue
            found = True
            yield item
        if ids is not None:
            ids.check(self.source.kind)
        if not found and split is not None:
            raise UsageError(
                f"split={shown(self.choice.split)}: none of its {len(split)} photos is among those of {self.kind}. "
                "They are found by id, or by the name of the file."
            )

    def _without_first(self, found: Iterator[Scene | Skip], count: int) -> Iterator[Scene | Skip]:
        left = count
        for item in found:
            if isinstance(item, Scene) and left:
                left -= 1
                continue
            yield item
        if left:
            raise UsageError(f"skip={count}: there are only {count - left} photos.")

    def _sampled(self, found: Iterator[Scene | Skip], most: int) -> Iterator[Scene | Skip]:
        """The photos whose names have the smallest digests: a uniform choice, independent of their order."""
        kept: list[tuple[int, int, Scene]] = []
        for place, item in enumerate(found):
            if isinstance(item, Skip):
                yield item
                continue
            rank = -int(digest_of([self.seed, item.id])[:16], 16)
            if len(kept) < most:
                heapq.heappush(kept, (rank, place, item))
            elif rank > kept[0][0]:
                heapq.heapreplace(kept, (rank, place, item))
        if len(kept) < most:
            raise UsageError(f"sample={most}: there are only {len(kept)} photos.")
        yield from (scene for _, _, scene in sorted(kept, key=lambda each: each[1]))


class _Ids:
    """The lines of a file of ids, each of which must name one photo."""

    def __init__(self, file: str) -> None:
        self._file = file
        try:
            lines = read_text(Path(file), MOST_BYTES).splitlines()
        except BadPicture as problem:
            raise UsageError(f"ids={shown(file)}: {problem}") from problem
        wanted = (line.strip() for line in lines)
        self._missing = dict.fromkeys(line for line in wanted if line and not line.startswith("#"))
        self._taken: dict[str, str] = {}
        self._count = len(self._missing)
        if not self._missing:
            raise UsageError(f"ids={shown(file)}: the file names no photo. Write the id of one on each line.")

    def name(self, scene: Scene) -> bool:
        """Whether a line names this scene."""
        for name in names_of(scene):
            if name in self._missing:
                del self._missing[name]
                self._taken[name] = scene.id
                return True
            if self._taken.get(name, scene.id) != scene.id:
                raise UsageError(
                    f"ids={shown(self._file)}: {shown(name)!r} fits {shown(self._taken[name])!r} and "
                    f"{shown(scene.id)!r}. Write the id of the intended one."
                )
        return False

    def note(self, skip: Skip) -> None:
        """Mark a photo that the source skipped, and reported, as not missing."""
        for word in re.split(r"[\s:]+", skip.what):
            self._missing.pop(word, None)

    def check(self, kind: str) -> None:
        """UsageError for lines that name no photo."""
        if self._missing:
            first = ", ".join(shown(repr(name)) for name in list(self._missing)[:_LISTED])
            first += ", ..." if len(self._missing) > _LISTED else ""
            raise UsageError(
                f"ids={shown(self._file)}: {len(self._missing)} of {self._count} name no photo of {kind}: {first}. "
                "Photos are found by the id of the scene, or by the name of the file."
            )
