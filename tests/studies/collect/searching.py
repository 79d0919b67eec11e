"""A search engine whose every move a test decides, and photos for it to find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from PIL import Image

from anamorph.model import Find, Query

Behaviour = Callable[[Query, int], Sequence[Find]]


class Plan:
    """What the fake search engine does, and what was asked of it."""

    def __init__(self) -> None:
        self.behaviour: Behaviour = lambda query, most: []
        self.asked: list[Query] = []
        self.looked_at = 0


@dataclass(frozen=True)
class FakeSearcher:
    """Does what the plan says; the plan is no setting of it."""

    kind: ClassVar[str] = "fake"
    plan: Plan = field(init=False, compare=False)

    @classmethod
    def of(cls, plan: Plan) -> FakeSearcher:
        made = cls()
        object.__setattr__(made, "plan", plan)
        return made

    def search(self, query: Query, most: int) -> Iterator[Find]:
        self.plan.asked.append(query)
        for find in self.plan.behaviour(query, most)[:most]:
            self.plan.looked_at += 1
            yield find

    def close(self) -> None:
        pass


def patchwork(seed: int, size: tuple[int, int] = (160, 120)) -> Image.Image:
    """A picture of its own kind: large patches of chance colours."""
    patches = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    return Image.fromarray(patches).resize(size, Image.Resampling.BICUBIC)


def save_photo(folder: Path, seed: int, name: str | None = None, size: tuple[int, int] = (160, 120)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"{seed}.png")
    patchwork(seed, size).save(path)
    return path


def captioned(folder: Path, *captions: str) -> Path:
    """A folder of photos with these captions beside them."""
    for seed, caption in enumerate(captions):
        save_photo(folder, seed, f"{seed:02}.png").with_suffix(".txt").write_text(caption)
    return folder
