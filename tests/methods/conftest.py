from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.pools.cutouts import CutoutRules, Wanted, build_pool
from anamorph.toybox.scenes import ToyboxScenes
from tests.methods.asking import toybox


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cut-outs of toybox objects."""
    folder = tmp_path_factory.mktemp("pool")
    source = ToyboxScenes(20, seed=3)
    rules = CutoutRules(min_side=8, min_area=64)
    for _ in build_pool(folder, toybox(20, 3), source.pixels, Wanted(rules)):
        pass
    return folder
