"""Cut-outs of a run's own scenes: built when a method wants them, and there when its images are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anamorph.config import resolve
from anamorph.engine.events import Advised, PoolBuilt
from anamorph.engine.own_pool import MOST_PER_CLASS, NO_RECOGNISER, ROUGH_OUTLINES
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.errors import UsageError
from anamorph.pools import cutouts
from anamorph.pools.folder import LIST_FILE, Pool
from anamorph.store.omissions import omissions
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore
from tests.conftest import ROOT

ONLY_INSERTION = dict.fromkeys(
    ("object_partition", "property_partition", "reordering", "reversion", "cutting", "removal"), False
) | {"removal_plus": False, "estimate_colours": False}


def settings(seed: int = 7, **metavqa: Any) -> dict[str, Any]:
    plain = {
        "methods": ["metavqa"],
        "scenes": "toybox:12",
        "system": f"callable:{ROOT}/examples/constant_answers.py:always_zero",
        "seed": seed,
    }
    return {**plain, "metavqa": {**ONLY_INSERTION, **metavqa}}


def planned(folder: Path, plain: dict[str, Any]) -> set[str]:
    """The cut-outs that the plan of a run inserts."""
    config = resolve(plain)
    with start(config, folder) as store:
        for _ in plan_stage(store, config):
            pass
        return values_in_edits(store, "cutout")


def test_a_run_without_a_pool_inserts_objects_of_its_own_scenes(tmp_path: Path) -> None:
    config = resolve(settings())
    with start(config, tmp_path / "run") as store:
        events = list(carry_out(store, config))
        (built,) = (event for event in events if isinstance(event, PoolBuilt))
        assert Advised(NO_RECOGNISER) not in events
        pool = Pool.open(store.cutouts)
        assert (built.cutouts, built.classes) == (len(pool.entries), len(pool.labels()))
        used = values_in_edits(store, "cutout")
        assert used and used <= {entry.id for entry in pool.entries}
        assert max(pool.labels().values()) <= MOST_PER_CLASS
        problems = store.connection.execute("SELECT count(*) FROM images WHERE problem IS NOT NULL").fetchone()
        assert problems == (0,)


def test_the_pool_follows_from_the_seed(tmp_path: Path) -> None:
    first, again, other = (planned(tmp_path / name, settings(seed)) for name, seed in (("a", 7), ("b", 7), ("c", 8)))
    assert first == again != other


def test_a_plan_is_carried_out_with_its_pool_after_its_folder_was_moved(tmp_path: Path) -> None:
    config = resolve(settings())
    with start(config, tmp_path / "run") as store:
        for _ in plan_stage(store, config):
            pass
    (tmp_path / "run").rename(tmp_path / "moved")
    with RunStore.open(tmp_path / "moved") as store:
        for _ in carry_out(store, config):
            pass
        made = store.connection.execute("SELECT count(*) FROM images WHERE file IS NULL").fetchone()
        assert made == (0,) and store.count("verdicts") > 0


def test_no_pool_is_built_where_none_is_wanted_and_the_plan_says_what_to_do(tmp_path: Path) -> None:
    config = resolve(settings(pool_from_scenes=False))
    with start(config, tmp_path / "run") as store:
        assert not [event for event in plan_stage(store, config) if isinstance(event, PoolBuilt)]
        assert not store.cutouts.exists()
        reasons = {each.reason: each.count for each in omissions(store)}
        assert [count for reason, count in reasons.items() if "`anamorph list pool build POOL" in reason] == [12]


def test_scenes_without_masks_give_an_empty_pool_and_the_plan_says_what_to_do(tmp_path: Path) -> None:
    script = tmp_path / "bare.py"
    script.write_text(BARE)
    config = resolve({**settings(), "load": [str(script)], "scenes": "bare"})
    with start(config, tmp_path / "run") as store:
        events = list(plan_stage(store, config))
        (built,) = (event for event in events if isinstance(event, PoolBuilt))
        assert built == PoolBuilt(0, 0, (("no mask", 14),))
        # Not for drawings, of which no detector knows anything.
        assert Advised(NO_RECOGNISER) in events
        (reason,) = (each.reason for each in omissions(store) if each.noun == "insertion")
        assert "needs objects with masks" in reason and "--set metavqa.pool=POOL" in reason


def test_a_run_that_is_discarded_leaves_no_pool_behind(tmp_path: Path) -> None:
    config = resolve(settings())
    with start(config, tmp_path / "run") as store:
        for _ in plan_stage(store, config):
            pass
        assert (store.cutouts / LIST_FILE).exists()
        store.discard()
    assert not (tmp_path / "run").exists()


def test_without_a_recogniser_inserting_into_photos_is_refused_with_the_command_that_gets_one(tmp_path: Path) -> None:
    script = tmp_path / "bare.py"
    script.write_text(BARE)
    plain = {"methods": ["metaic"], "load": [str(script)], "scenes": "bare"}
    config = resolve(plain)
    with (
        start(config, tmp_path / "run") as store,
        pytest.raises(UsageError, match="anamorph list models get yolox-nano"),
    ):
        list(plan_stage(store, config))
    # The paper inserts whatever is annotated, and so may whoever wants that.
    for name, extra in (("paper", {"metaic": {"placement": "paper"}}), ("off", {"recognition": {"enabled": False}})):
        free = resolve({**plain, **extra})
        with start(free, tmp_path / name) as store:
            assert any(isinstance(event, PoolBuilt) for event in plan_stage(store, free))


BARE = '''
from dataclasses import dataclass, replace
from typing import ClassVar
from anamorph.toybox.scenes import ToyboxScenes

@dataclass(frozen=True)
class Bare:
    """Scenes with boxes alone."""
    kind: ClassVar[str] = "bare"

    def scan(self):
        for scene in ToyboxScenes(4).scan():
            yield replace(scene, things=tuple(replace(thing, mask=None) for thing in scene.things))

    def pixels(self, scene):
        return ToyboxScenes(4).pixels(scene)
'''


def test_what_a_segmenter_found_is_not_pasted_unseen(tmp_path: Path) -> None:
    script = tmp_path / "found.py"
    script.write_text(FOUND)
    config = resolve({**settings(), "load": [str(script)], "scenes": "found"})
    with start(config, tmp_path / "run") as store:
        events = list(plan_stage(store, config))
        (built,) = (event for event in events if isinstance(event, PoolBuilt))
        assert built.cutouts == 0 and dict(built.rejected)[cutouts.FOUND] > 0
        assert Advised(ROUGH_OUTLINES) in events


FOUND = """
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph import catalog
from anamorph.toybox.scenes import ToyboxScenes


@dataclass(frozen=True)
class FoundScenes:
    kind: ClassVar[str] = "found"

    def scan(self):
        for scene in ToyboxScenes(4).scan():
            yield replace(scene, things=tuple(replace(thing, score=1.0) for thing in scene.things))

    def pixels(self, scene):
        return ToyboxScenes(4).pixels(scene)


catalog._loaded.setdefault("scenes", {})["found"] = FoundScenes
"""
