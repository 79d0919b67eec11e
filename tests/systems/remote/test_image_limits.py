from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from PIL import Image

from anamorph.errors import Refused
from anamorph.model import Ask
from anamorph.systems.remote.image_limits import ImageLimit


def ask_about(path: Path) -> Ask:
    return Ask("0" * 32, None, path, lambda: None)  # type: ignore[arg-type, return-value]


def noise(path: Path, width: int, height: int) -> Ask:
    Image.fromarray(np.random.default_rng(7).integers(0, 256, (height, width, 3), dtype=np.uint8)).save(path)
    return ask_about(path)


def test_a_file_that_fits_is_sent_as_it_is(tmp_path: Path) -> None:
    ask = noise(tmp_path / "a.png", 40, 30)
    assert ImageLimit(40, 10_000).fitted(ask) == (tmp_path / "a.png").read_bytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.integers(1, 300), st.integers(1, 300), st.integers(8, 200), st.integers(1500, 20_000))
def test_whatever_the_image_the_limits_are_kept_the_same_way_every_time(
    tmp_path: Path, width: int, height: int, longest_side: int, most_bytes: int
) -> None:
    ask = noise(tmp_path / "a.png", width, height)
    limit = ImageLimit(longest_side, most_bytes)
    fitted = limit.fitted(ask)
    assert fitted == limit.fitted(ask) and len(fitted) <= most_bytes
    with Image.open(io.BytesIO(fitted)) as image:
        assert max(image.size) <= longest_side
        wide = max(image.size) / max(width, height)
        assert abs(image.width - width * wide) <= 1 and abs(image.height - height * wide) <= 1


def test_what_is_no_image_or_fits_nowhere_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no image")
    with pytest.raises(Refused, match=r"a\.png cannot be read"):
        ImageLimit(40, 10_000).fitted(ask_about(tmp_path / "a.png"))
    with pytest.raises(Refused, match="does not fit into 100 bytes"):
        ImageLimit(40, 100).fitted(noise(tmp_path / "b.png", 50, 50))
