from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import Refused, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Usage, canonical_json
from anamorph.systems.chats.prompts import CAPTION_PROMPT
from anamorph.systems.gemini import VENDOR_URL, GeminiSystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., GeminiSystem]


def content(*parts: Any, finish: Any = "STOP", **more: Any) -> dict[str, Any]:
    texts = [part if isinstance(part, dict) else {"text": part} for part in parts]
    candidate = {"content": {"parts": texts, "role": "model"}, "finishReason": finish, "index": 0}
    usage = {"promptTokenCount": 260, "candidatesTokenCount": 9, "thoughtsTokenCount": 31, "totalTokenCount": 300}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "small", **more}


def error(status: str, code: int = 400, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": "no", "status": status, "details": list(details)}}


GEMINI = Service(
    "gemini",
    lambda url: f"gemini:small,base_url={url}/v1beta",
    {"GEMINI_API_KEY": SECRET},
    content({"text": "A dog, I think.", "thought": True}, "A dog ", "on a lawn."),
    Answer("A dog on a lawn."),
    wrong=(
        [],
        {},
        {"candidates": {}},
        {"candidates": []},
        {"candidates": [None]},
        content(3),
        content({"text": 3}),
        {"candidates": [{"content": {"parts": [None]}, "finishReason": "STOP"}]},
        content("a dog", finish="MALFORMED_FUNCTION_CALL"),
        content("a dog", finish=None),
        content("a dog", finish=["STOP"]),
    ),
    inside=(
        (error("UNAVAILABLE", 503), True),
        (error("RESOURCE_EXHAUSTED", 429), True),
        (error("INVALID_ARGUMENT"), False),
        ({"error": "something broke"}, False),
    ),
    declining=(
        (200, content(finish="SAFETY")),
        (200, {"candidates": [{"finishReason": "RECITATION", "index": 0}]}),
        (200, content("A d", finish="PROHIBITED_CONTENT")),
        (200, {"promptFeedback": {"blockReason": "IMAGE_SAFETY"}, "usageMetadata": {"promptTokenCount": 260}}),
    ),
)
FAULTS = (GEMINI,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    GEMINI.log_in(monkeypatch)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[GeminiSystem] = []
    server.behaviour = lambda request: request.reply(content("two"))

    def make(**settings: Any) -> GeminiSystem:
        made.append(GeminiSystem(**{"model": "small", "base_url": f"{server.url}/v1beta", **settings}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_image_goes_inline_before_the_prompt(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    assert system(system_prompt="Be brief.").ask(asks(1), PATIENT) == [Answer("two")]
    data = base64.b64encode(photo.read_bytes()).decode()
    assert json.loads(server.last.body) == {
        "contents": [
            {
                "role": "user",
                "parts": [{"inlineData": {"mimeType": "image/png", "data": data}}, {"text": CAPTION_PROMPT}],
            }
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 4096, "temperature": 0.0},
    }
    assert server.last.path == "/v1beta/models/small:generateContent"
    assert server.last.headers["x-goog-api-key"] == SECRET and SECRET not in server.last.path


def test_a_question_has_a_prompt_of_its_own(server: Server, system: Systems, asks: Asks) -> None:
    system(question_prompt="Q: {question}").ask(asks(1, "How many dogs?"), PATIENT)
    assert json.loads(server.last.body)["contents"][0]["parts"][1] == {"text": "Q: How many dogs?"}


def test_further_fields_are_added_to_ours(server: Server, system: Systems, asks: Asks) -> None:
    body = {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}, "temperature": None}, "safetySettings": []}
    system(body=json.dumps(body)).ask(asks(1), PATIENT)
    sent = json.loads(server.last.body)
    assert sent["generationConfig"] == {"maxOutputTokens": 4096, "thinkingConfig": {"thinkingBudget": 0}}
    assert sent["safetySettings"] == []


def test_each_repeat_has_a_seed_of_its_own_where_answers_are_sampled(
    server: Server, system: Systems, asks: Asks
) -> None:
    (first,) = asks(1)
    for temperature, seed in ((0.0, 5), (0.7, 7)):
        system(seed=5, temperature=temperature).ask([replace(first, attempt=2)], PATIENT)
        assert json.loads(server.last.body)["generationConfig"]["seed"] == seed


def test_what_was_thought_counts_as_said(system: Systems, asks: Asks) -> None:
    (answer,) = system().ask(asks(1), PATIENT)
    assert answer.usage == Usage(260, 40)


def test_a_picture_that_is_not_taken_took_tokens(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply(GEMINI.declining[-1][1])
    (failure,) = system().ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and failure.usage == Usage(260, 0) and "IMAGE_SAFETY" in failure.message


def test_half_an_answer_is_a_failure(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply(content("A dog on", finish="MAX_TOKENS"))
    (failure,) = system(max_tokens=4).ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and "max_tokens = 4" in failure.message and failure.usage == Usage(260, 40)


def test_how_long_to_wait_stands_in_the_body(server: Server, system: Systems, asks: Asks) -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    server.behaviour = lambda request: request.reply(error("RESOURCE_EXHAUSTED", 429, "odd", info), 429)
    with pytest.raises(Transient) as caught:
        system().ask(asks(1), PATIENT)
    assert caught.value.retry_after_seconds == 34.5


def test_the_quota_of_a_day_does_not_pass_by_waiting(server: Server, system: Systems, asks: Asks) -> None:
    quota = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
    server.behaviour = lambda request: request.reply(error("RESOURCE_EXHAUSTED", 429, quota), 429)
    with pytest.raises(Refused):
        system().ask(asks(1), PATIENT)


def test_vertex_has_another_address_and_a_token(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERTEX_TOKEN", "token-123456")
    base = f"{server.url}/v1/projects/p/locations/l/publishers/google"
    system(base_url=base, key_variable="", headers={"Authorization": "Bearer ${VERTEX_TOKEN}"}).ask(asks(1), PATIENT)
    assert server.last.path == "/v1/projects/p/locations/l/publishers/google/models/small:generateContent"
    assert server.last.headers["authorization"] == "Bearer token-123456"
    assert "x-goog-api-key" not in server.last.headers


def test_settings_that_cannot_work_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="name of a model"):
        GeminiSystem("models/")
    with pytest.raises(UsageError, match=r"must have \{question\}"):
        GeminiSystem("small", question_prompt="what?")
    with pytest.raises(UsageError, match="must not have 'contents'"):
        GeminiSystem("small", body='{"contents": []}')
    with pytest.raises(UsageError, match="generationConfig in body must be an object"):
        GeminiSystem("small", body='{"generationConfig": 3}')
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(UsageError, match="GEMINI_API_KEY, which is not set"):
        GeminiSystem("small")


def test_the_name_of_a_model_is_one_step_of_the_address() -> None:
    assert GeminiSystem("models/a/b?c").fingerprint["url"] == f"{VENDOR_URL}/models/a%2Fb%3Fc:generateContent"


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"model": "large"},
        {"base_url": "http://localhost:1"},
        {"prompt": "What?"},
        {"question_prompt": "Q: {question}"},
        {"system_prompt": "Be brief."},
        {"temperature": None},
        {"max_tokens": 5},
        {"seed": 3},
        {"body": '{"safetySettings": []}'},
        {"headers": {"x-team": "a"}},
    ]
    prints = {canonical_json(GeminiSystem(**{"model": "small", **each}).fingerprint) for each in different}
    assert len(prints) == len(different)


def test_a_text_alone_goes_word_for_word(server: Server, system: Systems) -> None:
    chosen = system(prompt="Describe.", question_prompt="Q: {question}", max_tokens=100)
    (answer,) = chosen.ask([Ask.of_text("0" * 32, "Read {question}.")], PATIENT)
    assert chosen.takes_text and isinstance(answer, Answer) and answer.usage == Usage(260, 40)
    assert json.loads(server.last.body) == {
        "contents": [{"role": "user", "parts": [{"text": "Read {question}."}]}],
        "generationConfig": {"maxOutputTokens": 2000, "temperature": 0.0},
    }
