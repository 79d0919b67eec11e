"""A second look, close up, at objects that a segmenter found, for methods that move them.

On the whole photo an object may be a few dozen pixels of the network's view. One that looks otherwise close up was not
whole, or not that object; docs/melt-check.md says how often. Where both agree, the near view has the finer outline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anamorph.engine.close_up import in_common, seen_close_up
from anamorph.engine.enrich.segmenting import ORIGIN
from anamorph.engine.segmenter import RunSegmenter
from anamorph.errors import UsageError
from anamorph.model import Mask, Pixels, Scene, Thing
from anamorph.pixels.masks import mask_box, mask_from_pixels, mask_pixels
from anamorph.pixels.shapes import melting_kernel, widened

# At least this much of both outlines is the same.
_ALIKE = 0.87


@dataclass(frozen=True, slots=True)
class LookingCloser:
    """Looks again at the objects that methods want sure; safe to use from several threads."""

    wanted: Sequence[Callable[[Scene], Sequence[str]]]
    segmenter: RunSegmenter

    def confirmed(self, scene: Scene, photo: Callable[[], Pixels]) -> Scene:
        """The scene with finer outlines of these objects, and the lower of both scores: 0 where they look otherwise."""
        if ORIGIN not in scene.origin:
            return scene
        ids = {id for objects in self.wanted for id in objects(scene)}
        if not ids:
            return scene
        pixels = photo()
        return replace(scene, things=tuple(self._seen_again(t, pixels) if t.id in ids else t for t in scene.things))

    def _seen_again(self, thing: Thing, pixels: Pixels) -> Thing:
        if thing.mask is None or thing.score is None:
            return thing
        near = seen_close_up(thing, pixels, self._look)
        best = max(near, key=lambda other: in_common(thing, other), default=None)
        if best is None or best.mask is None or in_common(thing, best) < _ALIKE:
            return replace(thing, score=0.0)
        mask = _refined(best.mask, thing.mask)
        score = thing.score if best.score is None else min(thing.score, best.score)
        return replace(thing, mask=mask, box=mask_box(mask), score=score)

    def _look(self, part: Pixels) -> tuple[Thing, ...]:
        known = self.segmenter.recall(part)
        try:
            return self.segmenter.look(part) if known is None else known.things
        except UsageError:
            # The segmenter cannot work at all, such as without its weights.
            raise
        except Exception:  # noqa: BLE001  a segmenter may come from a user's own file; what it cannot see is not sure
            return ()


def _refined(mask: Mask, known: Mask) -> Mask:
    """A known mask whose outline is that of another one, where both are near each other; elsewhere it is a flaw."""
    shape, kernel = mask_pixels(known), melting_kernel(known.height, known.width)
    return mask_from_pixels(mask_pixels(mask) & widened(shape, kernel) | ~widened(~shape, kernel))
