from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.events import Finished, Rendered, RenderFailed
from anamorph.engine.studio import RunStudio
from anamorph.errors import BadPicture, RunError, UnknownName, UsageError
from anamorph.model import Box, Hole, Pixels, Scene, Skip, Thing
from tests.engine.fakes import Ran, Script, go, use
from tests.inpainters.tiny_onnx import write_tiny_lama
from tests.pools.test_folder import pool_with


@dataclass(frozen=True)
class ThingScenes:
    """Two pictures with an object on each."""

    kind: ClassVar[str] = "things"

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(2):
            yield Scene(f"s{index}", f"{index}", 80, 60, (Thing("1", "cup", Box(20, 20, 4, 4)),))

    def pixels(self, scene: Scene) -> Pixels:
        return np.random.default_rng(int(scene.picture)).integers(100, 104, (60, 80, 3), dtype=np.uint8)


@dataclass(frozen=True)
class Careless:
    """Paints over everything, hole or not."""

    kind: ClassVar[str] = "careless"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return np.zeros_like(pixels)


def melts(folder: Path, inpainter: str = "telea", script: Script | None = None, **changes: Any) -> Ran:
    use(script or Script())
    catalog._loaded["scenes"]["things"] = ThingScenes
    catalog._loaded.setdefault("inpainters", {})["careless"] = Careless
    also = [{"kind": "melt", "objects": ["1"], "inpainter": inpainter}]
    only = {"blur": [], "brightness": [], "contrast": [], "shear": [], "also": also}
    return go(folder, **{"scenes": {"kind": "things"}, "deeptest": only, **changes})


def test_edits_find_the_runs_inpainters(tmp_path: Path) -> None:
    ran = melts(tmp_path)
    assert ran.problem is None and len(ran.of(Rendered)) == 4
    assert ran.of(Finished) == [Finished(holds=2, violated=0, undecided=0)]
    with ran.store() as store:
        assert store.fact("inpainters") == {"telea": {"kind": "telea", "radius": 3.0}}


def test_settings_of_an_inpainter_come_from_its_table() -> None:
    config = resolve({"inpainters": {"patch": {"colour": [1, 2, 3]}}})
    studio = RunStudio.of(config)
    pixels, hole = np.zeros((4, 4, 3), np.uint8), np.eye(4, dtype=np.bool_)
    assert (studio.inpaint("patch", pixels, hole)[hole] == (1, 2, 3)).all()
    with pytest.raises(UnknownName, match=r"Unknown inpainter 'lamma'\. Did you mean 'lama'\?"):
        studio.inpaint("lamma", pixels, hole)
    with pytest.raises(UsageError, match=r"inpainters\.telea\.radius: must be at least 1"):
        resolve({"inpainters": {"telea": {"radius": 0}}})
    with pytest.raises(UsageError, match=r"Unknown inpainter 'tela'\. Did you mean 'telea'"):
        resolve({"inpainters": {"tela": {}}})


def test_an_inpainter_of_ones_own_cannot_change_what_is_not_in_the_hole(tmp_path: Path) -> None:
    ran = melts(tmp_path, "careless")
    assert ran.problem is None
    studio = RunStudio.of(resolve({}))
    pixels, hole = np.full((4, 4, 3), 9, np.uint8), np.eye(4, dtype=np.bool_)
    made = studio.inpaint("careless", pixels, hole)
    assert (made[~hole] == 9).all() and not made[hole].any()


def test_missing_weights_end_the_run_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    script = Script()
    ran = melts(tmp_path, "migan", script)
    assert isinstance(ran.problem, UsageError) and "`anamorph list models get migan`" in str(ran.problem)
    assert not script.asked


def test_a_system_that_does_not_look_needs_no_weights(tmp_path: Path) -> None:
    assert melts(tmp_path, "migan", Script(looks=False)).problem is None


def test_a_run_does_not_go_on_with_other_weights_under_the_same_name(tmp_path: Path) -> None:
    weights = write_tiny_lama(tmp_path / "lama.onnx", level=0.2)
    settings: dict[str, Any] = {"inpainters": {"lama": {"path": str(weights)}}}
    assert melts(tmp_path / "run", "lama", **settings).problem is None
    assert melts(tmp_path / "run", "lama", **settings).problem is None
    moved = weights.rename(tmp_path / "moved.onnx")
    assert melts(tmp_path / "run", "lama", inpainters={"lama": {"path": str(moved)}}).problem is None
    write_tiny_lama(weights, level=0.9)
    problem = melts(tmp_path / "run", "lama", ask={"repeats": 2}, **settings).problem
    assert isinstance(problem, RunError) and "the inpainter 'lama' changed since this run began" in str(problem)


def test_cutouts_come_from_the_runs_pools_and_a_methods(tmp_path: Path) -> None:
    pool = pool_with(tmp_path / "pool", "dog")
    insert = {"kind": "insert", "cutout": pool.entries[0].id, "box": {"x": 1, "y": 2, "width": 9, "height": 8}}
    only = {"blur": [], "brightness": [], "contrast": [], "shear": [], "also": [insert]}
    ran = melts(tmp_path / "a", deeptest=only, pools=[str(tmp_path / "pool")])
    assert ran.problem is None and len(ran.of(Rendered)) == 4
    without = melts(tmp_path / "b", deeptest=only)
    assert len(without.of(RenderFailed)) == 2
    assert "none is configured (pools = [...])" in without.of(RenderFailed)[0].reason
    gone = melts(tmp_path / "c", deeptest=only, pools=[str(tmp_path / "gone")])
    assert isinstance(gone.problem, UsageError) and "no pool of cut-outs here" in str(gone.problem)

    class WithPool:
        kind = "with-pool"
        pool = str(tmp_path / "pool")

    config = resolve({})
    object.__setattr__(config, "methods", (WithPool(),))
    assert config.pools() == (WithPool.pool,)
    with pytest.raises(BadPicture, match="no cut-out 'x'"):
        RunStudio.of(config).cutout("x")
