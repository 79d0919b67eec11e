"""No LaMa weights are at hand: a tiny network of the same interface stands in for them, run by the real runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import UsageError
from anamorph.inpainters.lama import LaMa
from anamorph.weights.sessions import session
from tests.inpainters.holes import holes, keeps_its_promises, photo
from tests.inpainters.tiny_onnx import write_tiny_lama, write_tiny_lama_of_four_channels


@pytest.mark.parametrize("scale", [1.0, 255.0])
def test_every_hole_is_filled_and_nothing_else_whatever_the_outputs_range(tmp_path: Path, scale: float) -> None:
    lama = LaMa(str(write_tiny_lama(tmp_path / "lama.onnx", scale=scale)))
    keeps_its_promises(lama)
    hole = holes()["inside"]
    assert np.abs(lama.fill(photo(), hole)[hole].astype(int) - 127.5).max() <= 2


def test_the_size_is_the_networks_own(tmp_path: Path) -> None:
    for side in (32, 96):
        lama = LaMa(str(write_tiny_lama(tmp_path / f"{side}.onnx", side=side, level=0.2)))
        hole = holes()["corner"]
        assert np.abs(lama.fill(photo(), hole)[hole].astype(int) - 51).max() <= 2


def test_what_is_known_does_not_stain_the_hole_and_the_hole_does_not_stain_what_is_known(tmp_path: Path) -> None:
    lama = LaMa(str(write_tiny_lama(tmp_path / "lama.onnx", level=1.0)))
    pixels = np.zeros((200, 300, 3), np.uint8)
    hole = np.zeros((200, 300), np.bool_)
    hole[50:150, 100:200] = True
    made = lama.fill(pixels, hole)
    assert made[hole].min() >= 250 and not made[~hole].any()


def test_a_small_hole_in_a_large_picture_is_seen_at_full_size(tmp_path: Path) -> None:
    """The window around the hole is no larger than the network's input, so nothing is lost by shrinking."""
    lama = LaMa("unused")
    hole = np.zeros((1000, 1500), np.bool_)
    hole[480:520, 700:760] = True
    rows, columns = lama._window(hole, 512)
    assert rows.stop - rows.start <= 512 and columns.stop - columns.start <= 512
    hole[100:900, 200:1200] = True
    rows, columns = lama._window(hole, 512)
    assert rows.start == 0 and columns.start == 0, "a large hole is seen with its surroundings"


# Names, shapes and dtypes as their publishers describe them: Carve/LaMa-ONNX, lama_fp32.onnx (gives 0 to 255), and
# g-ronimo/lama, lama.onnx and lama_512_*.onnx (give 0 to 1; image without the hole, then the mask, 1 = hole).
FLOATS = "tensor(float)"
PUBLISHED: dict[str, tuple[Callable[[Path], Path], list[tuple[str, list[int | str], str]]]] = {
    "Carve": (
        lambda path: write_tiny_lama(path, 512, opset=17),
        [("image", [1, 3, 512, 512], FLOATS), ("mask", [1, 1, 512, 512], FLOATS)],
    ),
    "g-ronimo, any size": (
        lambda path: write_tiny_lama_of_four_channels(path, "height", "width"),
        [("input", [1, 4, "height", "width"], FLOATS)],
    ),
    "g-ronimo, 512": (
        lambda path: write_tiny_lama_of_four_channels(path, 512, 512),
        [("input", [1, 4, 512, 512], FLOATS)],
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_files_of_every_published_layout_work(tmp_path: Path, name: str) -> None:
    write, layout = PUBLISHED[name]
    file = write(tmp_path / "lama.onnx")
    running = session(file)
    assert [(each.name, each.shape, each.type) for each in running.get_inputs()] == layout
    assert [each.name for each in running.get_outputs()] == ["output"]
    lama = LaMa(str(file))
    hole = holes()["inside"]
    made = lama.fill(photo(), hole)
    assert (made[~hole] == photo()[~hole]).all()
    assert np.abs(made[hole].astype(int) - 127.5).max() <= 2


def test_the_network_of_four_channels_never_sees_what_was_in_the_hole(tmp_path: Path) -> None:
    lama = LaMa(str(write_tiny_lama_of_four_channels(tmp_path / "lama.onnx", 64, 64, level=0.2)))
    hole = holes()["inside"]
    bright = photo().copy()
    bright[hole] = 255
    made = lama.fill(bright, hole)
    assert np.abs(made[hole].astype(int) - 51).max() <= 2


def test_a_network_with_other_inputs_is_refused(tmp_path: Path) -> None:
    lama = LaMa(str(write_tiny_lama(tmp_path / "lama.onnx", image="picture")))
    with pytest.raises(UsageError, match="has the inputs picture, mask; LaMa's are image, mask, or one with four"):
        lama.fill(photo(), holes()["inside"])


def test_missing_weights_are_told_with_the_command_that_gets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    with pytest.raises(UsageError, match=r"'lama' needs the weights lama, .*`anamorph list models get lama`"):
        LaMa().fill(photo(), holes()["inside"])
