"""Crops and collages of images that were made already, from these very images: they show what the system saw."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from anamorph import catalog
from anamorph.edits.collage import NO_PHOTO, Collage
from anamorph.edits.crop import Crop
from anamorph.engine.render.maker import ImageOrder, MadeImage, edits_from_json
from anamorph.engine.render.renderer import ImageResult, failed, kept
from anamorph.model import Picture, canonical_json
from anamorph.store.images import ImageFormat
from anamorph.store.proofs import file_of_image, scene_row
from anamorph.store.run import RunStore

OWN_PHOTO = "A collage is made of the images of both photos, and the photo's own is not there."


def made_from_wholes(
    store: RunStore, format: ImageFormat, scene: int, missing: Mapping[int, str]
) -> Iterator[ImageResult]:
    """Those of some missing images of a scene that are cut from, or joined of, images that are there."""
    for image, text in missing.items():
        plain = json.loads(text)
        kind = plain[-1].get("kind") if plain else None
        if kind not in (Collage.kind, Crop.kind):
            continue
        whole = _picture(store, scene, canonical_json(plain[:-1]))
        if whole is None:
            if kind == Collage.kind:
                yield ImageResult(image, None, OWN_PHOTO)
            continue
        try:
            edit = edits_from_json(text, catalog.find)[-1]
            if isinstance(edit, Collage):
                row = scene_row(store, edit.other)
                other = None if row is None else _picture(store, row, canonical_json([]))
                if other is None:
                    yield ImageResult(image, None, NO_PHOTO.format(edit.other))
                    continue
                made = edit.joined(whole, other)
            else:
                made = edit.apply(whole)
            content = format.encode(made.pixels)
        except Exception as problem:  # noqa: BLE001  a box may lie outside of its picture
            yield from failed([ImageOrder(image, text)], problem)
            continue
        yield kept(MadeImage(image, content, None), store.images, format.suffix)


def _picture(store: RunStore, scene: int, edits: str) -> Picture | None:
    """An image of a scene that was made; None if it was not."""
    file = file_of_image(store, scene, edits)
    if file is None or not store.images.is_sound(file):
        return None
    return Picture(store.images.pixels(file))
