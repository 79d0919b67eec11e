from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.weights.checkpoints import Checkpoint
from tests import tiny_models as tiny

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def model_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "vit"}')
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "README.md").write_text("words for people")
    return folder


def test_a_folder_is_known_by_its_files_and_not_by_its_place(tmp_path: Path) -> None:
    first = Checkpoint("The system", str(model_folder(tmp_path / "a" / "model")))
    moved = Checkpoint("The system", str(model_folder(tmp_path / "b" / "model")))
    first.check()
    assert first.identity() == moved.identity()
    (tmp_path / "b" / "model" / "README.md").write_text("other words for people")
    assert first.identity() == moved.identity()
    for file, content in (("model.safetensors", b"others"), ("vocab.txt", b"dog"), ("unet/model.safetensors", b"x")):
        before = moved.identity()
        (tmp_path / "b" / "model" / file).parent.mkdir(exist_ok=True)
        (tmp_path / "b" / "model" / file).write_bytes(content)
        assert moved.identity() != before


@pytest.mark.parametrize(
    ("model", "complaint"),
    [("", "needs a model"), ("./gone", "the folder ./gone does not exist"), ("one/two/three", "does not exist")],
)
def test_what_cannot_be_a_model_is_named(model: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Checkpoint("The system", model).check()


def test_what_a_library_says_is_told_with_the_models_name(tmp_path: Path) -> None:
    def loader(model: str, **options: Any) -> None:
        raise OSError("no weights here.\nand many more words")

    with pytest.raises(UsageError, match=r"the model .*model cannot be loaded \(OSError: no weights here\)\."):
        Checkpoint("The system", str(model_folder(tmp_path / "model"))).load(loader)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the hub with one model in it, as a download leaves it."""
    cache = tmp_path / "hub"
    there = cache / "models--people--classifier"
    tiny.classifier(there / "snapshots" / COMMIT)
    (there / "refs").mkdir(parents=True)
    (there / "refs" / "main").write_text(COMMIT)
    constants: Any = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return cache


class TestHeavy:
    pytestmark = tiny.heavy

    def test_a_model_of_the_hub_is_known_by_its_commit(self, hub: Path) -> None:
        from anamorph.systems.transformers.system import TransformersSystem

        by_branch = TransformersSystem("people/classifier", local_files_only=True)
        assert by_branch.fingerprint["model"] == "people/classifier" and by_branch.fingerprint["commit"] == COMMIT
        by_commit = TransformersSystem("people/classifier", revision=COMMIT, local_files_only=True)
        assert by_branch.fingerprint == by_commit.fingerprint

    def test_a_model_that_is_not_in_the_cache_is_named(self, hub: Path) -> None:
        shutil.rmtree(hub / "models--people--classifier")
        with pytest.raises(UsageError, match=r"the model people/classifier at revision 'v2' is neither a folder nor"):
            Checkpoint("The system", "people/classifier", "v2", local_files_only=True).identity()
