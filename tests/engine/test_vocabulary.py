"""Classes and labels that no answer can name are told before a run, and keep it from passing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.config import resolve
from anamorph.engine.events import Advised
from anamorph.engine.preflight import Preflight
from anamorph.engine.run import carry_out, start
from anamorph.report.numbers import read_numbers

PROGRAM = """
def caption(images, questions):
    return ["A photo of some things."] * len(images)

def tag(images, questions):
    return [{"hund": 0.9, "grass": float(image.mean() / 255)} for image in images]
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Photos with objects of two classes, one of them a code."""
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(PROGRAM, encoding="utf-8")
    rng = np.random.default_rng(1)
    images, annotations = [], []
    for number in range(1, 5):
        Image.fromarray(rng.integers(0, 255, (240, 320, 3), dtype=np.uint8)).save(f"{number}.png")
        images.append({"id": number, "file_name": f"{number}.png", "width": 320, "height": 240})
        for place, category in enumerate((1, 2, 2)):
            x, y, side = 20 + 90 * place, 40, 50 + 10 * place
            annotations.append(
                {
                    "id": 10 * number + place,
                    "image_id": number,
                    "category_id": category,
                    "bbox": [x, y, side, side],
                    "area": side * side,
                    "iscrowd": 0,
                    "segmentation": [[x, y, x + side, y, x + side, y + side, x, y + side]],
                }
            )
    categories = [{"id": 1, "name": "shopper"}, {"id": 2, "name": "SOFA_3SEATER"}]
    data = {"images": images, "annotations": annotations, "categories": categories}
    Path("instances.json").write_text(json.dumps(data), encoding="utf-8")
    return {
        "methods": ["rome"],
        "scenes": "coco:instances.json,images=.",
        "system": "callable:model.py:caption",
        "rome": {"inpainter": "telea", "profile": "anamorph"},
        "melt_check": {"enabled": False},
    }


def test_classes_that_no_answer_can_name_are_told_before_the_run_with_what_to_do(shop: dict[str, Any]) -> None:
    with Preflight(resolve(shop), Path("run")) as preflight:
        problem = next(result.problem for result in preflight.results(look=True) if result.what == "readers")
    assert "SOFA_3SEATER" in str(problem) and "shopper" in str(problem)
    assert "anamorph list labels propose --scenes" in str(problem)
    Path("mine.json").write_text('{"labels": ["shopper", {"name": "SOFA_3SEATER", "is": ["sofa"]}]}', encoding="utf-8")
    with Preflight(resolve({**shop, "labels": "mine.json"}), Path("run")) as preflight:
        note = next(result.note for result in preflight.results(look=True) if result.what == "readers")
    assert "English only, by rules" in note and "label space mine.json" in note


def test_such_a_run_does_not_pass_until_its_label_space_has_words(shop: dict[str, Any]) -> None:
    config = resolve(shop)
    with start(config, Path("run")) as store:
        advice = [event.advice for event in carry_out(store, config) if isinstance(event, Advised)]
        gate = read_numbers(store, config).gate
    assert any("No answer can name these classes" in each for each in advice)
    assert gate.exit_code == 4 and gate.reasons[0].kind == "unnameable-classes"
    space = {"labels": [{"name": "shopper"}, {"name": "SOFA_3SEATER", "synonyms": ["sofa", "couch"]}]}
    Path("mine.json").write_text(json.dumps(space), encoding="utf-8")
    config = resolve({**shop, "labels": "mine.json"})
    with start(config, Path("named")) as store:
        advice = [event.advice for event in carry_out(store, config) if isinstance(event, Advised)]
        gate = read_numbers(store, config).gate
    assert not any("No answer can name" in each for each in advice)
    assert "unnameable-classes" not in {reason.kind for reason in gate.reasons}


def test_a_tagger_that_never_gives_a_tested_label_does_not_pass_until_a_label_space_maps_its_own(
    shop: dict[str, Any],
) -> None:
    plain = {**shop, "methods": ["atom"], "scenes": "toybox:12", "system": "callable:model.py:tag"}
    del plain["rome"]
    plain["atom"] = {"k": [1], "labels": ["dog"]}
    config = resolve(plain)
    with start(config, Path("run")) as store:
        list(carry_out(store, config))
        gate = read_numbers(store, config).gate
    kinds = {reason.kind: reason.sentence for reason in gate.reasons}
    assert gate.exit_code in (1, 4) and "hund" in kinds["other-labels"] and "(dog)" in kinds["other-labels"]
    Path("mine.json").write_text(json.dumps({"labels": [{"name": "dog", "synonyms": ["hund"]}]}), encoding="utf-8")
    config = resolve({**plain, "labels": "mine.json"})
    with start(config, Path("mapped")) as store:
        list(carry_out(store, config))
        gate = read_numbers(store, config).gate
    assert "other-labels" not in {reason.kind for reason in gate.reasons}
