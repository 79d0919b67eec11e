"""A system as a Python function: captions a picture by its dominant colour, and answers questions with that colour.

anamorph run anamorph.toml --system callable:examples/callable_system.py:caption
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

COLOURS = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "grey": (128, 128, 128),
    "red": (200, 40, 40),
    "orange": (230, 140, 40),
    "yellow": (230, 220, 60),
    "green": (60, 150, 60),
    "blue": (60, 90, 200),
    "purple": (140, 60, 160),
    "brown": (120, 80, 50),
}


def dominant_colour(image: npt.NDArray[np.uint8]) -> str:
    """The colour that is nearest to most pixels."""
    pixels = image[::4, ::4].reshape(-1, 1, 3).astype(int)
    distances = ((pixels - np.array(list(COLOURS.values()))) ** 2).sum(axis=2)
    counts = np.bincount(distances.argmin(axis=1), minlength=len(COLOURS))
    return list(COLOURS)[int(counts.argmax())]


def caption(images: list[npt.NDArray[np.uint8]], questions: list[str | None]) -> list[str]:
    """One text for each picture; a question is None where none is asked."""
    texts = []
    for image, question in zip(images, questions, strict=True):
        colour = dominant_colour(image)
        texts.append(f"a mostly {colour} picture" if question is None else colour)
    return texts


# Optional: a string that changes whenever the answers could, such as the version of a model's weights.
caption.fingerprint = "ten colours, first version"  # type: ignore[attr-defined]
