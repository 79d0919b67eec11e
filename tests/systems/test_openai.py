from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, Failure, Usage, canonical_json
from anamorph.systems.chats.prompts import CAPTION_PROMPT
from anamorph.systems.openai import VENDOR_URL, OpenAISystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., OpenAISystem]


def chat(content: Any, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish_reason,
    }
    usage = {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [choice],
        "usage": usage,
    }


def response(*content: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    message = {"type": "message", "id": "m1", "role": "assistant", "status": status, "content": list(content)}
    output = [{"type": "reasoning", "id": "r1", "summary": []}, message]
    return {"id": "r", "object": "response", "status": status, "error": None, "output": output, **more}


def said(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


_FILTERED = {"error": {"message": "It was filtered.", "type": None, "param": "prompt", "code": "content_filter"}}
_FILTERED_INSIDE = {"error": {"message": "no", "code": "400", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}

CHAT = Service(
    "openai-chat",
    lambda url: f"openai:small,base_url={url}/v1",
    {"OPENAI_API_KEY": SECRET},
    chat("A dog on a lawn."),
    Answer("A dog on a lawn."),
    wrong=(
        [],
        {},
        {"choices": {}},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"message": "x"}]},
        chat(3),
        chat([{"type": "image"}]),
    ),
    inside=(
        ({"error": {"message": "upstream", "code": 502}}, True),
        ({"error": {"message": "slow down", "type": "rate_limit_exceeded"}}, True),
        ({"error": {"message": "no such model", "code": 404}}, False),
        ({"error": "something broke"}, False),
        ({"choices": [{"error": {"message": "upstream", "code": 503}, "finish_reason": "error"}]}, True),
    ),
    declining=(
        (200, chat(None, refusal="I cannot help with that.")),
        (200, chat("A d", "content_filter")),
        (200, {"error": {"message": "flagged", "code": "moderation_blocked"}}),
        (400, _FILTERED),
        (400, _FILTERED_INSIDE),
    ),
    unset=("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
)
RESPONSES = Service(
    "openai-responses",
    lambda url: f"openai:small,base_url={url}/v1,api=responses",
    {"OPENAI_API_KEY": SECRET},
    response(said("A dog "), said("on a lawn."), usage={"input_tokens": 900, "output_tokens": 9}),
    Answer("A dog on a lawn."),
    wrong=([], {}, {"output": 3}, {"output": [{"type": "message"}]}, response({"type": "output_text"})),
    inside=(
        ({"status": "failed", "error": {"code": "server_error", "message": "broke"}, "output": []}, True),
        ({"status": "failed", "error": {"code": "invalid_image", "message": "no image"}, "output": []}, False),
    ),
    declining=(
        (200, response({"type": "refusal", "refusal": "I cannot help with that."})),
        (200, response(status="incomplete", incomplete_details={"reason": "content_filter"})),
        (400, _FILTERED),
    ),
    unset=("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
)
FAULTS = (CHAT, RESPONSES)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[OpenAISystem] = []
    server.behaviour = lambda request: request.reply(
        response(said("two")) if request.path.endswith("/responses") else chat("two")
    )

    def make(**settings: Any) -> OpenAISystem:
        made.append(OpenAISystem(**{"model": "small", "base_url": f"{server.url}/v1", **settings}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def sent(server: Server) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(server.last.body)
    return body


def test_chat_gets_the_prompt_and_the_image_as_a_data_url(
    server: Server, system: Systems, asks: Asks, photo: Path
) -> None:
    assert system(system_prompt="Be brief.", detail="low").ask(asks(1), PATIENT) == [Answer("two")]
    url = "data:image/png;base64," + base64.b64encode(photo.read_bytes()).decode()
    content = [
        {"type": "text", "text": CAPTION_PROMPT},
        {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
    ]
    assert (server.last.command, server.last.path) == ("POST", "/v1/chat/completions")
    assert sent(server) == {
        "model": "small",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}],
        "max_tokens": 300,
        "temperature": 0.0,
    }
    assert "authorization" not in server.last.headers, "a local server needs no key"


def test_responses_puts_the_same_in_its_own_words(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    asked = system(api="responses", system_prompt="Be brief.", prompt="Say what it is.", detail="high")
    assert asked.ask(asks(1), PATIENT) == [Answer("two")]
    url = "data:image/png;base64," + base64.b64encode(photo.read_bytes()).decode()
    content = [
        {"type": "input_text", "text": "Say what it is."},
        {"type": "input_image", "image_url": url, "detail": "high"},
    ]
    assert server.last.path == "/v1/responses"
    assert sent(server) == {
        "model": "small",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": content}],
        "max_output_tokens": 300,
        "temperature": 0.0,
        "store": False,
    }


def test_a_question_goes_where_the_prompt_says(server: Server, system: Systems, asks: Asks) -> None:
    system(question_prompt="Q: {question} A:").ask(asks(1, "How many {dogs}?"), PATIENT)
    assert sent(server)["messages"][0]["content"][0]["text"] == "Q: How many {dogs}? A:"
    # Without a prompt of its own it stands alone: the run adds the form of the answer before it comes here.
    system().ask(asks(1, "How many {dogs}? Answer with a single number."), PATIENT)
    assert sent(server)["messages"][0]["content"][0]["text"] == "How many {dogs}? Answer with a single number."


TEXT = "What does the caption {question} name?"


def test_chat_takes_a_text_alone_word_for_word(server: Server, system: Systems) -> None:
    chosen = system(prompt="Describe.", question_prompt="Q: {question}", detail="low")
    assert chosen.takes_text
    (answer,) = chosen.ask([Ask.of_text("0" * 32, TEXT)], PATIENT)
    assert answer == Answer("two") and answer.usage == Usage(900, 9)
    assert sent(server) == {
        "model": "small",
        "messages": [{"role": "user", "content": TEXT}],
        "max_tokens": 2000,
        "temperature": 0.0,
    }


def test_responses_takes_a_text_alone(server: Server, system: Systems) -> None:
    chosen = system(api="responses", system_prompt="Be exact.", question_prompt="Q: {question}", max_tokens=3000)
    assert chosen.ask([Ask.of_text("0" * 32, TEXT)], PATIENT) == [Answer("two")]
    assert sent(server) == {
        "model": "small",
        "instructions": "Be exact.",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": TEXT}]}],
        "max_output_tokens": 3000,
        "temperature": 0.0,
        "store": False,
    }


def test_half_an_answer_to_a_text_names_the_limit_that_it_had(server: Server, system: Systems) -> None:
    server.behaviour = lambda request: request.reply(chat("{", "length"))
    (failure,) = system(max_tokens=30).ask([Ask.of_text("0" * 32, TEXT)], PATIENT)
    assert isinstance(failure, Failure) and "max_tokens = 2000" in failure.message


def test_further_fields_win_and_null_takes_one_of_ours_away(server: Server, system: Systems, asks: Asks) -> None:
    system(body='{"temperature": null, "top_p": 0.5, "max_tokens": 20}').ask(asks(1), PATIENT)
    fields = sent(server)
    assert "temperature" not in fields and (fields["top_p"], fields["max_tokens"]) == (0.5, 20)


def test_the_longest_answer_has_the_name_that_the_server_knows(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    system(max_tokens_field="max_completion_tokens", max_tokens=7).ask(asks(1), PATIENT)
    assert sent(server)["max_completion_tokens"] == 7 and "max_tokens" not in sent(server)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert OpenAISystem("small").fingerprint["parameters"]["max_completion_tokens"] == 300


def test_repeats_with_a_temperature_are_fresh_samples_and_without_one_the_same(
    server: Server, system: Systems, asks: Asks
) -> None:
    def seeds(**settings: Any) -> list[int | None]:
        asked, found = system(**settings), []
        for attempt in range(3):
            asked.ask([replace(asks(1)[0], attempt=attempt)], PATIENT)
            found.append(sent(server).get("seed"))
        return found

    assert seeds(seed=5, temperature=0.7) == [5, 6, 7]
    assert seeds(seed=5) == [5, 5, 5]
    assert seeds(temperature=0.7) == [None] * 3, "without a seed the server itself draws anew"
    assert seeds(seed=5, body='{"temperature": null}') == [5, 5, 5]
    assert system(temperature=0.7).manner.remembers, "each attempt has an entry of its own in the cache"


def test_the_key_the_organisation_and_the_project_are_sent(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    system(project="p-1").ask(asks(1), PATIENT)
    headers = server.last.headers
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "p-1")
    system(key_variable="").ask(asks(1), PATIENT)
    assert "authorization" not in server.last.headers
    system(key_variable="", headers={"api-key": "${ANAMORPH_TEST_KEY}"}).ask(asks(1), PATIENT)
    assert server.last.headers["api-key"] == SECRET


def test_the_base_may_come_from_the_environment_and_have_a_query(
    server: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.behaviour = lambda request: request.reply(chat("two"))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/openai/v1/?api-version=7")
    asked = OpenAISystem("small")
    assert asked.ask(asks(1), PATIENT) == [Answer("two")]
    assert server.last.path == "/openai/v1/chat/completions?api-version=7"
    asked.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": " "}, "needs the name of a model"),
        ({"base_url": ""}, "api.openai.com needs a key in the environment variable OPENAI_API_KEY"),
        ({"base_url": "localhost:8000"}, "must begin with http:// or https://"),
        ({"base_url": "http://me:word@h/v1"}, "holds a login in plain text"),
        ({"question_prompt": "How many?"}, "question_prompt must have {question} in it"),
        ({"api": "responses", "seed": 1}, "The Responses API takes no seed"),
        ({"body": "{"}, "body is not JSON"),
        ({"body": '{"messages": []}'}, "body must not have 'messages'"),
        ({"body": '{"stream": true}'}, "body must not have 'stream'"),
        ({"headers": {"api-key": SECRET}}, "holds a secret in plain text"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        OpenAISystem(**{"model": "small", "base_url": "http://localhost:1/v1", **settings})
    assert said in str(caught.value) and SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (chat("  A dog. \n"), Answer("  A dog. \n")),
        (chat([{"type": "text", "text": "A "}, {"type": "text", "text": "dog."}]), Answer("A dog.")),
        (chat(""), Answer("")),
        (chat(None), Answer("")),
        (
            chat("Two dogs are pl", "length"),
            "cut off after max_tokens = 300, or the model's own limit: Two dogs are pl",
        ),
        (chat("", "length"), "The answer was cut off after max_tokens = 300"),
        (chat(None, refusal="I will not."), "The model refuses to answer: I will not."),
        (chat("A dog.", "tool_calls"), Answer("A dog.")),
    ],
)
def test_what_a_chat_reply_means(server: Server, system: Systems, asks: Asks, body: Any, result: Answer | str) -> None:
    server.behaviour = lambda request: request.reply(body)
    (found,) = system(max_tokens=300).ask(asks(1), PATIENT)
    if isinstance(result, Answer):
        assert found == result
    else:
        assert isinstance(found, Failure) and not found.retryable and result in found.message


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (response(), Answer("")),
        (response(said("Two d"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "cut off"),
        (response(said("x"), status="queued"), "expected the status 'completed', got 'queued'"),
    ],
)
def test_what_a_reply_of_responses_means(
    server: Server, system: Systems, asks: Asks, body: Any, result: Answer | str
) -> None:
    server.behaviour = lambda request: request.reply(body)
    (found,) = system(api="responses").ask(asks(1), PATIENT)
    assert found == result if isinstance(result, Answer) else isinstance(found, Failure) and result in found.message


def test_an_account_with_nothing_left_is_not_asked_again(server: Server, system: Systems, asks: Asks) -> None:
    error = {"message": "You exceeded your quota.", "type": "insufficient_quota", "code": "insufficient_quota"}
    server.behaviour = lambda request: request.reply({"error": error}, 429, retry_after="1")
    one, _ = system().ask(asks(2), PATIENT)
    assert isinstance(one, Failure) and not one.retryable and "You exceeded your quota." in one.message


def test_a_large_image_is_shrunk_before_it_is_sent(server: Server, system: Systems, tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    Image.fromarray(np.zeros((30, 400, 3), np.uint8)).save(path)
    system(longest_side=100).ask([Ask("0" * 32, None, path, lambda: None)], PATIENT)  # type: ignore[arg-type, return-value]
    url = sent(server)["messages"][0]["content"][1]["image_url"]["url"]
    head, _, content = url.partition(",")
    assert head == "data:image/jpeg;base64"
    with Image.open(io.BytesIO(base64.b64decode(content))) as image:
        assert image.size == (100, 8)


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"model": "large"},
        {"base_url": "http://localhost:2/v1"},
        {"api": "responses"},
        {"prompt": "x"},
        {"question_prompt": "x {question}"},
        {"system_prompt": "x"},
        {"temperature": 1.0},
        {"max_tokens": 20},
        {"max_tokens_field": "max_completion_tokens"},
        {"seed": 1},
        {"detail": "low"},
        {"longest_side": 512},
        {"most_bytes": 2000},
        {"body": '{"top_p": 1}'},
        {"headers": {"X-Model": "a"}},
    ]
    prints = {
        canonical_json(OpenAISystem(**{"model": "small", "base_url": "http://localhost:1/v1", **each}).fingerprint)
        for each in different
    }
    assert len(prints) == len(different)


def test_the_vendors_own_address_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    system = OpenAISystem("small")
    assert system.fingerprint["url"] == f"{VENDOR_URL}/chat/completions"
    assert repr(system) == f"OpenAISystem('small', '{VENDOR_URL}/chat/completions')"
