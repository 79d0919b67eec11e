from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.events import Advised
from anamorph.engine.render import workforce
from anamorph.engine.render.processes import ProcessRenderer
from anamorph.engine.render.renderer import Renderer, renderer_for
from anamorph.engine.render.room import BoundedRenderer
from anamorph.engine.render.workforce import Workforce, workforce_for
from anamorph.engine.run import carry_out, start
from anamorph.errors import RunError
from anamorph.inpainters.exemplar import Exemplar
from anamorph.inpainters.lama import LaMa
from anamorph.segmenters.onnx import OnnxSegmenter
from anamorph.store.run import RunStore
from tests.engine.render.test_recipe import planned
from tests.inpainters.tiny_onnx import write_tiny_lama


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workforce, "_usable_cores", lambda: 4)
    monkeypatch.setattr(workforce, "FEWEST_IMAGES", 4)


@pytest.fixture
def heavy(tmp_path: Path) -> Iterator[RunStore]:
    """A planned run with an inpainter that keeps a core busy."""
    lama = {"path": str(write_tiny_lama(tmp_path / "lama.onnx"))}
    with planned(tmp_path, methods=["rome"], rome={"inpainter": "lama"}, inpainters={"lama": lama}) as store:
        yield store


def chosen(store: RunStore, **ask: Any) -> Workforce:
    config: Config = resolve(store.fact("config"))
    config = replace(config, settings=replace(config.settings, ask=replace(config.settings.ask, **ask)))
    found = workforce_for(store, config, renderer_for(store, config))
    found.renderer.close()
    assert isinstance(found.renderer, BoundedRenderer)
    assert found.renderer.room.bytes == config.settings.ask.render_mb * 1_000_000
    return replace(found, renderer=found.renderer.renderer)


def test_processes_are_used_where_an_inpainter_keeps_a_core_busy_with_many_images(
    heavy: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = chosen(heavy)
    assert isinstance(found.renderer, ProcessRenderer) and found.threads == found.renderer.processes == 4
    assert found.advice is None
    assert isinstance(chosen(heavy, render_processes=0).renderer, Renderer)
    monkeypatch.setattr(workforce, "FEWEST_IMAGES", 1000)
    few = chosen(heavy, render_threads=3)
    assert isinstance(few.renderer, Renderer) and few.threads == 3
    monkeypatch.setattr(workforce, "FEWEST_IMAGES", 4)
    monkeypatch.setattr(workforce, "_usable_cores", lambda: 3)
    assert isinstance(chosen(heavy).renderer, Renderer)


def test_cheap_edits_are_left_to_threads_unless_the_setting_says_otherwise(tmp_path: Path) -> None:
    with planned(tmp_path, methods=["rome"], rome={"inpainter": "telea"}) as store:
        assert isinstance(chosen(store).renderer, Renderer)
        found = chosen(store, render_processes=3)
        assert isinstance(found.renderer, ProcessRenderer) and found.threads == 3


def test_an_inpainter_of_the_program_itself_is_used_in_threads_and_the_run_says_why(tmp_path: Path) -> None:
    class Mine(Exemplar):
        kind = "mine"

    catalog.register(Mine)
    with planned(tmp_path, methods=["rome"], rome={"inpainter": "mine"}) as store:
        for ask in ({}, {"render_processes": 2}):
            found = chosen(store, **ask)
            assert isinstance(found.renderer, Renderer)
            assert found.advice is not None and "do not know the inpainter 'mine', which it registered" in found.advice


def test_processes_that_do_not_start_are_an_error_only_where_they_were_asked_for(
    heavy: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    found = chosen(heavy)
    assert isinstance(found.renderer, Renderer)
    assert found.advice is not None and found.advice.startswith("Images are made by threads: ")
    with pytest.raises((RunError, OSError), match="nowhere"):
        chosen(heavy, render_processes=2)


def test_what_runs_on_another_device_is_not_heavy() -> None:
    for cls in (LaMa, OnnxSegmenter):
        assert cls(path="weights.onnx").cpu_heavy
        assert not cls(path="weights.onnx", device="cuda").cpu_heavy


def test_a_run_has_the_same_images_answers_and_verdicts_whoever_makes_its_images(tmp_path: Path) -> None:
    tables: list[Any] = []
    for processes in (0, 2):
        config = resolve(
            {
                "methods": ["rome", "metaic"],
                "scenes": {"kind": "toybox", "count": 4},
                "system": {"kind": "toybox", "model": "captioner"},
                "metaic": {"tries": 5},
                "ask": {"render_processes": processes},
            }
        )
        with start(config, tmp_path / str(processes)) as store:
            events = list(carry_out(store, config))
            assert not [event for event in events if isinstance(event, Advised) and "processes" in event.advice]
            rows = "SELECT id, file, problem, discarded FROM images", "SELECT probe, attempt, text FROM answers"
            verdicts = 'SELECT "case", outcome FROM verdicts'
            tables.append([store.connection.execute(f"{sql} ORDER BY 1").fetchall() for sql in (*rows, verdicts)])
    assert tables[0] == tables[1] and all(tables[0])


def test_a_renderer_is_closed_once(heavy: RunStore) -> None:
    config = resolve(heavy.fact("config"))
    with closing(workforce_for(heavy, config, renderer_for(heavy, config)).renderer) as renderer:
        renderer.close()
