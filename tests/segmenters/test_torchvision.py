from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.errors import BadRecord, MissingExtra, UsageError
from anamorph.model import decode
from anamorph.segmenters import torchvision
from anamorph.segmenters.torchvision import TorchvisionSegmenter
from tests import tiny_models

# A folder with torchvision in it that is not on the path: beside the CPU build of torch, importing it would fail.
APART = os.environ.get("ANAMORPH_TORCHVISION", "")


def test_without_the_library_the_install_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"The segmenter 'torchvision' .*pip install 'anamorph\[torchvision\]'"):
        TorchvisionSegmenter()


def test_weights_of_ones_own_need_the_names_of_their_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torchvision, "require", lambda *names: None)
    (tmp_path / "own.pth").write_bytes(b"weights")
    with pytest.raises(BadRecord, match="path and classes go together"):
        decode(TorchvisionSegmenter, {"path": str(tmp_path / "own.pth")}, catalog.find, "segmenter")
    (tmp_path / "names.txt").write_text("background\ndog\n")
    with pytest.raises(UsageError, match=r"has no file .*gone\.pth\. Correct segmenter\.path"):
        TorchvisionSegmenter(path=str(tmp_path / "gone.pth"), classes=str(tmp_path / "names.txt"))
    own = TorchvisionSegmenter(path=str(tmp_path / "own.pth"), classes=str(tmp_path / "names.txt"))
    assert own.fingerprint["classes"] == ["background", "dog"] and len(own.fingerprint["weights_sha256"]) == 64
    before = own.fingerprint
    (tmp_path / "own.pth").write_bytes(b"other weights")
    assert own.fingerprint != before


class TestHeavy:
    pytestmark = tiny_models.heavy

    @pytest.mark.slow
    @pytest.mark.skipif(
        not APART and importlib.util.find_spec("torchvision") is None,
        reason="needs torchvision, installed or in the folder that ANAMORPH_TORCHVISION names (make heavy has it)",
    )
    def test_mask_rcnn_gives_masks_and_faster_rcnn_boxes(self, tmp_path: Path) -> None:
        program = Path(__file__).with_name("torchvision_operators.py")
        path = os.pathsep.join(each for each in (APART, *sys.path) if each)
        done = subprocess.run(
            [sys.executable, str(program), str(tmp_path)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        for model, masks in (("maskrcnn_resnet50_fpn_v2", True), ("fasterrcnn_mobilenet_v3_large_320_fpn", False)):
            things = found[model]["things"]
            assert 0 < len(things) <= 5 and len({thing["id"] for thing in things}) == len(things)
            for thing in things:
                assert thing["label"] in ("dog", "cat") and 0 < thing["score"] <= 1
                box = thing["box"]
                assert 0 <= box["x"] < box["x"] + box["width"] <= 80 and 0 <= box["y"] < box["y"] + box["height"] <= 60
                assert ("mask" in thing) == masks
        published = found["published"]
        assert published["weights"] == "MaskRCNN_ResNet50_FPN_V2_Weights.COCO_V1"
        assert published["file"] == "maskrcnn_resnet50_fpn_v2_coco-73cbd019.pth"

    @pytest.mark.skipif(not APART, reason="needs a torchvision that does not fit torch (ANAMORPH_TORCHVISION)")
    def test_a_torchvision_that_does_not_fit_torch_is_named(self) -> None:
        program = "from anamorph.segmenters.torchvision import TorchvisionSegmenter as T; T().fingerprint"
        path = os.pathsep.join((APART, *(each for each in sys.path if each)))
        done = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
        )
        assert "UsageError: The installed torchvision does not work with the installed torch" in done.stderr
