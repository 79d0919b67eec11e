from __future__ import annotations

from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.engine.recogniser import recogniser_at_hand, settle_recogniser
from anamorph.engine.run import start
from anamorph.errors import RunError
from anamorph.weights.files import FOLDER_VARIABLE
from tests.engine.render.test_insertion_check import Sees, check


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


def test_a_run_goes_on_with_the_recogniser_that_it_began_with(tmp_path: Path) -> None:
    config = resolve({"methods": ["metaic"], "scenes": "toybox:2", "system": "toybox:captioner"})
    with start(config, tmp_path / "run") as store:
        settle_recogniser(store, None)
        settle_recogniser(store, None)
        with pytest.raises(RunError, match="nothing then, sees now"):
            other = check().recogniser
            settle_recogniser(store, type(other)(other.segmenter, {"kind": "sees"}, other.classes))
