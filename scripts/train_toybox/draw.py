"""Draw training and held-back scenes into arrays on disk; their recipes follow from seed and position."""

from __future__ import annotations

import argparse
import multiprocessing
from pathlib import Path

import cv2
import numpy as np

from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import paint

WIDTH, HEIGHT = 160, 120
# Seeds are for the training scripts alone; seed 7 is what users see first, so nothing is trained on it.
TRAINING_SEED, HELD_BACK_SEED = 1001, 2002


def draw_one(job: tuple[int, int]) -> np.ndarray:
    """The picture of a scene at the size that the networks see."""
    pixels = paint(compose(*job))
    return cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=20_000)
    parser.add_argument("--held-back", type=int, default=2_000)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    with multiprocessing.Pool(options.processes) as pool:
        for name, seed, count in (
            ("held-back", HELD_BACK_SEED, options.held_back),
            ("training", TRAINING_SEED, options.scenes),
        ):
            pictures = np.lib.format.open_memmap(
                options.out / f"{name}.npy", mode="w+", dtype=np.uint8, shape=(count, HEIGHT, WIDTH, 3)
            )
            jobs = ((seed, index) for index in range(count))
            for index, small in enumerate(pool.imap(draw_one, jobs, chunksize=32)):
                pictures[index] = small
                if index % 4000 == 3999:
                    print(name, index + 1, flush=True)


if __name__ == "__main__":
    main()
