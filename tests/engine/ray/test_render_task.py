"""Tests of making images in a worker, which needs no Ray."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.ray import render_task
from anamorph.engine.ray.freight import Freight, freight_of
from anamorph.engine.ray.render_task import MadeParcel, RenderOrder, check_recipe, render_images
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.recipe import recipe_of
from anamorph.engine.render.renderer import renderer_for
from anamorph.engine.run import start
from anamorph.errors import BadPicture
from anamorph.model import Scene
from anamorph.model.protocols import SceneSourceOptions
from anamorph.store.answers import scene_of
from anamorph.store.run import RunStore


@pytest.fixture(autouse=True)
def _workers_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(render_task, "_at_work", {})
    yield


@pytest.fixture
def planned(tmp_path: Path) -> Iterator[tuple[RunStore, Config]]:
    config = resolve({"methods": ["deeptest"], "scenes": "toybox:1", "system": "toybox:captioner"})
    with start(config, tmp_path / "run") as store:
        list(plan_stage(store, config))
        yield store, config


def order_of(store: RunStore, config: Config) -> RenderOrder:
    renderer = renderer_for(store, config)
    recipe = recipe_of(store, config, renderer.maker)
    return RenderOrder("a digest", pickle.dumps(recipe), Freight())


def orders_in(store: RunStore) -> list[ImageOrder]:
    return [ImageOrder(*row) for row in store.connection.execute("SELECT id, edits FROM images ORDER BY id")]


def test_a_worker_makes_what_is_made_here_and_parcels_hold_a_few_images_each(
    planned: tuple[RunStore, Config],
) -> None:
    store, config = planned
    scene, orders = scene_of(store, 1, catalog.find), orders_in(store)
    here = renderer_for(store, config).render(scene, orders)

    packed = pickle.loads(pickle.dumps(config.scenes().packed(scene)))  # type: ignore[attr-defined]
    parcels = render_images(order_of(store, config), scene, packed, orders, 2)

    assert isinstance(parcels, tuple)
    assert [len(parcel.images) for parcel in parcels] == [2, 2, 1]
    made = [image for parcel in parcels for image in parcel.images]
    assert [(image.image, image.name, image.problem) for image in made] == [
        (result.image, result.file, result.problem) for result in here
    ]
    for parcel in parcels:
        assert {store.images.path(name).read_bytes() for name in parcel.contents} == set(parcel.contents.values())


def test_the_same_recipe_is_read_once_and_another_one_takes_its_place(planned: tuple[RunStore, Config]) -> None:
    store, config = planned
    order = order_of(store, config)
    assert check_recipe(order) == ""
    first = render_task._at_work["a digest"]
    assert check_recipe(order) == ""
    assert render_task._at_work["a digest"] is first
    check_recipe(RenderOrder("another", order.recipe, Freight()))
    assert list(render_task._at_work) == ["another"]


def test_a_worker_with_another_version_refuses(planned: tuple[RunStore, Config]) -> None:
    order = order_of(*planned)
    said = check_recipe(RenderOrder("a digest", order.recipe, Freight(), version="0.0.7"))
    assert "0.0.7 where the run is driven" in said


def test_a_photo_that_cannot_be_decoded_fails_its_images_alone(planned: tuple[RunStore, Config]) -> None:
    store, config = planned

    def broken() -> np.ndarray:
        raise BadPicture("photo.jpg: broken.")

    scene = scene_of(store, 1, catalog.find)
    parcel = render_images(order_of(store, config), scene, broken, orders_in(store), 16)
    assert isinstance(parcel, MadeParcel)
    assert {image.problem for image in parcel.images} == {"photo.jpg: broken."}
    assert not parcel.contents


def test_photos_of_a_folder_are_packed_as_they_are(photos: Callable[..., Path]) -> None:
    source = resolve({"scenes": f"folder:{photos(2)},skip=1"}).scenes()
    (scene,) = [found for found in source.scan() if isinstance(found, Scene)]
    pack = SceneSourceOptions.packed.of(source)
    assert pack is not None
    packed = pickle.dumps(pack(scene))
    assert np.array_equal(pickle.loads(packed)(), source.pixels(scene))
    # The size that it had when scanned still counts.
    other = Scene(scene.id, scene.picture, 7, 7)
    with pytest.raises(BadPicture, match="was 7 x 7 when scanned"):
        pickle.loads(pickle.dumps(pack(other)))()


def test_a_worker_whose_earlier_run_is_gone_goes_on_with_the_next(
    planned: tuple[RunStore, Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("")
    order = replace(order_of(*planned), freight=freight_of({"load": ["own.py"]}))
    assert order.freight.items
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert check_recipe(order) == ""
