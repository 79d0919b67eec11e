"""The example that trains a captioner with its own errors, on a few scenes and for a few steps."""

from __future__ import annotations

import importlib
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
    return example("captioner")


@pytest.fixture(scope="module")
def retrain() -> Any:
    return example("retrain")


def example(name: str) -> Any:
    """A file of the example as a module; they import each other, as they lie in one folder."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXAMPLE))


@pytest.fixture(scope="module")
def retrained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the example fills, and what it prints."""
    out = tmp_path_factory.mktemp("retrain") / "out"
    sizes = [
        "--seed",
        "3",
        "--training",
        "24",
        "--steps",
        "20",
        "--scenes",
        "4",
        "--more-steps",
        "2",
        "--test-scenes",
        "2",
    ]
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
    # A run that finds errors ends with 1, and with 4 if all captions are alike, as after so little training.
    assert done.returncode in (0, 1, 4) and "Traceback" not in done.stderr, done.stderr
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
    before = torch.load(out / "before.pt")
    assert before.keys() == captioner.shipped()["captioner"].state_dict().keys()
    for name in ("retrained", "control-nothing-new", "control-edits-at-random"):
        after = torch.load(out / f"{name}.pt")
        assert after.keys() == before.keys()
        for part in ("reader.slot.weight", "out.weight"):
            assert after[part].isfinite().all() and not torch.equal(after[part], before[part])
    table = (out / "results.md").read_text(encoding="utf-8")
    assert table in printed
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert rows == [
        "before",
        "retrained",
        "control: nothing new",
        "control: edits at random",
        "retrained minus before",
        "retrained minus control: nothing new",
        "retrained minus control: edits at random",
    ]
    assert table.splitlines()[0].count(": violated") == 3


def test_training_learns_and_is_repeatable(retrain: Any, captioner: Any, tmp_path: Path) -> None:
    torch = captioner.importlib.import_module("torch")
    scenes = retrain.drawn(captioner.shipped()["glance"], 8, seed=98)
    losses = [retrain.train(None, [scenes], 25, retrain.RATE, tmp_path / f"{name}.pt") for name in "ab"]
    assert losses[0] == losses[1] and losses[0][-1] < losses[0][0] / 2
    one, other = (torch.load(tmp_path / f"{name}.pt") for name in "ab")
    assert all(torch.equal(one[part], other[part]) for part in one)


def test_the_captions_of_the_exported_pairs_are_true_after_the_edits(retrained: tuple[Path, str]) -> None:
    out, _ = retrained
    exported = [json.loads(line) for line in (out / "pairs" / "twins.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = [twin for twin in exported if twin["caption"] is not None]
    assert all((out / "pairs" / twin["image"]).is_file() for twin in pairs)
    # Those of issues, and as many at random.
    assert any(twin["issues"] for twin in pairs) and len(pairs) <= 2 * sum(bool(twin["issues"]) for twin in exported)
    assert {twin["scene"].rpartition("-")[0] for twin in pairs} == {"toybox-70030"}
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
