from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import Refused, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Usage, canonical_json
from anamorph.systems.anthropic import VENDOR_URL, AnthropicSystem
from anamorph.systems.chats.prompts import CAPTION_PROMPT
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., AnthropicSystem]


def message(*texts: Any, stop_reason: Any = "end_turn", **usage: int) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "hm", "signature": "x"}, *({"type": "text", "text": t} for t in texts)]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "small",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 900, "output_tokens": 9, **usage},
    }


def error(kind: str, text: str = "no") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}


_FILTERED = error("invalid_request_error", "Output blocked by content filtering policy")

ANTHROPIC = Service(
    "anthropic",
    lambda url: f"anthropic:small,base_url={url}",
    {"ANTHROPIC_API_KEY": SECRET},
    message("A dog ", "on a lawn."),
    Answer("A dog on a lawn."),
    wrong=(
        [],
        {},
        {"content": "x"},
        message(3),
        message("a dog", stop_reason=None),
        message("a dog", stop_reason="tool_use"),
        message("a dog", stop_reason=["end_turn"]),
    ),
    inside=(
        (error("overloaded_error", "Overloaded"), True),
        (error("rate_limit_error"), True),
        (error("invalid_request_error"), False),
        ({"error": "something broke"}, False),
    ),
    declining=(
        (200, message(stop_reason="refusal")),
        (200, message("I can't", stop_reason="refusal")),
        (200, _FILTERED),
        (400, _FILTERED),
    ),
    unset=("ANTHROPIC_BASE_URL",),
)
FAULTS = (ANTHROPIC,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ANTHROPIC.log_in(monkeypatch)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[AnthropicSystem] = []
    server.behaviour = lambda request: request.reply(message("two"))

    def make(**settings: Any) -> AnthropicSystem:
        made.append(AnthropicSystem(**{"model": "small", "base_url": server.url, **settings}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_image_goes_before_the_prompt(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    assert system(system_prompt="Be brief.").ask(asks(1), PATIENT) == [Answer("two")]
    data = base64.b64encode(photo.read_bytes()).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    assert json.loads(server.last.body) == {
        "model": "small",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [image, {"type": "text", "text": CAPTION_PROMPT}]}],
        "max_tokens": 1000,
    }
    assert server.last.path == "/v1/messages"
    assert server.last.headers["x-api-key"] == SECRET and server.last.headers["anthropic-version"] == "2023-06-01"


def test_a_question_has_a_prompt_of_its_own(server: Server, system: Systems, asks: Asks) -> None:
    system(question_prompt="Q: {question}", temperature=0.0).ask(asks(1, "How many dogs?"), PATIENT)
    sent = json.loads(server.last.body)
    assert sent["messages"][0]["content"][1]["text"] == "Q: How many dogs?" and sent["temperature"] == 0.0


def test_further_fields_win_and_null_removes(server: Server, system: Systems, asks: Asks) -> None:
    system(temperature=0.5, body='{"temperature": null, "top_k": 3}').ask(asks(1), PATIENT)
    sent = json.loads(server.last.body)
    assert "temperature" not in sent and sent["top_k"] == 3


def test_tokens_are_counted_with_what_the_cache_took(server: Server, system: Systems, asks: Asks) -> None:
    reply = message("two", cache_creation_input_tokens=10, cache_read_input_tokens=5)
    server.behaviour = lambda request: request.reply(reply)
    (answer,) = system().ask(asks(1), PATIENT)
    assert answer.usage == Usage(915, 9)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": 3}, {"input_tokens": -1, "output_tokens": 2}, "x"])
def test_an_answer_without_a_valid_count_is_an_answer(server: Server, system: Systems, asks: Asks, usage: Any) -> None:
    server.behaviour = lambda request: request.reply({**message("two"), "usage": usage})
    (answer,) = system().ask(asks(1), PATIENT)
    assert answer == Answer("two") and answer.usage is None


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_half_an_answer_is_a_failure_that_took_tokens(server: Server, system: Systems, asks: Asks, reason: str) -> None:
    server.behaviour = lambda request: request.reply(message("A dog on", stop_reason=reason))
    (failure,) = system(max_tokens=4).ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and "max_tokens = 4" in failure.message and "A dog on" in failure.message
    assert failure.usage == Usage(900, 9) and not failure.retryable and not failure.declined


def test_an_overloaded_service_is_asked_again(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply(error("overloaded_error", "Overloaded"), 529)
    with pytest.raises(Transient, match="529"):
        system().ask(asks(1), PATIENT)


def test_an_account_with_nothing_left_is_not(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply(
        error("rate_limit_error", "Your credit balance is too low to access the API."), 429
    )
    with pytest.raises(Refused, match="credit balance"):
        system().ask(asks(1), PATIENT)


def test_a_model_that_takes_no_temperature_says_where_to_look(server: Server, system: Systems, asks: Asks) -> None:
    told = error("invalid_request_error", "`temperature` is deprecated for this model.")
    server.behaviour = lambda request: request.reply(told, 400)
    with pytest.raises(Refused, match="leave the setting out") as caught:
        system(temperature=0.0).ask(asks(1), PATIENT)
    assert "deprecated" in str(caught.value)


def test_settings_that_cannot_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="name of a model"):
        AnthropicSystem(" ")
    with pytest.raises(UsageError, match=r"must have \{question\}"):
        AnthropicSystem("small", question_prompt="what?")
    for name in ("model", "messages", "stream"):
        with pytest.raises(UsageError, match=f"must not have '{name}'"):
            AnthropicSystem("small", body=json.dumps({name: 1}))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY, which is not set"):
        AnthropicSystem("small")


def test_the_address_comes_from_the_setting_or_the_environment_or_is_the_vendors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert AnthropicSystem("small").fingerprint["url"] == f"{VENDOR_URL}/v1/messages"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://gateway.example/")
    assert AnthropicSystem("small").fingerprint["url"] == "https://gateway.example/v1/messages"


def test_a_gateway_with_a_login_of_its_own_gets_no_key(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_TOKEN", "token-123456")
    system(key_variable="", headers={"Authorization": "Bearer ${GATEWAY_TOKEN}"}).ask(asks(1), PATIENT)
    assert server.last.headers["authorization"] == "Bearer token-123456" and "x-api-key" not in server.last.headers


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"model": "large"},
        {"base_url": "http://localhost:1"},
        {"prompt": "What?"},
        {"question_prompt": "Q: {question}"},
        {"system_prompt": "Be brief."},
        {"temperature": 0.0},
        {"max_tokens": 5},
        {"body": '{"top_k": 1}'},
        {"version": "2099-01-01"},
        {"headers": {"anthropic-beta": "x"}},
    ]
    prints = {canonical_json(AnthropicSystem(**{"model": "small", **each}).fingerprint) for each in different}
    assert len(prints) == len(different)


def test_a_text_alone_goes_word_for_word(server: Server, system: Systems) -> None:
    chosen = system(prompt="Describe.", question_prompt="Q: {question}", system_prompt="Be exact.")
    (answer,) = chosen.ask([Ask.of_text("0" * 32, "Read {question}.")], PATIENT)
    assert chosen.takes_text and isinstance(answer, Answer) and answer.usage == Usage(900, 9)
    assert json.loads(server.last.body) == {
        "model": "small",
        "system": "Be exact.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Read {question}."}]}],
        "max_tokens": 2000,
    }
