"""A pool of cut-outs from toybox scenes, for methods that insert objects."""

from __future__ import annotations

from pathlib import Path

from anamorph.model import Scene
from anamorph.pools.cutouts import Wanted, build_pool
from anamorph.pools.folder import LIST_FILE
from anamorph.toybox.scenes import ToyboxScenes

# Scenes unused by the demo and usual calibrations, so that no object is inserted into its own scene.
OFFSET = 100_000
SCENES = 30


def toybox_pool(folder: Path) -> Path:
    """A folder of cut-outs, made if missing."""
    if not (folder / LIST_FILE).exists():
        source = ToyboxScenes(SCENES, offset=OFFSET)
        scenes = (scene for scene in source.scan() if isinstance(scene, Scene))
        for _ in build_pool(folder, scenes, source.pixels, Wanted(most_per_class=2)):
            pass
    return folder
