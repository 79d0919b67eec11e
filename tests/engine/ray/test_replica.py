"""Tests of a copy of the system on a worker, which needs no Ray."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import anamorph
from anamorph.engine.ray.render_task import MadeParcel
from anamorph.engine.ray.replica import SentAsk, SystemOrder, SystemReplica
from anamorph.errors import Refused, SystemDown, Transient
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.store.images import ImageFormat

CONTENT = ImageFormat("png").encode(np.full((4, 6, 3), 9, np.uint8))


class Scripted:
    """Answers with what it sees in the image, or does what the question says."""

    kind: ClassVar[str] = "scripted"
    counts_tokens: ClassVar[bool] = True
    manner = Manner()
    fingerprint: ClassVar[dict[str, Any]] = {"one": 1}

    def __init__(self) -> None:
        self.closed = False
        self.paths: list[Path] = []
        self.together = threading.Barrier(3)

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        for ask in batch:
            if ask.question == "busy":
                raise Transient("Come back later", 3.0)
            if ask.question == "bad":
                raise Refused("Not this one")
            if ask.question == "down":
                raise SystemDown("Nobody is there")
            if ask.question == "together":
                self.together.wait(60)
            if ask.path is not None:
                self.paths.append(ask.path)
                assert ask.path.read_bytes() == CONTENT
        return [Answer(f"{ask.load().mean():g}" if ask.path else "blind") for ask in batch]

    def close(self) -> None:
        self.closed = True


def replica(system: object, **environment: str) -> SystemReplica:
    return SystemReplica(SystemOrder({}, "system", str(Path.cwd()), environment, system))


def asks(*questions: str | None, image: str | None = "a.png") -> list[SentAsk]:
    return [SentAsk(str(place), question, image, 0) for place, question in enumerate(questions)]


def test_images_come_with_the_message_or_in_a_parcel_and_leave_nothing_behind() -> None:
    system = Scripted()
    copy = replica(system)
    first = copy.ask(asks(None), 1.0, None, {"a.png": CONTENT})
    second = copy.ask(asks(None), 1.0, None, {}, MadeParcel((), {"a.png": CONTENT}))
    assert first.results == second.results == (Answer("9"),)
    assert not any(path.exists() for path in system.paths)
    assert copy.ask(asks(None, image=None), 1.0, None, {}).results == (Answer("blind"),)


def test_a_message_of_single_calls_is_asked_at_once_and_one_failure_takes_no_other_with_it() -> None:
    copy = replica(Scripted())
    questions = ("together", "busy", "together", "bad", "together")
    result = copy.ask(asks(*questions), 1.0, 5, {"a.png": CONTENT})
    assert result.results == (
        Answer("9"),
        Failure("Come back later", True, 3.0),
        Answer("9"),
        Failure("Not this one"),
        Answer("9"),
    )


@pytest.mark.parametrize(
    ("question", "kind", "wait"), [("busy", "transient", 3.0), ("bad", "refused", None), ("down", "broken", None)]
)
def test_the_error_of_a_call_comes_back_as_what_it_is(question: str, kind: str, wait: float | None) -> None:
    result = replica(Scripted()).ask(asks(None, question), 1.0, None, {"a.png": CONTENT})
    assert (result.results, result.kind, result.retry_after_seconds) == ((), kind, wait)


def test_a_broken_system_is_broken_for_the_whole_message() -> None:
    result = replica(Scripted()).ask(asks(None, "down"), 1.0, 2, {"a.png": CONTENT})
    assert (result.kind, result.problem) == ("broken", "Nobody is there")


def test_a_copy_describes_itself() -> None:
    facts = replica(Scripted()).describe()
    assert (facts.kind, facts.fingerprint, facts.counts_tokens) == ("scripted", {"one": 1}, True)
    assert (facts.version, facts.process, facts.problem) == (anamorph.__version__, os.getpid(), "")


def test_a_system_that_cannot_be_made_is_reported_and_not_raised() -> None:
    plain = {"system": {"kind": "callable", "target": "no_such_module:caption"}}
    facts = SystemReplica(SystemOrder(plain, "system", str(Path.cwd()), {})).describe()
    assert facts.usage_error
    assert "no_such_module" in facts.problem


def test_variables_reach_the_system_and_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMORPH_TEST_TOKEN", "")
    order = SystemOrder({}, "system", str(Path.cwd()), {"ANAMORPH_TEST_TOKEN": "hush-hush"}, Scripted())
    SystemReplica(order)
    assert os.environ["ANAMORPH_TEST_TOKEN"] == "hush-hush"
    assert "hush" not in repr(order)
