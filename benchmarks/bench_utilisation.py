"""How busy a fast system is kept while images are slow to make: the share of the time, and the wall against the ideal.

Edits that take as long as a network does and leave the interpreter alone (here they sleep), two render threads, and a
system that takes 30 ms a batch of 8. Ideal is the longer of making all images with both threads and asking about all of
them. The plain figure hands over the images of a scene when all are made. A run over few scenes has threads that share
the images of one; there the plain figure leaves every scene to one thread.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.ask import stage
from anamorph.engine.run import carry_out, start
from anamorph.engine.utilisation import read_utilisation
from anamorph.model import Answer, Ask, Manner, Picture, Pixels, Scene, Skip, setting

SCENES, IMAGES, BATCH, CALL_SECONDS, THREADS = 12, 32, 8, 0.03, 2


@dataclass(frozen=True)
class SlowEdit:
    """Takes its time and changes one pixel."""

    kind: ClassVar[str] = "slow-edit"
    number: int = setting(0, "Which one.")
    seconds: float = setting(0.01, "How long it takes.")

    def apply(self, picture: Picture) -> Picture:
        time.sleep(self.seconds)
        pixels = picture.pixels.copy()
        pixels[0, 0] = self.number
        return Picture(pixels, picture.things, picture.studio)


@dataclass(frozen=True)
class GreyScenes:
    """Small grey pictures."""

    kind: ClassVar[str] = "grey-scenes"
    count: int = setting(SCENES, "How many.")

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(self.count):
            yield Scene(f"s{index}", str(index), 16, 16)

    def pixels(self, scene: Scene) -> Pixels:
        return np.full((16, 16, 3), int(scene.picture), np.uint8)


@dataclass(frozen=True)
class BatchSystem:
    """Takes 30 ms for a batch, whatever its size."""

    kind: ClassVar[str] = "batch-system"

    @property
    def manner(self) -> Manner:
        return Manner(batch=BATCH)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> list[Answer]:
        time.sleep(CALL_SECONDS)
        return [Answer("a dog")] * len(batch)

    def close(self) -> None:
        pass


def measured(seconds: float, hand_over: float, scenes: int = SCENES, slow: float = 1e9) -> tuple[float, float]:
    """The wall of asking and how busy the system was, for edits that take this long.

    Threads share a scene whose images take longer than `slow`.
    """
    edits = [{"kind": "slow-edit", "number": number, "seconds": seconds} for number in range(1, IMAGES)]
    nothing: dict[str, Any] = {"blur": [], "brightness": [], "contrast": [], "shear": []}
    config = resolve(
        {
            "methods": ["deeptest"],
            "deeptest": {**nothing, "also": edits},
            "scenes": {"kind": "grey-scenes", "count": scenes},
            "system": {"kind": "batch-system"},
            "ask": {"render_threads": THREADS},
        }
    )
    before = stage.HAND_OVER_SECONDS, stage.SLOW_SECONDS
    stage.HAND_OVER_SECONDS, stage.SLOW_SECONDS = hand_over, slow
    try:
        with tempfile.TemporaryDirectory() as folder, start(config, Path(folder) / "run") as store:
            for _ in carry_out(store, config):
                pass
            busy = read_utilisation(store)
            return busy.seconds, busy.share or 0.0
    finally:
        stage.HAND_OVER_SECONDS, stage.SLOW_SECONDS = before


def main() -> None:
    for cls in (SlowEdit, GreyScenes, BatchSystem):
        catalog.register(cls)
    images = SCENES * IMAGES
    for seconds in (0.004, 0.008, 0.016, 0.04):
        ideal = max(images * seconds / THREADS, images / BATCH * CALL_SECONDS)
        plain, now = measured(seconds, 1e9), measured(seconds, stage.HAND_OVER_SECONDS)
        print(
            f"{seconds * 1000:g} ms an image: ideal {ideal:.1f} s; by scene {plain[0]:.1f} s "
            f"({plain[0] / ideal:.2f} times), busy {plain[1]:.0%}; as they come {now[0]:.1f} s "
            f"({now[0] / ideal:.2f} times), busy {now[1]:.0%}",
            flush=True,
        )
    seconds = 0.25
    for scenes in (1, 3):
        ideal = scenes * IMAGES * seconds / THREADS
        alone, shared = (measured(seconds, stage.HAND_OVER_SECONDS, scenes, slow) for slow in (1e9, stage.SLOW_SECONDS))
        print(
            f"{scenes} scenes of {IMAGES} images of {seconds * 1000:g} ms: ideal {ideal:.1f} s; one thread a scene "
            f"{alone[0]:.1f} s ({alone[0] / ideal:.2f} times); shared {shared[0]:.1f} s "
            f"({shared[0] / ideal:.2f} times)",
            flush=True,
        )


if __name__ == "__main__":
    main()
