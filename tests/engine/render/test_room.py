from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageResult
from anamorph.engine.render.room import BoundedRenderer, Room, scene_bytes
from anamorph.model import Scene

SMALL, LARGE = Scene("small", "s", 100, 100), Scene("large", "l", 1000, 1000)


@dataclass
class Counting:
    """Counts the bytes of scenes that are in hand at once."""

    at_once: int
    now: int = 0
    most: int = 0
    scenes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    full: threading.Event = field(default_factory=threading.Event)

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        with self.lock:
            self.now += scene_bytes(scene)
            self.scenes += 1
            self.most = max(self.most, self.now)
            if self.now >= self.at_once:
                self.full.set()
        self.full.wait(60)
        yield ImageResult(1, "file", None)
        with self.lock:
            self.now -= scene_bytes(scene)

    def close(self) -> None:
        pass


def all_made(counting: Counting, room: int, scenes: Sequence[Scene], threads: int = 6) -> None:
    renderer = BoundedRenderer(counting, Room(room))
    with ThreadPoolExecutor(threads) as pool:
        made = list(pool.map(lambda scene: list(renderer.render_each(scene, [])), scenes))
    assert made == [[ImageResult(1, "file", None)]] * len(scenes) and counting.scenes == len(scenes)


def test_as_many_scenes_are_in_hand_as_there_is_room_for_and_no_more() -> None:
    three = 3 * scene_bytes(SMALL)
    counting = Counting(at_once=three)
    all_made(counting, three + 1, [SMALL] * 12)
    assert counting.most == three


def test_a_scene_that_is_larger_than_the_room_is_made_alone() -> None:
    counting = Counting(at_once=1)
    all_made(counting, scene_bytes(SMALL), [SMALL, LARGE, SMALL, LARGE, SMALL])
    assert counting.most == scene_bytes(LARGE)


def test_room_is_left_when_nobody_wants_the_rest_of_a_scene() -> None:
    room = Room(1)
    images = BoundedRenderer(Counting(at_once=1), room).render_each(SMALL, [])
    assert next(images) == ImageResult(1, "file", None)
    images.close()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: list(BoundedRenderer(Counting(at_once=1), room).render_each(LARGE, []))).result(60)
