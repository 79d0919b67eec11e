"""Crops of images that were made already, cut from these very images: a crop shows what the system saw."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from anamorph import catalog
from anamorph.edits.crop import Crop
from anamorph.engine.render.maker import edits_from_json, sentence
from anamorph.engine.render.renderer import ImageResult
from anamorph.model import Picture, canonical_json
from anamorph.store.images import ImageFormat
from anamorph.store.proofs import file_of_image
from anamorph.store.run import RunStore


def cut_from_wholes(
    store: RunStore, format: ImageFormat, scene: int, missing: Mapping[int, str]
) -> Iterator[ImageResult]:
    """Those of some missing images of a scene that are cut from images that are there."""
    for image, text in missing.items():
        plain = json.loads(text)
        if not plain or plain[-1].get("kind") != Crop.kind:
            continue
        whole = file_of_image(store, scene, canonical_json(plain[:-1]))
        if whole is None or not store.images.is_sound(whole):
            continue
        try:
            crop = edits_from_json(text, catalog.find)[-1]
            cut = crop.apply(Picture(store.images.pixels(whole)))
            name = store.images.write(format.encode(cut.pixels), format.suffix)
        except Exception as problem:  # noqa: BLE001  a box may lie outside of its picture
            yield ImageResult(image, None, sentence(problem))
            continue
        yield ImageResult(image, name, None)
