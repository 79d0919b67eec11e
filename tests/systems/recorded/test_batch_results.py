from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Usage
from anamorph.systems.recorded.batch_results import probe_and_attempt, reply_of_batch
from anamorph.systems.recorded.system import RecordedSystem
from anamorph.systems.replies.answers import BadReply
from tests.systems.test_anthropic import error, message
from tests.systems.test_openai import chat, response, said

A, B = "a" * 32, "b" * 32


def openai_line(id: str, body: Any, status: int = 200) -> dict[str, Any]:
    told = {"status_code": status, "request_id": "r1", "body": body}
    return {"id": "batch_req_1", "custom_id": id, "response": told, "error": None}


def anthropic_line(id: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"custom_id": id, "result": {"type": kind, **more}}


def recorded(folder: Path, *files: list[dict[str, Any]]) -> RecordedSystem:
    folder.mkdir(exist_ok=True)
    for number, lines in enumerate(files):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return RecordedSystem(str(folder))


def ask(system: RecordedSystem, *ids: str, attempt: int = 0) -> list[Answer | Failure]:
    return list(system.ask([Ask(id, None, None, lambda: None, attempt) for id in ids], 1))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("line", "text", "usage"),
    [
        (openai_line(A, chat("A dog.")), "A dog.", Usage(900, 9)),
        (
            openai_line(A, response(said("A dog."), usage={"input_tokens": 5, "output_tokens": 2})),
            "A dog.",
            Usage(5, 2),
        ),
        (anthropic_line(A, "succeeded", message=message("A dog.")), "A dog.", Usage(900, 9)),
    ],
)
def test_a_result_is_an_answer_with_its_tokens(line: dict[str, Any], text: str, usage: Usage) -> None:
    reply = reply_of_batch(line)
    assert reply == Answer(text) and reply.usage == usage


@pytest.mark.parametrize(
    ("line", "said_of_it", "declined"),
    [
        (
            openai_line(A, {"error": {"message": "too many", "code": "rate_limit_exceeded"}}, 429),
            "429.*too many",
            False,
        ),
        (openai_line(A, {"error": {"message": "bad photo", "code": "content_filter"}}, 400), "400.*bad photo", True),
        (openai_line(A, None, 500), "500", False),
        (openai_line(A, chat(None, refusal="I cannot.")), "refuses", True),
        (openai_line(A, chat("A dog on", "length")), "cut off at the limit of tokens: A dog on", False),
        (openai_line(A, {"choices": 3}), "not as it should be", False),
        ({"custom_id": A, "response": None, "error": {"code": "batch_expired", "message": "late"}}, "late", False),
        ({"custom_id": A, "response": None}, "not as it should be", False),
        (anthropic_line(A, "errored", error=error("invalid_request_error", "too large")), "too large", False),
        (anthropic_line(A, "errored", error={"type": "overloaded_error", "message": "busy"}), "overloaded|busy", False),
        (anthropic_line(A, "errored"), "errored", False),
        (anthropic_line(A, "expired"), "expired before", False),
        (anthropic_line(A, "canceled"), "canceled before", False),
        (anthropic_line(A, "succeeded", message=message(stop_reason="refusal")), "refuses", True),
        (anthropic_line(A, "succeeded"), "not as it should be", False),
        ({"custom_id": A, "result": 3}, "not as it should be", False),
    ],
)
def test_a_request_that_failed_is_a_failure_of_its_own(line: dict[str, Any], said_of_it: str, declined: bool) -> None:
    reply = reply_of_batch(line)
    assert isinstance(reply, Failure) and re.search(said_of_it, reply.message)
    assert reply.declined == declined and not reply.retryable


def test_half_an_answer_took_tokens() -> None:
    assert reply_of_batch(openai_line(A, chat("A dog on", "length"))).usage == Usage(900, 9)


def test_the_custom_id_is_the_probe_and_perhaps_the_attempt() -> None:
    assert probe_and_attempt({"custom_id": A}) == (A, 0)
    assert probe_and_attempt({"custom_id": f"{A}-3"}) == (A, 3)
    assert probe_and_attempt({"custom_id": "mine-3"}) == ("mine-3", 0)
    with pytest.raises(BadReply, match="custom_id"):
        probe_and_attempt({"custom_id": 3})


def test_a_folder_of_results_is_read_as_one(tmp_path: Path) -> None:
    system = recorded(tmp_path / "results", [openai_line(A, chat("A dog."))], [openai_line(B, chat("A cat."))])
    assert ask(system, B, A, B) == [Answer("A cat."), Answer("A dog."), Answer("A cat.")]
    (missing,) = ask(system, "c" * 32)
    assert isinstance(missing, Failure) and "No recorded answer" in missing.message


def test_an_error_gives_way_to_the_answer_of_a_later_batch(tmp_path: Path) -> None:
    failed = openai_line(A, {"error": {"message": "busy"}}, 500)
    again = openai_line(A, {"error": {"message": "busy still"}}, 503)
    assert ask(recorded(tmp_path / "one", [openai_line(A, chat("A dog."))], [failed, again]), A) == [Answer("A dog.")]
    assert ask(recorded(tmp_path / "two", [failed], [again, openai_line(A, chat("A dog."))]), A) == [Answer("A dog.")]
    (first,) = ask(recorded(tmp_path / "three", [failed], [again]), A)
    assert isinstance(first, Failure) and "500" in first.message


def test_two_answers_to_one_request_are_refused_by_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"0\.jsonl, line 1 and 1\.jsonl, line 2: different answers for the id 'aaa"):
        recorded(
            tmp_path / "r",
            [openai_line(A, chat("A dog."))],
            [openai_line(B, chat("A cat.")), openai_line(A, chat("A cat."))],
        )


def test_repeats_are_given_by_their_number_and_one_answer_counts_its_tokens_once(tmp_path: Path) -> None:
    system = recorded(
        tmp_path / "r", [openai_line(f"{A}-1", chat("two")), openai_line(A, chat("one")), openai_line(B, chat("b"))]
    )
    assert ask(system, A) == [Answer("one")] and ask(system, A, attempt=1) == [Answer("two")]
    (first,), (second,) = ask(system, B), ask(system, B, attempt=1)
    assert first == second == Answer("b") and first.usage == Usage(900, 9) and second.usage is None


def test_a_line_of_ours_may_have_a_custom_id_too(tmp_path: Path) -> None:
    assert ask(recorded(tmp_path / "r", [{"id": A, "text": "A dog.", "custom_id": "x"}]), A) == [Answer("A dog.")]
