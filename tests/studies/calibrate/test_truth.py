from __future__ import annotations

from pathlib import Path

from anamorph import catalog
from anamorph.config import resolve
from anamorph.edits.collage import Collage
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.model import canonical_json, encode
from anamorph.pools.folder import SketchStudio
from anamorph.store.answers import PendingProbe
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore
from anamorph.studies.calibrate.truth import Truths, studio_of
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.truth import Truth


def test_a_collage_shows_what_its_photos_show_however_small_or_hidden(tmp_path: Path) -> None:
    """Things become smaller in a collage, and are as clear as in their own photos."""
    config = resolve({"methods": ["crosscheck"], "scenes": "toybox:count=30,seed=11", "system": "toybox:answerer"})
    with start(config, tmp_path / "run") as store:
        list(plan_stage(store, config))
        truths, studio = Truths(), studio_of(config, store)
        scenes = [row for row, _ in StoredScenes(store, catalog.find).numbered()]
        for one, other in zip(scenes[::2], scenes[1::2], strict=True):
            name = truths.scene(store, other).id
            for below in (False, True):
                edits = canonical_json(encode((Collage(name, below),)))
                apart = [_seen(truths, store, row, "[]", studio) for row in (one, other)]
                joined = _seen(truths, store, one, edits, studio)
                for label in CLASSES:
                    sums = [sum(getattr(seen.count(label), end) for seen in apart) for end in ("least", "most")]
                    assert [joined.count(label).least, joined.count(label).most] == sums
                assert all(thing.shown < 1 for thing in joined.things)


def _seen(truths: Truths, store: RunStore, row: int, edits: str, studio: SketchStudio) -> Truth:
    seen = truths.of(store, PendingProbe(0, "", None, 0, row, edits, None, (0,)), studio)
    assert isinstance(seen, Truth)
    return seen
