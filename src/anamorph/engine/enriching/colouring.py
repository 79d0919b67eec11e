"""Colours for objects that nobody described: a stage of scanning, for methods that ask about properties."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from anamorph.config import Config
from anamorph.errors import AnamorphError
from anamorph.model import Pixels, Scene, SceneSource, Skip, Thing
from anamorph.pixels.colours import COLOURS, estimate_colour

THREADS = 2
# Photos under way, so that memory does not grow with the source.
AHEAD = 8
# The key of a scene's origin that tells where its colours are from.
ORIGIN = "colours"


def coloured_scenes(config: Config, source: SceneSource, found: Iterable[Scene | Skip]) -> Iterator[Scene | Skip]:
    """The scenes of a source in their order, with estimated colours if a method wants them and nobody annotated any.

    A source whose scenes say all that is known of their objects has a class variable `describes`, which is True.
    """
    wanted = any(getattr(method, "wants_colours", False) for method in config.methods)
    if not wanted or getattr(source, "describes", False):
        yield from found
        return
    waiting: deque[Scene | Skip | Future[Scene]] = deque()
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="anamorph-colour")
    try:
        for item in found:
            ready = isinstance(item, Skip) or not lacks_colours(item)
            waiting.append(item if ready else pool.submit(_coloured, source, item))  # type: ignore[arg-type]
            if len(waiting) >= AHEAD:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def lacks_colours(scene: Scene) -> bool:
    """Whether a scene has objects, but none that is said to have a colour."""
    return bool(scene.things) and not any(word in COLOURS for thing in scene.things for word in thing.attributes)


def with_colours(scene: Scene, pixels: Pixels) -> Scene:
    """The scene with the colours that its pixels show; crowds and what is of several colours get none."""
    things = tuple(_described(thing, pixels) for thing in scene.things)
    return replace(scene, things=things, origin={**scene.origin, ORIGIN: "estimated from pixels"})


def _described(thing: Thing, pixels: Pixels) -> Thing:
    colour = None if thing.crowd else estimate_colour(pixels, thing).name
    return thing if colour is None else replace(thing, attributes=(*thing.attributes, colour))


def _coloured(source: SceneSource, scene: Scene) -> Scene:
    try:
        pixels = source.pixels(scene)
    except (AnamorphError, OSError):
        # A photo that cannot be read is told of when its pictures are made; until then it only has no colours.
        return scene
    return with_colours(scene, pixels)


def _result(item: Scene | Skip | Future[Scene]) -> Scene | Skip:
    return item.result() if isinstance(item, Future) else item
