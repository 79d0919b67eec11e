"""One real photo, put to the system before a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamorph.api.functions import FunctionSystem
from anamorph.config import resolve
from anamorph.engine.preflight import system_line
from anamorph.engine.trial import try_one
from anamorph.model import AnswerReading, CaptionReading, LabelSet
from anamorph.systems.openai import OpenAISystem


def _tried(call: Callable[..., Any], method: str = "deeptest", **settings: Any) -> Any:
    system = FunctionSystem(call)
    config = resolve({"methods": [method], "scenes": "toybox:2", **settings})
    return try_one(replace(config, given={"system": system}), system)


def test_the_answer_is_shown_as_it_is_read() -> None:
    trial = _tried(lambda image: "Two dogs on a bed.")
    assert isinstance(trial.reading, CaptionReading)
    assert trial.reading.classes()["dog"] == (2, 2)
    assert trial.warnings == ()


def test_a_method_of_questions_asks_one() -> None:
    trial = _tried(lambda image, question: f"3 ({question})"[:1], "crosscheck")
    assert trial.question == "How many people are in the image?"
    assert isinstance(trial.reading, AnswerReading)
    assert trial.reading.number == 3


@pytest.mark.parametrize(
    ("answer", "warning"),
    [
        ("Zwei Hunde liegen auf dem Bett und schlafen.", "does not look like English"),
        ("", "the answer is empty"),
        ({"dog": 0.1, "cat": 0.2}, "no label reaches the threshold of the reader english; the highest score is 0.2"),
        ({"dog": 0.9, "zwork": 0.8}, "1 of 2 labels are neither classes of the photos nor of the label space coco"),
    ],
)
def test_an_answer_that_can_never_match_is_a_warning(answer: object, warning: str) -> None:
    assert any(warning in said for said in _tried(lambda image: answer).warnings)


@pytest.mark.parametrize(
    ("answer", "usable"), [("A dog.", True), ("", False), ("Zwei Hunde liegen auf dem Bett und schlafen.", False)]
)
def test_an_answer_that_cannot_be_read_is_not_usable(answer: str, usable: bool) -> None:
    assert _tried(lambda image: answer).usable is usable


def test_labels_are_read_with_their_threshold() -> None:
    assert _tried(lambda image: {"dog": 0.9, "cat": 0.1}).reading == LabelSet(frozenset({"dog"}))


def test_a_system_that_fails_is_a_problem() -> None:
    def broken(image: object) -> str:
        raise ValueError("no weights")

    trial = _tried(broken)
    assert trial.answer is None
    assert "no weights" in trial.problem


def test_a_function_of_several_images_that_returns_one_answer_is_a_problem() -> None:
    def one(images: list[object]) -> list[str]:
        return ["A dog."]

    assert "was given 2 images and returned 1 answer" in _tried(one).problem


def test_the_address_is_told_without_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKEN", "s3cret")
    system = OpenAISystem("m", base_url="http://user:${TOKEN}@127.0.0.1:9/v1", key_variable="")
    assert system_line(system) == "openai, contacts http://127.0.0.1:9/v1/chat/completions"
