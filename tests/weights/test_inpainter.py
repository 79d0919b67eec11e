from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.model import Scene
from anamorph.model.protocols import MethodOptions
from anamorph.toybox.scenes import ToyboxScenes
from anamorph.weights.inpainter import best_inpainter, inpainter_for
from anamorph.weights.known import KNOWN

PHOTO = Scene("s", "s.jpg", 10, 10)


def test_without_weights_a_photo_is_pieced_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    assert inpainter_for(None, PHOTO) == best_inpainter() == "exemplar"


def test_weights_that_are_here_are_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    (tmp_path / KNOWN["lama"].file).write_bytes(b"1")
    assert inpainter_for(None, PHOTO) == "lama"
    (tmp_path / KNOWN["migan"].file).write_bytes(b"1")
    assert inpainter_for(None, PHOTO) == "migan"


def test_a_drawing_gets_what_suits_flat_colours_and_a_name_always_counts() -> None:
    drawing = next(iter(ToyboxScenes(1).scan()))
    assert isinstance(drawing, Scene)
    assert inpainter_for(None, drawing) == "membrane"
    assert inpainter_for("telea", drawing) == inpainter_for("telea", PHOTO) == "telea"


@pytest.mark.parametrize(
    ("scenes", "own", "chosen"),
    [("folder:photos", {}, "migan"), ("toybox:2", {}, None), ("folder:photos", {"inpainter": "telea"}, "telea")],
)
def test_weights_that_a_run_names_are_used_on_photos_unless_the_method_names_another_inpainter(
    scenes: str, own: dict[str, str], chosen: str | None
) -> None:
    plain = {"methods": ["rome"], "scenes": scenes, "rome": own, "inpainters": {"migan": {"path": "weights.onnx"}}}
    (method,) = resolve(plain).methods
    assert MethodOptions.inpainter.of(method) == chosen
