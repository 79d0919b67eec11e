from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import UsageError
from anamorph.inpainters.membrane import Membrane
from anamorph.inpainters.migan import MiGan
from anamorph.pixels.shapes import thing_shape, widened
from anamorph.scenes.coco.source import CocoScenes
from anamorph.weights.known import KNOWN
from tests.inpainters.holes import holes, keeps_its_promises, photo

FILE = KNOWN["migan"].file


def test_missing_weights_are_told_with_the_command_that_gets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    told = rf"the file {tmp_path}/{FILE} does not exist: get them with `anamorph list models get migan`"
    with pytest.raises(UsageError, match=rf"'migan' needs the weights migan, but {told}"):
        MiGan().fill(photo(), holes()["inside"])
    with pytest.raises(UsageError, match=r"the file /gone\.onnx does not exist\. Correct inpainters\.migan\.path"):
        MiGan("/gone.onnx").fingerprint  # noqa: B018


def test_the_weights_may_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(tmp_path))
    (tmp_path / FILE).write_bytes(b"1")
    assert MiGan("migan").fingerprint == MiGan().fingerprint == MiGan(str(tmp_path / FILE)).fingerprint


def test_an_empty_hole_needs_no_weights() -> None:
    assert (MiGan("/gone.onnx").fill(photo(), holes()["empty"]) == photo()).all()


def test_a_file_that_is_no_network_is_named(tmp_path: Path) -> None:
    file = tmp_path / "weights.onnx"
    file.write_bytes(b"not a network")
    with pytest.raises(UsageError, match=r"weights\.onnx: cannot be loaded as ONNX weights"):
        MiGan(str(file)).fill(photo(), holes()["inside"])


def test_the_fingerprint_is_the_weights_content(tmp_path: Path) -> None:
    for name, content in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).write_bytes(content)
    a, b, c = (MiGan(str(tmp_path / name)).fingerprint for name in "abc")
    assert a == b != c


@pytest.mark.slow
def test_the_real_network_keeps_its_promises(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(shared / "models"))
    keeps_its_promises(MiGan(), ("empty", "inside", "most", "all", "frame"))


@pytest.mark.slow
def test_real_photos_are_filled_with_texture_that_a_membrane_lacks(shared: Path) -> None:
    """Object-shaped holes in real photos: what MI-GAN makes up is as rough as a photo is, a membrane is smooth."""
    network = MiGan(str(shared / "models" / FILE))
    source = CocoScenes(str(shared / "photos/instances.json"), str(shared / "photos/images"))
    done = 0
    for scene in source.scan():
        things = [t for t in getattr(scene, "things", ()) if 0.02 < t.box.area / (scene.width * scene.height) < 0.1]  # type: ignore[union-attr]
        if not things:
            continue
        pixels = source.pixels(scene)  # type: ignore[arg-type]
        hole = widened(thing_shape(things[0], *pixels.shape[:2]), 17)
        made, smooth = network.fill(pixels, hole), Membrane().fill(pixels, hole)
        assert (made[~hole] == pixels[~hole]).all()
        assert (made[hole] != pixels[hole]).any()
        rough, flat = (float(np.abs(np.diff(each.astype(int), axis=1))[hole[:, 1:]].mean()) for each in (made, smooth))
        assert rough > flat
        done += 1
        if done == 3:
            return
    raise AssertionError("there were no three photos with an object of that size")


@pytest.mark.slow
def test_several_threads_may_share_the_network(shared: Path) -> None:
    network, pixels, hole = MiGan(str(shared / "models" / FILE)), photo(), holes()["inside"]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: network.fill(pixels, hole), range(2))
    assert (first == second).all()
