from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.detectors.fitting import letterboxed, squashed, tensor
from anamorph.detectors.networks.network import Port
from tests.detectors.tiny_networks import picture

SIDES = st.integers(1, 900)


@given(SIDES, SIDES, st.integers(1, 20).map(lambda k: 32 * k), st.booleans(), st.integers(0, 2**32))
def test_boxes_go_to_the_view_and_back_exactly(width: int, height: int, side: int, centred: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.sort(rng.uniform(0, 1, (5, 2, 2)), axis=1) * (width, height)
    boxes = points.reshape(5, 4).astype(np.float32)
    pixels = np.zeros((height, width, 3), np.uint8)
    for view, fit in (letterboxed(pixels, side, side, centred), squashed(pixels, side, side)):
        assert view.shape == (side, side, 3)
        there = fit.forth(boxes)
        assert there.min() >= -1e-2 and there.max() <= side + 1e-2
        assert np.abs(fit.back(there) - boxes).max() < 0.05


@pytest.mark.parametrize(("width", "height"), [(1, 1), (5000, 1), (1, 5000), (3, 2000), (64, 64), (65, 63)])
def test_the_picture_lies_where_the_fit_says(width: int, height: int) -> None:
    white = np.full((height, width, 3), 255, np.uint8)
    for centred in (True, False):
        view, fit = letterboxed(white, 64, 96, centred)
        rows, columns = np.nonzero((view == 255).all(axis=2))
        (x0, y0, x1, y1) = fit.forth(np.array([[0, 0, width, height]], np.float32))[0]
        assert [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1] == pytest.approx(
            [x0, y0, x1, y1], abs=1e-3
        )
        assert (view[(view != 255).any(axis=2)] == 114).all()


def test_what_is_beside_the_picture_is_cut_off() -> None:
    _, fit = letterboxed(picture(128, 64), 64, 64)
    assert fit.back(np.array([[-5, 0, 70, 64]], np.float32)).tolist() == [[0, 0, 128, 64]]


def test_levels_and_channels_are_as_each_input_wants_them() -> None:
    view = np.array([[[0, 255, 51]]], np.uint8)
    floats, bytes_, small = (Port("x", (1, 3, 1, 1), kind) for kind in ("float32", "uint8", "int8"))
    assert tensor(floats, view, "unit").ravel().tolist() == pytest.approx([0, 1, 0.2])
    assert tensor(floats, view, "bytes", bgr=True).ravel().tolist() == [51, 255, 0]
    assert tensor(floats, view, "signed").ravel().tolist() == pytest.approx([-1, 1, -0.6])
    wanted = [-0.485 / 0.229, (1 - 0.456) / 0.224, (0.2 - 0.406) / 0.225]
    assert tensor(floats, view, "imagenet").ravel().tolist() == pytest.approx(wanted, rel=1e-5)
    assert tensor(bytes_, view, "imagenet").ravel().tolist() == [0, 255, 51]
    assert tensor(small, view, "unit").ravel().tolist() == [-128, 127, -77]
    assert tensor(Port("x", (1, 1, 1, 3), "float16"), view, "unit").shape == (1, 1, 1, 3)
    assert tensor(Port("x", (1, 1, 1, 3), "float16"), view, "unit").dtype == np.float16
