"""A bound on the memory of scenes whose images are being made.

What runs ahead of the system are files on disk and short messages, so the memory that rendering takes is that of the
scenes in the hands of threads and processes: the decoded photo, and what edits and checks need around it.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageRenderer, ImageResult
from anamorph.model import Scene

# Measured on a photo of 24 megapixels: a melt with its checks takes five times the photo, a rotation 4.4 times.
_BYTES_PER_PIXEL = 3 * 6


@dataclass(slots=True, eq=False)
class Room:
    """Room for a number of bytes: whoever needs more than is left waits for the others, and may enter once alone."""

    bytes: int
    _taken: int = field(default=0, init=False)
    _left: threading.Condition = field(default_factory=threading.Condition, init=False)
    # Held while waiting for room, so that those who need little do not slip past one who needs much.
    _turn: threading.Lock = field(default_factory=threading.Lock, init=False)

    @contextmanager
    def taken(self, bytes: int) -> Iterator[None]:
        """Take this much for as long as it is needed."""
        with self._turn, self._left:
            self._left.wait_for(lambda: not self._taken or self._taken + bytes <= self.bytes)
            self._taken += bytes
        try:
            yield
        finally:
            with self._left:
                self._taken -= bytes
                self._left.notify_all()


@dataclass(frozen=True, slots=True)
class BoundedRenderer:
    """A renderer that has only as many scenes in hand as there is room for."""

    renderer: ImageRenderer
    room: Room

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        with self.room.taken(scene_bytes(scene)), closing(self.renderer.render_each(scene, orders)) as results:
            yield from results

    def close(self) -> None:
        self.renderer.close()


def scene_bytes(scene: Scene) -> int:
    """About how much memory it takes to make the images of a scene."""
    return scene.width * scene.height * _BYTES_PER_PIXEL
