"""Inserting an object from a pool of cut-outs."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Box, Cutout, Hole, ObjectChange, Picture, Pixels, Thing, setting
from anamorph.pixels.blending import Alpha, Blend, blended, softly_mixed
from anamorph.pixels.masks import mask_in_window
from anamorph.pixels.matching import (
    PhotoLight,
    blur_for,
    blurred_within,
    photo_light,
    relit,
    shade,
    sharpness_after,
    softened,
)
from anamorph.pixels.shapes import covered, whole_box

# An object too small to notice proves nothing: COCO calls those below 32 x 32 pixels small.
_SHORTEST_SIDE = 32
_RECENT = 8


@dataclass(frozen=True, slots=True)
class Insert:
    """Put a cut-out into a box, in front of everything else."""

    kind: ClassVar[str] = "insert"
    reach: ClassVar[str] = "place"
    does: ClassVar[str | None] = "inserted"
    cutout: str = setting(help="The id of a cut-out in one of the run's pools.")
    box: Box = setting(help="The box it fills, rounded to whole pixels; the cut-out is scaled.")
    blend: Blend = setting(
        "paste", "paste (its own edge), feather (a soft edge), or poisson (the light of the surroundings)."
    )
    relight: bool = setting(False, "Give it the lightness, contrast and tint of the image, within bounds.")
    same_sharpness: bool = setting(False, "Blur it if the image around it is less sharp.")
    soft_edge: float = setting(0.0, "Fade its edge over this many pixels.", least=0, most=10)
    shadow: float = setting(0.0, "Darkness of the shadow under it, from 0 to 1.", least=0, most=1)

    def apply(self, picture: Picture) -> Picture:
        left, top, right, bottom = whole_box(self.box, *picture.pixels.shape[:2])
        cutout = picture.tools().cutout(self.cutout)
        size, place = (right - left, bottom - top), (slice(top, bottom), slice(left, right))
        colour, alpha, shape = _recent(cutout, *size)
        if self.relight:
            colour = _relit(cutout, *size, photo_light(picture.pixels))
        if self.same_sharpness:
            sigma = blur_for(picture.pixels, place, functools.partial(_sharpness, cutout, *size))
            colour = blurred_within(colour, shape, sigma) if sigma else colour
        pixels = picture.pixels.copy()
        if self.shadow:
            shade(pixels, shape, left, top, self.shadow)
        window = pixels[place]
        if self.soft_edge and self.blend == "paste":
            window[:] = softly_mixed(window, colour, _softened(cutout, *size, self.soft_edge))
        else:
            alpha = _softened(cutout, *size, self.soft_edge) if self.soft_edge else alpha
            window[:] = blended(window, colour, alpha, shape, self.blend)
        mask = mask_in_window(shape, left, top, *picture.pixels.shape[:2])
        new = Thing(
            _free_id(self.cutout, picture.things),
            cutout.thing.label,
            Box(left, top, right - left, bottom - top),
            mask,
            attributes=cutout.thing.attributes,
        )
        return replace(picture, pixels=pixels, things=(*covered(picture.things, mask), new))

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """The box of the cut-out."""
        yield ObjectChange("", None, self.box)

    def smaller(self) -> Iterator[Sequence[Insert]]:
        """The object at smaller sizes in whole pixels, at the same foot point."""
        box = self.box
        least = _SHORTEST_SIDE / max(min(box.width, box.height), 1)
        if least < 1:
            sizes = {(round(box.width * by), round(box.height * by)): None for by in (least, *towards(least, 1))}
            sizes.pop((round(box.width), round(box.height)), None)
            middle = box.x + box.width / 2
            yield [
                replace(self, box=Box(round(middle - width / 2), round(box.bottom) - height, width, height))
                for width, height in sizes
            ]


# Cached: MetaIC puts one cut-out of one size into several places of a photo.
@functools.lru_cache(maxsize=_RECENT)
def _recent(cutout: Cutout, width: int, height: int) -> tuple[Pixels, Alpha, Hole]:
    """A resized cut-out."""
    return resized(cutout.rgba, width, height)


@functools.lru_cache(maxsize=_RECENT)
def _relit(cutout: Cutout, width: int, height: int, photo: PhotoLight) -> Pixels:
    return relit(_recent(cutout, width, height)[0], cutout.light, photo)


@functools.lru_cache(maxsize=_RECENT)
def _softened(cutout: Cutout, width: int, height: int, soft_edge: float) -> Alpha:
    return softened(_recent(cutout, width, height)[1], soft_edge)


@functools.lru_cache(maxsize=4 * _RECENT)
def _sharpness(cutout: Cutout, width: int, height: int, sigma: float) -> float | None:
    colour, _, shape = _recent(cutout, width, height)
    return sharpness_after(colour, shape, sigma)


def resized(rgba: Pixels, width: int, height: int) -> tuple[Pixels, Alpha, Hole]:
    """The colors, alpha and shape of a cut-out at another size; the shape touches all four sides."""
    how = _interpolation(rgba, width, height)
    # Colors are weighted by alpha, or the photo behind the object would show at its edge.
    alpha8 = rgba[..., 3]
    weighted = np.asarray(cv2.bitwise_and(rgba, rgba, mask=np.ascontiguousarray(alpha8))).astype(np.float32)
    weighted[..., 3] /= 255
    soft, lines = np.flatnonzero((alpha8 > 0) & (alpha8 < 255)), weighted.reshape(-1, 4)
    lines[soft, :3] *= lines[soft, 3:]
    scaled = np.asarray(cv2.resize(weighted, (width, height), interpolation=how), np.float32)
    alpha = np.clip(scaled[..., 3], 0, 1)
    partial, lines = np.flatnonzero((alpha > 0) & (alpha < 1)), scaled.reshape(-1, 4)
    lines[partial, :3] /= np.maximum(alpha.reshape(-1, 1)[partial], 1e-3)
    colour = np.clip(np.rint(scaled[..., :3]), 0, 255).astype(np.uint8)
    return colour, alpha, _reaching(alpha)


def shape_of_alpha(alpha: Pixels, width: int, height: int) -> Hole:
    """The shape that `resized` returns for a cut-out with this alpha channel."""
    share = alpha.astype(np.float32) / 255
    scaled = cv2.resize(share, (width, height), interpolation=_interpolation(alpha, width, height))
    return _reaching(np.clip(np.asarray(scaled, np.float32), 0, 1))


def _interpolation(pixels: Pixels, width: int, height: int) -> int:
    return cv2.INTER_AREA if width * height < pixels.shape[0] * pixels.shape[1] else cv2.INTER_LINEAR


def _reaching(alpha: Alpha) -> Hole:
    """Pixels with an alpha of at least half, and the strongest ones of a side without any."""
    shape = alpha >= 0.5
    for side in ((0, slice(None)), (-1, slice(None)), (slice(None), 0), (slice(None), -1)):
        if not shape[side].any():
            line = alpha[side]
            shape[side] = line == line.max()
    return shape


def _free_id(cutout: str, things: tuple[Thing, ...]) -> str:
    """An unused id for the new object."""
    taken = {thing.id for thing in things}
    count = 1
    while (id := f"inserted-{count}-{cutout}") in taken:
        count += 1
    return id
