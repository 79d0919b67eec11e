from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.engine.events import Finished, Rendered
from anamorph.errors import BadPicture, MissingExtra, RunError, UsageError
from anamorph.model import Region
from anamorph.painters.controlnet.painter import ControlNet
from tests import published_diffusion, tiny_diffusion, tiny_models
from tests.engine.test_studio import melts

needs_diffusers = pytest.mark.skipif(
    importlib.util.find_spec("diffusers") is None,
    reason="needs diffusers, which is not installed here (make heavy has it)",
)


def test_without_the_libraries_the_install_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"The painter 'controlnet' .*pip install 'anamorph\[diffusion\]'"):
        ControlNet()


def regions(left: int = 10, label: str = "dog") -> list[Region]:
    shape = np.zeros((60, 80), np.bool_)
    shape[10:40, left : left + 30] = True
    return [Region(label, shape)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    pipeline, controlnet = tiny_diffusion.stable_diffusion(tmp_path_factory.mktemp("diffusion"))
    return str(pipeline), str(controlnet)


@needs_diffusers
class TestHeavy:
    pytestmark = tiny_models.heavy

    def test_the_same_map_and_seed_become_the_same_picture_and_others_another(self, folders: tuple[str, str]) -> None:
        painter = ControlNet(*folders, steps=2, side=64)
        made = painter.paint(regions(), 60, 80, "a photograph with dog", 1)
        assert made.shape == (60, 80, 3) and made.dtype == np.uint8 and made.std() > 0
        again = ControlNet(*folders, steps=2, side=64)
        assert (again.paint(regions(), 60, 80, "a photograph with dog", 1) == made).all()
        assert (painter.paint(regions(), 60, 80, "a photograph with dog", 2) != made).any()
        assert (painter.paint(regions(40), 60, 80, "a photograph with dog", 1) != made).any()
        assert (painter.paint(regions(label="car"), 60, 80, "a photograph with dog", 1) != made).any()
        assert (painter.paint(regions(), 60, 80, "a cat", 1) != made).any()

    @pytest.mark.parametrize("form", ["safetensors", "bin"])
    def test_files_of_the_published_layout_make_the_same_picture(
        self,
        folders: tuple[str, str],
        tmp_path: Path,
        form: published_diffusion.Form,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        pipeline, controlnet = Path(folders[0]), Path(folders[1])
        today = published_diffusion.with_published_scheduler(pipeline, tmp_path / "today")
        expected = ControlNet(str(today), str(controlnet), steps=3, side=64).paint(regions(), 60, 80, "dog", 1)
        model, leading = published_diffusion.as_published(pipeline, controlnet, tmp_path / "published", form)
        painter = ControlNet(str(model), str(leading), steps=3, side=64)
        assert (painter.paint(regions(), 60, 80, "dog", 1) == expected).all(), "a weight that is not read changes it"
        assert "".join(capfd.readouterr()) == ""
        print_before = painter.fingerprint
        other = leading / f"diffusion_pytorch_model.{form}"
        other.write_bytes(other.read_bytes() + b" ")
        assert ControlNet(str(model), str(leading), steps=3, side=64).fingerprint != print_before

    def test_the_published_configuration_makes_the_network_whose_weights_are_published(self) -> None:
        torch, diffusers = importlib.import_module("torch"), importlib.import_module("diffusers")
        with torch.device("meta"):
            network = diffusers.ControlNetModel.from_config(published_diffusion.CONTROLNET)
        shapes = {name: tuple(weights.shape) for name, weights in network.named_parameters()}
        assert sum(weights.numel() for weights in network.parameters()) == 361_279_120
        assert {weights.dtype for weights in network.parameters()} == {torch.float32}
        assert shapes["controlnet_cond_embedding.conv_in.weight"] == (16, 3, 3, 3)
        assert shapes["controlnet_cond_embedding.conv_out.weight"] == (320, 256, 3, 3)
        assert shapes["controlnet_mid_block.weight"] == (1280, 1280, 1, 1)
        attention = "down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight"
        assert shapes[attention] == (320, 768)
        assert [name for name in shapes if name.startswith("controlnet_down_blocks") and name.endswith("weight")] == [
            f"controlnet_down_blocks.{number}.weight" for number in range(12)
        ]

    def test_a_class_without_a_colour_is_named(self, folders: tuple[str, str]) -> None:
        with pytest.raises(BadPicture, match="no color for 'unicorn'"):
            ControlNet(*folders).paint(regions(label="unicorn"), 60, 80, "", 0)

    def test_whatever_could_change_the_picture_changes_the_fingerprint(
        self, folders: tuple[str, str], tmp_path: Path
    ) -> None:
        own = tmp_path / "own.toml"
        own.write_text("dog = [1, 2, 3]\n")
        changes: list[dict[str, Any]] = [
            {},
            {"steps": 3},
            {"guidance": 2.0},
            {"strength": 0.5},
            {"negative_prompt": ""},
            {"side": 128},
            {"palette": str(own)},
        ]
        prints = [ControlNet(*folders, **change).fingerprint for change in changes]
        assert len({str(each) for each in prints}) == len(changes)

    def test_a_folder_without_a_pipeline_is_named(self, folders: tuple[str, str]) -> None:
        with pytest.raises(UsageError, match=r"has no model_index\.json"):
            ControlNet(folders[1], folders[1])

    def test_a_run_repaints_its_scenes_and_refuses_another_painter_later(
        self, folders: tuple[str, str], tmp_path: Path
    ) -> None:
        move = {"object": "1", "right": 12.0}
        also = [{"kind": "repaint", "moves": [move], "prompt": "a photograph with cup", "sample": s} for s in (0, 1)]
        only = {"blur": [], "brightness": [], "contrast": [], "shear": [], "also": also}
        painter = {"model": folders[0], "controlnet": folders[1], "steps": 2, "side": 64}
        ran = melts(tmp_path / "run", deeptest=only, painters={"controlnet": painter})
        assert ran.problem is None and len(ran.of(Rendered)) == 6
        assert len(ran.of(Finished)) == 1
        with ran.store() as store:
            assert store.fact("painters")["controlnet"]["steps"] == 2
            files = [row[0] for row in store.connection.execute("SELECT file FROM images")]
            # Both scenes have the same map, and a painter sees nothing else of them.
            assert len(files) == 6 and len(set(files)) == 4
        changed = {"controlnet": {**painter, "steps": 3}}
        problem = melts(tmp_path / "run", deeptest=only, painters=changed, ask={"repeats": 2}).problem
        assert isinstance(problem, RunError) and "the painter 'controlnet' changed since this run began" in str(problem)
