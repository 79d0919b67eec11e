from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.model import Scene
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
