"""The colour of an object, as one of the basic colour words of English, from its pixels.

The eleven words are those of Berlin and Kay (Basic Color Terms, 1969). Each pixel gets a word by its lightness,
chroma and hue in CIELAB; the object gets the word that most of its pixels have, or none. The limits between the words
are our own, drawn around the colours that people agree on: what lies between two words (beige, teal) gets none.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Pixels, Thing
from anamorph.pixels.masks import mask_pixels

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")
# At most this many pixels of an object are looked at, evenly spread; with fewer than the least, no colour is named.
MOST_PIXELS = 4_000
LEAST_PIXELS = 60


@dataclass(frozen=True, slots=True)
class ColourEstimate:
    """A colour word, or None for an object of several colours or none in particular; `share` is that of its pixels."""

    name: str | None
    share: float


def estimate_colour(
    pixels: Pixels, thing: Thing, *, least_share: float = 0.6, most_other: float = 0.25
) -> ColourEstimate:
    """The colour of an object; without a mask, that of its box's inner half, where the object surely is.

    `least_share` of its pixels must have the word, and at most `most_other` another one.
    """
    own = _own_pixels(pixels, thing)
    if len(own) < LEAST_PIXELS:
        return ColourEstimate(None, 0.0)
    counts = np.bincount(name_pixels(own), minlength=len(COLOURS) + 1)[: len(COLOURS)] / len(own)
    best, other = np.argsort(counts)[::-1][:2]
    sure = counts[best] >= least_share and counts[other] <= most_other
    return ColourEstimate(COLOURS[best] if sure else None, float(counts[best]))


def name_pixels(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """The colour word of each of N RGB pixels as a place in `COLOURS`, or one past its end for none."""
    lab = cv2.cvtColor((pixels.reshape(1, -1, 3) / 255).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    light, a, b = lab[:, 0], lab[:, 1], lab[:, 2]
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    # In CIELAB, deep blues have the hue of purple; what separates them is how little red they have.
    red, blue = pixels[:, 0].astype(float), pixels[:, 2].astype(float)
    # Faint colours are hard to see in the dark and, for a camera in warm light, common on what is white.
    plain = chroma < np.where(light > 75, 14, np.where(light < 35, 10, 11))
    reddish, orange = (hue < 45) | (hue >= 345), (hue >= 45) & (hue < 74)
    rules = [
        ("black", (light < 8) | ((light < 14) & (chroma < 25)) | (plain & (light < 30))),
        ("white", plain & (light >= 75)),
        ("grey", plain & (light >= 36) & (light < 70)),
        ("none", plain),
        ("pink", ((hue < 25) | (hue >= 335)) & (light >= 56) & (chroma >= 16)),
        ("brown", reddish & (light < 48) & (chroma < 40) & (hue >= 25) & (hue < 45)),
        ("red", reddish & (light < 62) & (chroma >= 34)),
        ("brown", orange & (light < 56) & (chroma >= 13)),
        ("orange", orange & (light >= 58) & (chroma >= 46)),
        ("brown", (hue >= 74) & (hue < 88) & (light < 48) & (chroma >= 13)),
        ("yellow", (hue >= 76) & (hue < 108) & (light >= 66) & (chroma >= 38)),
        ("green", (hue >= 112) & (hue < 182) & (chroma >= 14)),
        ("blue", (hue >= 222) & (hue < 297) & (chroma >= 12)),
        ("blue", (hue >= 297) & (hue < 312) & (red < 0.42 * blue)),
        ("none", (hue >= 297) & (hue < 312) & (red < 0.5 * blue)),
        ("purple", (hue >= 301) & (hue < 335) & (light < 62) & (chroma >= 16)),
        ("pink", (hue >= 320) & (light >= 62) & (chroma >= 16)),
    ]
    names = np.full(len(light), len(COLOURS), dtype=np.intp)
    for name, where in reversed(rules):
        names[where] = len(COLOURS) if name == "none" else COLOURS.index(name)
    return names


def _own_pixels(pixels: Pixels, thing: Thing) -> npt.NDArray[np.uint8]:
    """Pixels of the object away from its edge, where its surroundings shine through."""
    height, width = pixels.shape[:2]
    box = thing.box
    left, top = max(0, int(box.x)), max(0, int(box.y))
    right, bottom = min(width, int(np.ceil(box.right))), min(height, int(np.ceil(box.bottom)))
    if right <= left or bottom <= top:
        return np.empty((0, 3), np.uint8)
    part = pixels[top:bottom, left:right]
    if thing.mask is None:
        own = np.zeros(part.shape[:2], bool)
        rows, columns = part.shape[0] // 4, part.shape[1] // 4
        own[rows : part.shape[0] - rows, columns : part.shape[1] - columns] = True
    elif (thing.mask.height, thing.mask.width) != (height, width):
        return np.empty((0, 3), np.uint8)
    else:
        own = mask_pixels(thing.mask)[top:bottom, left:right]
        inner = cv2.erode(np.ascontiguousarray(own, np.uint8), np.ones((3, 3), np.uint8), borderValue=0) > 0
        own = inner if inner.sum() >= LEAST_PIXELS else own
    found = part[own]
    return found[:: max(1, len(found) // MOST_PIXELS)]
