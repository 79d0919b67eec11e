from __future__ import annotations

from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.recogniser import recogniser_at_hand, recogniser_of
from anamorph.engine.run import start
from anamorph.engine.segmenter import detector_of
from anamorph.errors import RunError
from anamorph.weights.files import FOLDER_VARIABLE
from tests.engine.render.test_insertion_check import Sees


def test_nothing_is_asked_where_nothing_is_here_or_scenes_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    photos = f"folder:{shared / 'photos' / 'images'}"
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    config = resolve({"scenes": photos})
    assert recogniser_at_hand(config, config.scenes()) is None
    monkeypatch.setenv(FOLDER_VARIABLE, str(shared / "models"))
    found = recogniser_at_hand(config, config.scenes())
    assert found is not None and found.knows("Person") and not found.knows("gizmo")
    drawn = resolve({"scenes": "toybox:2"})
    assert recogniser_at_hand(drawn, drawn.scenes()) is None
    off = resolve({"scenes": photos, "recognition": {"enabled": False}})
    assert recogniser_at_hand(off, off.scenes()) is None


def test_a_segmenter_that_does_not_say_what_it_finds_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setitem(catalog._loaded.setdefault("segmenters", {}), "sees", Sees)
    config = resolve({"scenes": f"folder:{shared / 'photos' / 'images'}", "segmenter": {"kind": "sees"}})
    assert recogniser_at_hand(config, config.scenes()) is None


def test_weights_that_come_later_change_no_run_that_began_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    config = resolve(
        {"methods": ["metaic"], "scenes": f"folder:{shared / 'photos' / 'images'}", "system": "toybox:captioner"}
    )
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with start(config, tmp_path / "run") as store:
        assert recogniser_of(store, config, config.scenes()) is None
        assert detector_of(store, config) is None
        monkeypatch.setenv(FOLDER_VARIABLE, str(shared / "models"))
        assert recogniser_of(store, config, config.scenes()) is None
        assert detector_of(store, config) is None


def test_a_run_goes_on_with_the_weights_that_it_began_with_or_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    config = resolve(
        {"methods": ["metaic"], "scenes": f"folder:{shared / 'photos' / 'images'}", "system": "toybox:captioner"}
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "yolox_nano.onnx").symlink_to(shared / "models" / "yolox_nano.onnx")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "models"))
    with start(config, tmp_path / "run") as store:
        first = recogniser_of(store, config, config.scenes())
        looks = detector_of(store, config)
        monkeypatch.setenv(FOLDER_VARIABLE, str(shared / "models"))
        later = recogniser_of(store, config, config.scenes())
        assert first is not None and later is not None and later.identity == first.identity
        again = detector_of(store, config)
        assert looks is not None and again is not None and again.identity == looks.identity
        monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
        for find in (lambda: recogniser_of(store, config, config.scenes()), lambda: detector_of(store, config)):
            with pytest.raises(RunError, match=r"checked by yolox-nano [0-9a-f]{8}, which is not here"):
                find()
