from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.recipe import RenderRecipe, RenderWorker, only_here, recipe_of
from anamorph.engine.render.renderer import Renderer, renderer_for
from anamorph.engine.run import start
from anamorph.errors import RunError
from anamorph.model import Scene
from anamorph.store.answers import pending_probes, scene_of
from anamorph.store.run import RunStore
from tests.engine.segmenters import ColourSegmenter
from tests.inpainters.tiny_onnx import write_tiny_lama

EDIT = """
from dataclasses import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class Darken:
    kind: ClassVar[str] = "darken"

    def apply(self, picture):
        return picture.with_pixels(picture.pixels // 2)
"""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[tuple[RunStore, Config]]:
    weights = write_tiny_lama(tmp_path / "lama.onnx")
    with planned(tmp_path, inpainters={"lama": {"path": str(weights)}}, rome={"inpainter": "lama"}) as store:
        yield store, resolve(store.fact("config"))


def planned(folder: Path, **changes: Any) -> RunStore:
    plain = {
        "methods": ["rome", "metaic"],
        "scenes": {"kind": "toybox", "count": 3},
        "metaic": {"tries": 5},
        "system": {"kind": "toybox", "model": "captioner"},
        **changes,
    }
    config = resolve(plain)
    store = start(config, folder / "run")
    for _ in plan_stage(store, config):
        pass
    return store


def orders_of(store: RunStore) -> list[tuple[Scene, list[ImageOrder]]]:
    orders: dict[int, dict[int, ImageOrder]] = {}
    for probe in pending_probes(store, 1):
        orders.setdefault(probe.scene, {})[probe.image] = ImageOrder(probe.image, probe.edits)
    return [(scene_of(store, scene, catalog.find), list(found.values())) for scene, found in orders.items()]


def recipe_for(store: RunStore, config: Config) -> tuple[Renderer, RenderRecipe]:
    renderer = renderer_for(store, config)
    return renderer, recipe_of(store, config, renderer.maker)


def test_a_worker_makes_the_very_bytes_that_the_run_makes_from_the_photo_alone(
    run: tuple[RunStore, Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, config = run
    renderer, recipe = recipe_for(store, config)
    monkeypatch.chdir(tmp_path)
    kinds = set()
    with closing(renderer), closing(RenderWorker(pickle.loads(pickle.dumps(recipe)))) as worker:
        for scene, orders in orders_of(store):
            photo = renderer.source.pixels(scene)
            photo.setflags(write=False)
            sent = pickle.loads(pickle.dumps((scene, orders)))
            made = list(worker.make(sent[0], photo, sent[1]))
            assert [each.image for each in made] == [order.image for order in orders]
            assert made == list(renderer.maker.make_each(scene, np.array(photo), orders))
            assert all(each.content or each.problem for each in made)
            kinds |= {order.edits.split('"kind":"')[-1].split('"')[0] for order in orders}
    assert {"melt", "insert"} <= kinds


def test_what_is_secret_about_the_system_is_not_in_a_recipe(run: tuple[RunStore, Config]) -> None:
    store, config = run
    renderer, recipe = recipe_for(store, config)
    renderer.close()
    assert "system" not in recipe.plain and "scenes" not in recipe.plain


def test_other_weights_or_another_file_under_the_same_name_make_no_images(
    run: tuple[RunStore, Config], tmp_path: Path
) -> None:
    store, config = run
    renderer, recipe = recipe_for(store, config)
    renderer.close()
    with pytest.raises(RunError, match=r"the segmenter of the melt check is not the one that the run has"):
        replace(recipe, segmenter={"kind": "onnx", "weights_sha256": "1"}, at_hand=False).maker()
    with pytest.raises(RunError, match=r"what recognises objects is not the one"):
        replace(recipe, recogniser={"kind": "onnx", "weights_sha256": "1"}).maker()
    with pytest.raises(RunError, match=r"the file own\.py is not the one"):
        replace(recipe, loaded={"own.py": "0"}).maker()
    write_tiny_lama(tmp_path / "lama.onnx", level=0.9)
    with pytest.raises(RunError, match=r"the inpainter 'lama' is not the one that the run has"):
        recipe.maker()


def test_what_only_a_python_program_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(EDIT, encoding="utf-8")
    only = {"blur": [], "brightness": [], "contrast": [], "shear": [], "also": [{"kind": "darken"}]}
    changes: dict[str, Any] = {"methods": ["deeptest"], "deeptest": only, "load": [str(tmp_path / "own.py")]}
    with planned(tmp_path, **changes) as store:
        config = resolve(store.fact("config"))
        assert only_here(store, config) is None
        renderer, recipe = recipe_for(store, config)
        with closing(renderer), closing(recipe.maker()) as maker:
            scene, orders = orders_of(store)[0]
            photo = renderer.source.pixels(scene)
            assert [each.problem for each in maker.make_each(scene, photo, orders)] == [None, None]
        without = replace(config, settings=replace(config.settings, load=()))
        assert only_here(store, without) == "the edit 'darken'"
        catalog.register(catalog.find("edits", "darken"))
        assert only_here(store, config) == "the edit 'darken'"
        catalog.register(ColourSegmenter)
        segmented = resolve({"segmenter": {"kind": "colour"}})
        assert only_here(store, replace(segmented, settings=config.settings)) == "the edit 'darken'"
    with planned(tmp_path / "plain", methods=["deeptest"]) as store:
        assert only_here(store, segmented) == "the segmenter 'colour'"
