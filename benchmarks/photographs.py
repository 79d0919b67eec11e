"""Synthetic photos with the entropy of real ones, so that decoding and encoding take a realistic time."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np


def make_photos(folder: Path, count: int, width: int = 640, height: int = 480) -> None:
    """Write `count` distinct JPEG photos of about 100 KB."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(count):
        rng = np.random.default_rng(index)
        picture = np.zeros((height, width, 3), np.float32)
        for step, weight in ((80, 90), (20, 40), (5, 14), (1, 5)):
            coarse = rng.normal(0, weight, (height // step + 1, width // step + 1, 3)).astype(np.float32)
            picture += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        pixels = np.clip(picture + 120, 0, 255).astype(np.uint8)
        cv2.imwrite(str(folder / f"{index:05}.jpg"), pixels, [cv2.IMWRITE_JPEG_QUALITY, 90])
