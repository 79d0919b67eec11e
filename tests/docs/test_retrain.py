"""The example that trains the toybox's captioner with its own errors, on a few scenes and for a few steps."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anamorph
from anamorph import catalog
from anamorph.engine.render.maker import edits_from_json
from anamorph.model import Answer
from anamorph.toybox import networks
from anamorph.toybox.scenes import ToyboxScenes, scene_of
from anamorph.toybox.truth import truth
from anamorph.toybox.wrongness import assess

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "retrain"

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason="needs torch, which is not installed here (make heavy has it)"
    ),
    pytest.mark.filterwarnings("ignore:::torch"),
]


@pytest.fixture(scope="module")
def captioner() -> Any:
    spec = importlib.util.spec_from_file_location("retrain_captioner", EXAMPLE / "captioner.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def retrained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the example fills, and what it prints."""
    out = tmp_path_factory.mktemp("retrain") / "out"
    sizes = ["--scenes", "6", "--test-scenes", "3", "--steps", "2"]
    return out, called(str(EXAMPLE / "retrain.py"), "--out", str(out), *sizes)


def called(*arguments: str, **variables: str) -> str:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, **variables},
    )
    # 1 says that the run found errors, as it should.
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_the_weights_of_the_onnx_files_give_the_same_outputs_in_pytorch(captioner: Any) -> None:
    source = ToyboxScenes(8, seed=99)
    pictures = np.stack([networks.fitted(source.pixels(scene)) for scene in source.scan()])  # type: ignore[arg-type]
    model = captioner.shipped()
    with captioner.importlib.import_module("torch").inference_mode():
        outputs = model["glance"](captioner.as_input(list(pictures)))
        said = captioner.captions(model, list(pictures))
    for ours, theirs in zip(outputs, networks._glance(pictures), strict=True):
        assert np.abs(ours.numpy() - theirs).max() < 1e-4
    assert said == networks.captions(pictures)


def test_training_changes_the_weights_and_the_table_has_every_row(retrained: tuple[Path, str], captioner: Any) -> None:
    out, printed = retrained
    torch = captioner.importlib.import_module("torch")
    before = captioner.shipped().state_dict()
    for name in ("retrained", "control"):
        after = torch.load(out / f"{name}.pt")
        assert after.keys() == before.keys()
        for part in ("glance.eye.layers.0.0.weight", "captioner.out.weight"):
            assert after[part].isfinite().all() and not torch.equal(after[part], before[part])
    table = (out / "results.md").read_text(encoding="utf-8")
    assert table in printed
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert rows == [
        "before",
        "retrained",
        "control",
        "retrained minus before",
        "control minus before",
        "retrained minus control",
    ]
    assert table.splitlines()[0].count(": violated") == 3


def test_the_captions_of_the_exported_pairs_are_true_after_the_edits(retrained: tuple[Path, str]) -> None:
    out, _ = retrained
    exported = [json.loads(line) for line in (out / "pairs" / "twins.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = [twin for twin in exported if twin["caption"] is not None]
    assert pairs and all((out / "pairs" / twin["image"]).is_file() and twin["issues"] for twin in pairs)
    for twin in pairs:
        seed, index = map(int, twin["scene"].split("-")[1:])
        seen = truth(scene_of(seed, index), edits_from_json(json.dumps(twin["edits"]), catalog.find))
        assert assess(Answer(text=twin["caption"]), None, seen).outcome == "right", twin


def test_the_retrained_weights_load_as_a_system(retrained: tuple[Path, str], tmp_path: Path) -> None:
    out, _ = retrained
    system = f"callable:{EXAMPLE / 'captioner.py'}:Captioner"
    command = ["-m", "anamorph.cli.main", "run", "--method", "deeptest", "--scenes", "toybox:2", "--system", system]
    called(*command, "--out", str(tmp_path / "run"), RETRAINED=str(out / "retrained.pt"))
    numbers = anamorph.open_run(tmp_path / "run").numbers
    assert numbers.counts.cases == 8 and numbers.counts.undecided == 0 and numbers.failure_count == 0
