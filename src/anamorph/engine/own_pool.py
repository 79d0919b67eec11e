"""Cut-outs of a run's own scenes, for methods that insert objects and name no pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from random import Random
from typing import Any, cast

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Advised, Event, PoolBuilt
from anamorph.engine.recogniser import recogniser_of, wants_recogniser
from anamorph.errors import UsageError
from anamorph.model import Method, SceneSource
from anamorph.model.protocols import MethodOptions
from anamorph.pools.cutouts import FOUND, CutoutRules, Wanted, build_pool
from anamorph.pools.folder import Pool
from anamorph.store.answers import scene_of
from anamorph.store.plans import scene_rows
from anamorph.store.run import RunStore

# Enough for insertions to differ, and a matter of seconds whatever the size of the run.
MOST_SCENES = 200
MOST_PER_CLASS = 8
GET_ONE = "get a detector with `anamorph list models get yolox-nano` (Apache-2.0), and new runs use it"
NO_RECOGNISER = (
    "No object is inserted into a photo: nothing here can tell a whole object from a mere piece. To test that, "
    f"{GET_ONE}."
)
ROUGH_OUTLINES = (
    "No object is inserted: those that a segmenter found have rough outlines, so they are cut out only into a pool "
    "that people look at. Build one (`anamorph list pool build POOL --scenes ...`), review it (`anamorph list pool "
    "review POOL`), and name it: --set METHOD.pool=POOL (metaic also wants metaic.found=true)."
)


def build_own_pool(store: RunStore, config: Config, source: SceneSource) -> Iterator[Event]:
    """Cut objects out of some of the run's scenes into its folder, if a method wants that; the seed chooses which."""
    if not any(MethodOptions.wants_pool.of(method) for method in config.methods):
        return
    rows = scene_rows(store)
    chosen = Random(f"{config.settings.seed}:pool").sample(rows, min(MOST_SCENES, len(rows)))
    scenes = (scene_of(store, row, catalog.find) for row in chosen)
    recogniser = recogniser_of(store, config, source)
    unseen = recogniser is None and wants_recogniser(config, source)
    for method in config.methods if unseen else ():
        if MethodOptions.needs_pool.of(method) and MethodOptions.wants_pool.of(method):
            raise UsageError(
                f"{method.kind} inserts objects that are cut out of photos, and nothing here can tell a whole one from "
                f"a mere piece: {GET_ONE}; or review a pool (`anamorph list pool build POOL --scenes ...`, `anamorph "
                f"list pool review POOL`) and name it: --set {method.kind}.pool=POOL."
            )
    sees = None if recogniser is None else recogniser.on_ground
    recognised = config.settings.recognition.enabled
    rules = CutoutRules() if recognised else CutoutRules(recognised=0)
    wanted = Wanted(rules, most_per_class=MOST_PER_CLASS, annotated=recognised)
    for _ in build_pool(store.cutouts, scenes, source.pixels, wanted, sees):
        pass
    pool = Pool.open(store.cutouts)
    labels = pool.labels()
    yield PoolBuilt(sum(labels.values()), len(labels), tuple(sorted(pool.rejected.items())), recogniser is not None)
    if not labels and FOUND in pool.rejected:
        yield Advised(ROUGH_OUTLINES)
    elif unseen:
        yield Advised(NO_RECOGNISER)


def with_own_pool(store: RunStore, method: Method) -> Method:
    """The method with the run's own cut-outs as its pool, if it wants them."""
    if not MethodOptions.wants_pool.of(method):
        return method
    return cast(Method, dataclasses.replace(cast(Any, method), pool=str(store.cutouts)))
