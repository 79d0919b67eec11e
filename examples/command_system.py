"""A system as a program: captions a picture by its dominant colour, one JSON line in, one JSON line out.

    anamorph run anamorph.toml --system "command:python examples/command_system.py"

It needs nothing of Anamorph: any language that reads and writes lines will do.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from PIL import Image

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


def dominant_colour(path: str) -> str:
    """The colour that is nearest to most pixels."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"))[::4, ::4].reshape(-1, 1, 3).astype(int)
    distances = ((pixels - np.array(list(COLOURS.values()))) ** 2).sum(axis=2)
    counts = np.bincount(distances.argmin(axis=1), minlength=len(COLOURS))
    return list(COLOURS)[int(counts.argmax())]


def main() -> None:
    """Answer until the input ends; what cannot be answered is an "error", not the end of the program."""
    for line in sys.stdin:
        item = json.loads(line)
        try:
            colour = dominant_colour(item["image"])
        except OSError as problem:
            reply = {"id": item["id"], "error": f"cannot read {item['image']}: {problem}"}
        else:
            text = f"a mostly {colour} picture" if item["question"] is None else colour
            reply = {"id": item["id"], "text": text}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
