"""Amodal masks of objects that stand behind others, for methods that move them.

What stands in front of an object is inpainted, and the segmenter looks again (SPOLRE, mask extraction).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anamorph.engine.segmenter import RunSegmenter
from anamorph.engine.studio import RunStudio
from anamorph.errors import UsageError
from anamorph.model import AmodalMask, Completion, Pixels, Scene
from anamorph.pixels.amodal import COMPLETED_BY, completed_mask, completing_hole
from anamorph.pools.cutouts import standing_before


@dataclass(frozen=True, slots=True)
class Completing:
    """Completes the objects that methods want completed; safe to use from several threads."""

    wanted: Sequence[Completion]
    segmenter: RunSegmenter
    studio: RunStudio

    def completed(self, scene: Scene, photo: Callable[[], Pixels]) -> Scene:
        """The scene with what could be completed; where that fails it is as it was, and its origin says why."""
        orders: dict[str, Completion] = {}
        for each in self.wanted:
            for id in each.objects(scene):
                orders.setdefault(id, each)
        by = self.segmenter.signature
        if not orders:
            return replace(scene, origin={**scene.origin, COMPLETED_BY: by})
        try:
            pixels = photo()
            tried = [self._amodal_mask(scene, pixels, id, order) for id, order in orders.items()]
        except UsageError:
            # The segmenter or the inpainter cannot work at all, such as without its weights.
            raise
        except Exception as problem:  # noqa: BLE001  a source or a segmenter may come from a user's own file
            reason = " ".join(f"{type(problem).__name__}: {problem}".split())
            return replace(scene, origin={**scene.origin, COMPLETED_BY: f"{by} failed: {reason}"})
        masks = tuple(mask for mask in tried if mask is not None)
        return replace(scene, wholes=masks, origin={**scene.origin, COMPLETED_BY: by})

    def _amodal_mask(self, scene: Scene, pixels: Pixels, id: str, order: Completion) -> AmodalMask | None:
        thing, height, width = scene.thing(id), scene.height, scene.width
        before = standing_before(scene, thing)
        # A crowd is never edited, and an object with nothing in front of it is complete.
        if not before or any(other.crowd for other in before):
            return None
        plate = self.studio.inpaint(order.inpainter, pixels, completing_hole(thing, before, height, width))
        found = self.segmenter.look(plate, remember=False)
        mask = completed_mask(thing, before, found, height, width, order.rules)
        return None if mask is None else AmodalMask(id, mask, tuple(other.id for other in before), order.inpainter)
