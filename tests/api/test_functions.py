from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.api.functions import FunctionSystem
from anamorph.errors import Refused, SystemDown, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Pixels

PICTURE = np.full((4, 6, 3), 9, dtype=np.uint8)


def asks(count: int, question: str | None = None) -> list[Ask]:
    return [Ask(str(place), question, None, lambda: PICTURE) for place in range(count)]


class Model:
    """An object that is called, with a method beside."""

    def __call__(self, image: Pixels) -> str:
        return f"called on {image.shape}"

    def describe(self, image: Pixels, question: str | None) -> str:
        return f"{question} on {image.shape}"


def of_pil(image: Image.Image) -> str:
    return f"{image.size}"


def of_pil_lists(images: list[Image.Image], questions: Sequence[str | None]) -> list[str]:
    return [f"{image.size} {question}" for image, question in zip(images, questions, strict=True)]


def of_names(images: Any) -> list[str]:
    return ["x"] * len(images)


def with_more(image: Pixels, temperature: float = 0.5) -> str:
    return f"{temperature}"


def optional_question(image: Pixels, question: str | None = None) -> str:
    return str(question)


async def one_async(image: Pixels) -> str:
    await asyncio.sleep(0)
    return f"awaited {image.shape}"


async def several_async(images: list[Pixels], questions: list[str | None]) -> list[str]:
    await asyncio.sleep(0)
    return [f"awaited {question}" for question in questions]


@pytest.mark.parametrize(
    ("call", "taken", "answers"),
    [
        (lambda image: "a", (False, False, "array"), ["a", "a"]),
        (Model, (False, False, "array"), ["called on (4, 6, 3)"] * 2),
        (one_async, (False, False, "array"), ["awaited (4, 6, 3)"] * 2),
        (several_async, (True, True, "array"), ["awaited q?"] * 2),
        (lambda x, questions: [f"{len(x)}"] * len(x), (True, True, "array"), ["2", "2"]),
        (Model(), (False, False, "array"), ["called on (4, 6, 3)"] * 2),
        (Model().describe, (False, True, "array"), ["q? on (4, 6, 3)"] * 2),
        (of_pil, (False, False, "pil"), ["(6, 4)"] * 2),
        (of_pil_lists, (True, True, "pil"), ["(6, 4) q?"] * 2),
        (of_names, (True, False, "array"), ["x", "x"]),
        (with_more, (False, False, "array"), ["0.5"] * 2),
        (optional_question, (False, True, "array"), ["q?"] * 2),
    ],
)
def test_a_signature_says_how_a_function_is_called(
    call: Callable[..., Any], taken: tuple[bool, bool, str], answers: list[str]
) -> None:
    system = FunctionSystem(call)
    assert (system.batch, system.questions, system.images) == taken
    assert list(system.ask(asks(2, "q?"), 1)) == [Answer(text) for text in answers]


def test_what_is_said_counts_for_more_than_the_signature() -> None:
    system = FunctionSystem(lambda x: ["a"] * len(x), batch=3, questions=False, images="pil")
    assert system.manner.batch == 3
    assert list(system.ask(asks(2), 1)) == [Answer("a"), Answer("a")]
    assert list(
        FunctionSystem(lambda *x: f"{len(x)}", batch=False, questions=True, images="array").ask(asks(1), 1)
    ) == [Answer("2")]


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (type("Needy", (Model,), {"__init__": lambda self, weights: None}), "cannot be made without arguments"),
        (type("Silent", (), {}), "has no `__call__"),
        (lambda image, questions: "a", "names one image and several questions"),
        (lambda: "a", "takes no image"),
        (lambda image, question, device: "a", "needs 'device'"),
        (lambda image, *, device: "a", "needs 'device'"),
        (lambda *images: "a", r"takes anything \(\*args\)"),
    ],
)
def test_a_function_that_cannot_be_a_system_is_refused_at_once(call: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        FunctionSystem(call)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"parallel": 0}, "parallel must be at least 1, got 0"),
        ({"images": "tensor"}, "images must be 'array' or 'pil', got 'tensor'"),
        ({"batch": -1}, "batch must be true, false or a number of images, got -1"),
    ],
)
def test_wrong_settings_are_refused_at_once(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        FunctionSystem(lambda image: "a", **arguments)


def test_errors_of_the_function_name_it_and_its_line() -> None:
    def broken(image: Pixels) -> str:
        raise RuntimeError("out of memory")

    def flaky(image: Pixels) -> str:
        raise ConnectionError("reset")

    with pytest.raises(Refused, match=r"broken raised RuntimeError: out of memory \(.*test_functions\.py:\d+\)"):
        FunctionSystem(broken).ask(asks(1), 1)
    with pytest.raises(Transient, match="flaky raised ConnectionError"):
        FunctionSystem(flaky).ask(asks(1), 1)


def test_only_a_function_with_a_fingerprint_of_its_own_is_remembered_across_runs() -> None:
    def caption(image: Pixels) -> str:
        return "a"

    assert not FunctionSystem(caption).manner.remembers
    assert FunctionSystem(caption, own_fingerprint="weights 3").manner.remembers
    caption.fingerprint = "weights 4"  # type: ignore[attr-defined]
    assert FunctionSystem(caption).fingerprint["own"] == "weights 4"
    caption.fingerprint = 5  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="must be a string, got a int"):
        _ = FunctionSystem(caption).fingerprint


def test_functions_with_other_code_have_other_fingerprints() -> None:
    one, other = FunctionSystem(lambda image: "a"), FunctionSystem(lambda image: "b")
    assert one.fingerprint != other.fingerprint
    assert FunctionSystem(Model()).fingerprint == FunctionSystem(Model()).fingerprint


def test_async_calls_share_one_loop_which_ends_with_the_system() -> None:
    loops = []

    async def caption(image: Pixels) -> str:
        loops.append(asyncio.get_running_loop())
        return "a"

    system = FunctionSystem(caption)
    system.ask(asks(1), 1)
    system.ask(asks(1), 1)
    assert loops[0] is loops[1]
    system.close()


def test_a_batch_of_the_wrong_length_is_told_with_numbers_and_ends_the_run_unless_it_ever_worked() -> None:
    system = FunctionSystem(lambda images: ["a", "b"])
    with pytest.raises(SystemDown, match=r"was given 3 images and returned 2 answers\. Called as .*\(images\)"):
        system.ask(asks(3), 1)
    assert system.ask(asks(2), 1) == [Answer("a"), Answer("b")]
    with pytest.raises(Refused, match="was given 1 image and returned 2 answers"):
        system.ask(asks(1), 1)


def test_a_function_of_several_images_that_names_one_is_told_what_to_call_it() -> None:
    (failure,) = FunctionSystem(lambda image: ["a"]).ask(asks(1), 1)
    assert isinstance(failure, Failure)
    assert "has a parameter `images`" in failure.message


def test_a_function_without_questions_is_not_asked_any() -> None:
    assert "answer" not in FunctionSystem(lambda image: "a").answers_with
    assert FunctionSystem(lambda image, question: "a").answers_with == ()
