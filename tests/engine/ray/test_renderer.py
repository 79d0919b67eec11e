"""Tests of the driver's side of making images on Ray, with a cluster that is a few functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.plan import plan_stage
from anamorph.engine.ray import render_task
from anamorph.engine.ray.cluster import Cluster, ShippedImages
from anamorph.engine.ray.renderer import MOST_TOGETHER, RayRenderer
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.recipe import recipe_of
from anamorph.engine.render.renderer import renderer_for
from anamorph.engine.render.room import BoundedRenderer, Room
from anamorph.engine.run import start
from anamorph.store.answers import scene_of


class Task:
    """What `ray.remote` makes of a function, carried out at once; a task that gives several objects gives a list."""

    def __init__(self, work: Callable[..., Any], calls: list[int]) -> None:
        self._work, self._calls = work, calls

    def options(self, **settings: Any) -> Task:
        return self

    def remote(self, *arguments: Any) -> Any:
        if self._work is render_task.render_images:
            self._calls.append(len(arguments[3]))
        return self._work(*arguments)


def test_a_scene_with_more_images_than_one_worker_makes_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_task, "_at_work", {})
    calls: list[int] = []
    errors = SimpleNamespace(RayTaskError=ZeroDivisionError, RayError=ZeroDivisionError)
    ray = SimpleNamespace(remote=lambda work: Task(work, calls), get=lambda made, timeout=None: made, exceptions=errors)
    cluster = Cluster(ray, "ray", ShippedImages(1e9), borrowed=True)
    for name, given in {"resource": 2.0, "nodes": ["one"], "only_on": None}.items():
        monkeypatch.setattr(Cluster, name, lambda *_, given=given: given)
    # Parcels are known by identity here, as references are in Ray.
    monkeypatch.setattr(cluster.images, "add", lambda *_: None)
    config = resolve({"methods": ["deeptest"], "scenes": "toybox:1", "system": "toybox:captioner"})
    with start(config, tmp_path / "run") as store:
        list(plan_stage(store, config))
        scene = scene_of(store, 1, catalog.find)
        (edits,) = store.connection.execute("SELECT edits FROM images ORDER BY id LIMIT 1").fetchone()
        orders = [ImageOrder(number, edits) for number in range(MOST_TOGETHER + 6)]
        here = renderer_for(store, config)
        recipe = recipe_of(store, config, here.maker)
        there = RayRenderer(cluster, here.source, store.images, recipe, here.maker.format.suffix)
        made = list(BoundedRenderer(there, Room(10**9)).render_each(scene, orders))
        assert made == here.render(scene, orders)
    assert calls == [MOST_TOGETHER, 6]
