"""Shards: n runs over disjoint parts of the scenes that together are one run.

Every item of a scan, scene or skip, has a number. A shard takes every n-th, and keeps numbers as row ids, so that a
merge can restore the order of a single run.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from anamorph.model import Scene, Skip, decode, encode
from anamorph.store.plans import ItemIds, StoredScenes
from anamorph.store.run import RunStore

FACT = "shard"
# An item may have several skips, one for each unusable object: a skip's id contains its item's number.
SKIPS_OF_ITEM = 1 << 20
_SUM_BITS = 128


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `of`, counted from 1."""

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A shard from a string such as 2/8; ValueError for anything else."""
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise ValueError(f"shard must be a part of a whole, from 1/n to n/n, such as 2/8, got {text!r}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def has(self, number: int) -> bool:
        """Whether the item with this number is in this shard."""
        return number % self.of == self.index % self.of


@dataclass(frozen=True, slots=True)
class ShardNote:
    """A shard's record of its scan and plan, so that a merge can tell whether shards belong together.

    `whole` if it scanned and planned all scenes and kept its part. `items` and `digest` cover the scan of all parts;
    `inpainter` is the default one for photos.
    """

    index: int
    of: int
    whole: bool
    items: int
    digest: str
    inpainter: str

    @property
    def shard(self) -> Shard:
        return Shard(self.index, self.of)


def note_shard(store: RunStore, note: ShardNote) -> None:
    """Keep the note with the run; the caller holds the transaction."""
    store.set_fact(FACT, encode(note))


def shard_note(store: RunStore) -> ShardNote | None:
    """The note of a shard; None for any other run, and before planning."""
    plain: Any = store.fact(FACT)
    return None if plain is None else decode(ShardNote, plain, path=FACT)


@dataclass(slots=True)
class NumberedItems:
    """Numbers the items of a scan; if scenes are planned one by one, only the shard's items are passed on.

    Later stages keep the order, so `ids_of_next` is about the next item that they yield.
    """

    store: RunStore
    shard: Shard
    whole: bool
    limit: int | None = None
    items: int = 0
    # Whether the last yielded item is in the shard.
    is_own: bool = True
    _sum: int = 0
    _numbers: deque[int] = field(default_factory=deque)
    _twice: set[int] = field(default_factory=set)

    def over(self, found: Iterable[Scene | Skip]) -> Iterator[Scene | Skip]:
        """The items to work on."""
        if not self.whole:
            self.store.connection.execute("CREATE TEMP TABLE IF NOT EXISTS seen (name TEXT PRIMARY KEY) WITHOUT ROWID")
            self.store.connection.execute("DELETE FROM temp.seen")
        scenes = 0
        for item in found:
            number = self.items + 1
            if not self.whole and isinstance(item, Scene):
                if self.limit is not None and scenes >= self.limit:
                    return
                scenes += 1
                if self._is_known(item) and self.has(number):
                    self._twice.add(number)
            self.items = number
            self._count(number, item)
            if self.whole or self.has(number):
                self._numbers.append(number)
                yield item

    def ids_of_next(self) -> ItemIds:
        """The row ids of the next item."""
        number = self._numbers.popleft()
        self.is_own = self.has(number)
        return ItemIds(number, number * SKIPS_OF_ITEM, number in self._twice)

    def has(self, number: int) -> bool:
        """Whether the item with this number is in the shard."""
        return self.shard.has(number)

    def note(self, inpainter: str) -> ShardNote:
        """The record that the run keeps."""
        return ShardNote(self.shard.index, self.shard.of, self.whole, self.items, self.digest, inpainter)

    @property
    def digest(self) -> str:
        """A digest of all numbered items, including those read ahead but not used."""
        return f"{self._sum:0{_SUM_BITS // 4}x}"

    def _count(self, number: int, item: Scene | Skip) -> None:
        # A sum, since parts of a run may see items in another order.
        name = item.id if isinstance(item, Scene) else item.what
        content = f"{number}:{type(item).__name__}:{name}".encode("utf-8", "backslashreplace")
        own = int.from_bytes(hashlib.blake2b(content, digest_size=_SUM_BITS // 8).digest(), "big")
        self._sum = (self._sum + own) % (1 << _SUM_BITS)

    def _is_known(self, scene: Scene) -> bool:
        return not self.store.connection.execute("INSERT OR IGNORE INTO temp.seen VALUES (?)", (scene.id,)).rowcount


@dataclass(slots=True)
class FollowedScenes:
    """The scenes of a run for planning, passed through `add`.

    `number` is that of the last scene taken.
    """

    scenes: StoredScenes
    add: Callable[[Iterator[tuple[int, Scene]]], Iterator[tuple[int, Scene]]] | None = None
    number: int = 0

    def __iter__(self) -> Iterator[Scene]:
        scenes = self.scenes.numbered()
        for number, scene in scenes if self.add is None else self.add(scenes):
            self.number = number
            yield scene

    def __len__(self) -> int:
        return len(self.scenes)


def keep_own_part(store: RunStore, shard: Shard) -> None:
    """Delete the scenes and skips of other shards that no image needs; the caller holds the transaction."""
    connection, own = store.connection, (shard.of, shard.index % shard.of)
    connection.execute("DELETE FROM scenes WHERE id % ? IS NOT ? AND id NOT IN (SELECT scene FROM images)", own)
    connection.execute(f"DELETE FROM skips WHERE (id / {SKIPS_OF_ITEM}) % ? IS NOT ?", own)
