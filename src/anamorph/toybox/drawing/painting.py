"""Renders recipes, and the visible part of each thing."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Pixels
from anamorph.toybox.drawing.appearances import INKS, Appearance
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.canvases import Canvas
from anamorph.toybox.drawing.recipes import Item, Light, Recipe
from anamorph.toybox.drawing.sprites import Sprite, draw_sprite

_SHADOW = {"ground": 0.42, "table": 0.38, "wall": 0.25}


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The visible part of one item: its pixels, and their share of its whole outline."""

    pixels: npt.NDArray[np.bool_]
    fraction: float


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    item: Item
    sprite: Sprite
    left: int
    top: int


def paint(recipe: Recipe) -> Pixels:
    """The image of a recipe."""
    return _paint(recipe, _place(recipe))


def see(recipe: Recipe) -> list[Sight]:
    """The visible part of each item, in the recipe's order; an item's pixels are those it covers by half or more."""
    return _see(recipe, _place(recipe))


def paint_and_see(recipe: Recipe) -> tuple[Pixels, list[Sight]]:
    """Both, drawing each thing only once."""
    placed = _place(recipe)
    return _paint(recipe, placed), _see(recipe, placed)


def _place(recipe: Recipe) -> list[_Placed]:
    placed = []
    for item in recipe.items:
        look = Appearance(INKS[item.colour or "grey"], item.variant, item.action, item.pose, item.form)
        sprite = draw_sprite(item.label, look, item.unit * recipe.height, item.mirrored, recipe.light.side)
        left, top = round(item.x * recipe.height - sprite.foot_x), round(item.y * recipe.height - sprite.foot_y)
        placed.append(_Placed(item, sprite, left, top))
    return placed


def _paint(recipe: Recipe, placed: list[_Placed]) -> Pixels:
    background = Canvas(recipe.width, recipe.height, recipe.backdrop)
    BACKGROUNDS[recipe.background].paint(background, recipe.horizon)
    canvas = background.sheet.astype(np.float32)
    for one in placed:
        sprite = one.sprite
        if one.item.rest == "water":
            _mirror_in_water(canvas, sprite, one.left, one.top)
        elif one.item.rest in _SHADOW:
            _cast_shadow(canvas, sprite, one.left, one.top, recipe.light.side, one.item.rest)
        region, inside = _meet(canvas, sprite.cover.shape, one.left, one.top)
        canvas[region] = canvas[region] * (1 - sprite.cover[inside][:, :, None]) + sprite.colours[inside]
    return _develop(canvas, recipe.light, recipe.backdrop)


def _see(recipe: Recipe, placed: list[_Placed]) -> list[Sight]:
    owner = np.full((recipe.height, recipe.width), -1, np.int16)
    whole: list[int] = []
    for position, one in enumerate(placed):
        solid = one.sprite.cover >= 0.5
        region, inside = _meet(owner, solid.shape, one.left, one.top)
        owner[region][solid[inside]] = position
        whole.append(int(solid.sum()))
    seen = (owner == position for position in range(len(whole)))
    return [Sight(pixels, float(pixels.sum() / max(1, area))) for pixels, area in zip(seen, whole, strict=True)]


def _meet(
    canvas: npt.NDArray[np.generic], size: tuple[int, ...], left: int, top: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """The part of the canvas that a sprite covers, and the part of the sprite on the canvas."""
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = max(x0, min(canvas.shape[1], left + size[1])), max(y0, min(canvas.shape[0], top + size[0]))
    return (slice(y0, y1), slice(x0, x1)), (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))


def _cast_shadow(canvas: npt.NDArray[np.float32], sprite: Sprite, left: int, top: int, side: float, rest: str) -> None:
    height = sprite.cover.shape[0]
    if rest == "wall":
        shift = max(1, round(height * 0.05))
        soft = cv2.GaussianBlur(sprite.cover, (0, 0), max(1.0, height * 0.03))
        _darken(canvas, soft * _SHADOW[rest], left - round(shift * side), top + shift)
        return
    foot = sprite.cover[int(height * 0.8) :].max(axis=0)
    columns = np.flatnonzero(foot > 0.5)
    if not len(columns):
        return
    span = int(columns[-1] - columns[0] + 1)
    thick = max(3, round(min(span * 0.22, height * 0.22)))
    pad = thick
    patch = np.zeros((thick + 2 * pad, span + 4 * pad), np.float32)
    centre = (patch.shape[1] // 2, patch.shape[0] // 2)
    cv2.ellipse(patch, centre, (span // 2 + pad // 2, thick // 2), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    patch = cv2.GaussianBlur(patch, (0, 0), max(1.0, thick * 0.3))
    x = left + int(columns[0]) + span // 2 - centre[0] - round(side * thick * 0.5)
    y = top + round(sprite.foot_y) - centre[1] - round(thick * 0.12)
    _darken(canvas, patch * _SHADOW[rest], x, y)


def _darken(canvas: npt.NDArray[np.float32], share: npt.NDArray[np.float32], left: int, top: int) -> None:
    region, inside = _meet(canvas, share.shape, left, top)
    canvas[region] *= 1 - share[inside][:, :, None]


def _mirror_in_water(canvas: npt.NDArray[np.float32], sprite: Sprite, left: int, top: int) -> None:
    flat = max(1, sprite.cover.shape[0] // 2)
    size = (sprite.cover.shape[1], flat)
    fade = np.linspace(0.4, 0.02, flat, dtype=np.float32)[:, None]
    cover = cv2.resize(sprite.cover[::-1], size, interpolation=cv2.INTER_AREA) * fade
    colours = cv2.resize(sprite.colours[::-1], size, interpolation=cv2.INTER_AREA) * fade[:, :, None]
    for row in range(flat):
        shift = round(1.6 * np.sin(row * 1.1))
        cover[row], colours[row] = np.roll(cover[row], shift), np.roll(colours[row], shift, axis=0)
    region, inside = _meet(canvas, cover.shape, left, top + round(sprite.foot_y))
    canvas[region] = canvas[region] * (1 - cover[inside][:, :, None]) + colours[inside]


def _develop(canvas: npt.NDArray[np.float32], light: Light, seed: int) -> Pixels:
    """Tint, vignette and sensor noise."""
    height, width = canvas.shape[:2]
    tint = np.asarray((1 + light.warmth, 1.0, 1 - light.warmth), np.float32) * light.brightness
    xs = np.linspace(-1, 1, width, dtype=np.float32)[None, :] ** 2
    ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None] ** 2
    canvas *= tint * (1 - light.vignette * (xs + ys) / 2)[:, :, None]
    noise = np.random.default_rng(seed + 1).standard_normal((height, width), dtype=np.float32)
    canvas += noise[:, :, None] * light.noise
    return np.clip(np.rint(canvas), 0, 255).astype(np.uint8)
