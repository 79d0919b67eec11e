from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import MissingExtra, Refused, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Usage, canonical_json
from anamorph.systems.bedrock import BedrockSystem
from anamorph.systems.chats.prompts import CAPTION_PROMPT
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., BedrockSystem]

ACCESS_KEY = "AKIA5EXAMPLE7KEY"


def converse(*texts: Any, stop: Any = "end_turn") -> dict[str, Any]:
    thought = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    message = {"role": "assistant", "content": [thought, *({"text": text} for text in texts)]}
    usage = {"inputTokens": 900, "outputTokens": 9, "totalTokens": 909}
    return {"output": {"message": message}, "stopReason": stop, "usage": usage, "metrics": {"latencyMs": 5}}


BEDROCK = Service(
    "bedrock",
    lambda url: f"bedrock:amazon.small-v1:0,region=eu-west-1,endpoint_url={url}",
    {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"},
    converse("A dog ", "on a lawn."),
    Answer("A dog on a lawn."),
    wrong=(
        {},
        {"output": 3},
        {"output": {"message": {"content": "x"}}},
        converse(3),
        converse("a dog", stop=None),
        converse("a dog", stop="tool_use"),
    ),
    declining=(
        (200, converse("Sorry, that is blocked.", stop="guardrail_intervened")),
        (200, converse(stop="content_filtered")),
    ),
    unset=("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"),
)
FAULTS = (BEDROCK,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("boto3", reason="needs boto3, the extra 'aws'")
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    BEDROCK.log_in(monkeypatch)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[BedrockSystem] = []
    server.behaviour = lambda request: request.reply(converse("two"))

    def make(**settings: Any) -> BedrockSystem:
        fixed = {"model": "amazon.small-v1:0", "region": "eu-west-1", "endpoint_url": server.url}
        made.append(BedrockSystem(**{**fixed, **settings}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_signed_request_goes_with_the_image_before_the_prompt(
    server: Server, system: Systems, asks: Asks, photo: Path
) -> None:
    assert system(system_prompt="Be brief.", temperature=0.0).ask(asks(1), PATIENT) == [Answer("two")]
    image = {"format": "png", "source": {"bytes": base64.b64encode(photo.read_bytes()).decode()}}
    assert json.loads(server.last.body) == {
        "messages": [{"role": "user", "content": [{"image": image}, {"text": CAPTION_PROMPT}]}],
        "system": [{"text": "Be brief."}],
        "inferenceConfig": {"maxTokens": 1000, "temperature": 0.0},
    }
    assert server.last.path == "/model/amazon.small-v1%3A0/converse"
    assert f"Credential={ACCESS_KEY}/" in server.last.headers["authorization"]
    assert SECRET not in str(server.last.headers)


def test_a_question_a_guardrail_and_the_models_own_fields_go_too(server: Server, system: Systems, asks: Asks) -> None:
    chosen = system(question_prompt="Q: {question}", guardrail="g1", request_fields='{"top_k": 3}')
    chosen.ask(asks(1, "How many dogs?"), PATIENT)
    sent = json.loads(server.last.body)
    assert sent["messages"][0]["content"][1] == {"text": "Q: How many dogs?"}
    assert sent["guardrailConfig"] == {"guardrailIdentifier": "g1", "guardrailVersion": "DRAFT"}
    assert sent["additionalModelRequestFields"] == {"top_k": 3}
    assert sent["inferenceConfig"] == {"maxTokens": 1000}


def test_tokens_are_counted(system: Systems, asks: Asks) -> None:
    (answer,) = system().ask(asks(1), PATIENT)
    assert answer.usage == Usage(900, 9)


def test_half_an_answer_is_a_failure_that_took_tokens(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply(converse("A dog on", stop="max_tokens"))
    (failure,) = system(max_tokens=4).ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and "max_tokens = 4" in failure.message and failure.usage == Usage(900, 9)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ThrottlingException", 429),
        ("ModelNotReadyException", 429),
        ("ModelTimeoutException", 408),
        ("ModelErrorException", 424),
    ],
)
def test_a_model_in_trouble_is_asked_again_by_the_engine_alone(
    server: Server, system: Systems, asks: Asks, code: str, status: int
) -> None:
    server.behaviour = lambda request: request.reply({"message": "busy"}, status, x_amzn_errortype=code)
    with pytest.raises(Transient, match=f"{code}: busy"):
        system().ask(asks(1), PATIENT)
    assert len(server.requests) == 1


def test_what_will_not_pass_is_refused(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply({"message": "no"}, 403, x_amzn_errortype="AccessDeniedException")
    with pytest.raises(Refused, match=r"AccessDeniedException: no.*Check the AWS credentials"):
        system().ask(asks(1), PATIENT)


def test_a_key_for_bedrock_alone_is_enough_and_is_never_shown(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(UsageError, match="bedrock needs AWS credentials"):
        system()
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bedrock-key-123456")
    chosen = system()
    # boto3 sends such a key over TLS alone, so it did take it.
    with pytest.raises(Refused, match="Bearer authorization requires an HTTPS endpoint"):
        chosen.ask(asks(1), PATIENT)
    assert not server.requests
    assert "bedrock-key" not in chosen._redactor().redact("it is bedrock-key-123456")


def test_settings_that_cannot_work_are_refused(system: Systems, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="id of a model"):
        system(model="")
    with pytest.raises(UsageError, match="needs a region"):
        system(region="")
    with pytest.raises(UsageError, match=r"must have \{question\}"):
        system(question_prompt="what?")
    with pytest.raises(UsageError, match="request_fields is not JSON"):
        system(request_fields="{")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[aws\]'"):
        system()


def test_the_fingerprint_tells_systems_apart(system: Systems) -> None:
    different: list[dict[str, Any]] = [
        {},
        {"model": "amazon.large-v1:0"},
        {"region": "us-east-2"},
        {"endpoint_url": "http://localhost:1"},
        {"prompt": "What?"},
        {"question_prompt": "Q: {question}"},
        {"system_prompt": "Be brief."},
        {"temperature": 0.0},
        {"max_tokens": 5},
        {"request_fields": '{"top_k": 1}'},
        {"guardrail": "g"},
        {"guardrail": "g", "guardrail_version": "2"},
    ]
    assert len({canonical_json(system(**each).fingerprint) for each in different}) == len(different)


def test_a_text_alone_goes_word_for_word(server: Server, system: Systems) -> None:
    chosen = system(prompt="Describe.", question_prompt="Q: {question}")
    (answer,) = chosen.ask([Ask.of_text("0" * 32, "Read {question}.")], PATIENT)
    assert chosen.takes_text and isinstance(answer, Answer) and answer.usage == Usage(900, 9)
    assert json.loads(server.last.body) == {
        "messages": [{"role": "user", "content": [{"text": "Read {question}."}]}],
        "inferenceConfig": {"maxTokens": 2000},
    }
