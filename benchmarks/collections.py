"""The scenes that benchmarks of object methods share: the real photos where they are, and drawn scenes."""

from __future__ import annotations

from pathlib import Path

from anamorph.model import Scene, SceneSource
from anamorph.scenes.coco.source import CocoScenes
from anamorph.toybox.scenes import ToyboxScenes

SHARED = Path(__file__).parent.parent.parent / "shared"
DRAWN = 60


def collections() -> dict[str, tuple[SceneSource, list[Scene]]]:
    """Each collection by name: where pixels come from, and the scenes."""
    sources: dict[str, SceneSource] = {"drawn scenes": ToyboxScenes(DRAWN)}
    photos = SHARED / "photos"
    if photos.is_dir():
        instances, images, captions = (str(photos / name) for name in ("instances.json", "images", "captions.json"))
        sources = {"photos": CocoScenes(instances, images, captions), **sources}
    return {
        name: (source, [scene for scene in source.scan() if isinstance(scene, Scene)])
        for name, source in sources.items()
    }
