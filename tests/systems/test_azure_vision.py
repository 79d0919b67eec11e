from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from anamorph.errors import Refused, UsageError
from anamorph.model import Answer, Ask, Failure, canonical_json
from anamorph.systems.azure_vision import AzureVisionSystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., AzureVisionSystem]

AZURE = Service(
    "azure-vision",
    lambda url: f"azure-vision:caption,endpoint={url}",
    {"VISION_KEY": SECRET},
    {"modelVersion": "2023-10-01", "captionResult": {"text": "a dog on a lawn", "confidence": 0.8}},
    Answer("a dog on a lawn"),
    wrong=([], {}, {"captionResult": "x"}, {"captionResult": {"text": None}}, {"captionResult": {"text": ["x"]}}),
    inside=(({"error": {"code": "InvalidRequest", "message": "not an image"}}, False),),
)
FAULTS = (AZURE,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISION_KEY", SECRET)
    monkeypatch.delenv("VISION_ENDPOINT", raising=False)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[AzureVisionSystem] = []

    def make(**settings: Any) -> AzureVisionSystem:
        made.append(AzureVisionSystem(endpoint=f"{server.url}/", **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_the_image_is_the_body_and_the_wishes_are_the_query(
    server: Server, system: Systems, asks: Asks, photo: Path
) -> None:
    server.behaviour = lambda request: request.reply({"captionResult": {"text": "a dog", "confidence": 0.7}})
    asked = system(language="en", gender_neutral_caption=True, model_version="latest")
    assert asked.ask(asks(1), PATIENT) == [Answer("a dog")]
    assert server.last.body == photo.read_bytes()
    assert server.last.headers["content-type"] == "application/octet-stream"
    assert server.last.headers["ocp-apim-subscription-key"] == SECRET
    address = urlsplit(server.last.path)
    assert address.path == "/computervision/imageanalysis:analyze"
    assert parse_qs(address.query) == {
        "api-version": ["2024-02-01"],
        "features": ["caption"],
        "language": ["en"],
        "model-version": ["latest"],
        "gender-neutral-caption": ["true"],
    }


def test_captions_of_regions_are_one_text(server: Server, system: Systems, asks: Asks) -> None:
    values = [{"text": "a dog on a lawn", "confidence": 0.8}, {"text": "a red ball.", "confidence": 0.7}]
    server.behaviour = lambda request: request.reply({"denseCaptionsResult": {"values": values}})
    asked = system(feature="denseCaptions")
    assert asked.ask(asks(1), PATIENT) == [Answer("a dog on a lawn. a red ball.")]
    assert asked.answers_with == ("caption",)


def test_tags_are_labels_with_scores(server: Server, system: Systems, asks: Asks) -> None:
    values = [{"name": "dog", "confidence": 0.9}, {"name": "grass", "confidence": 0.5}]
    server.behaviour = lambda request: request.reply({"tagsResult": {"values": values}})
    asked = system(feature="tags")
    assert asked.ask(asks(1), PATIENT) == [Answer(labels={"dog": 0.9, "grass": 0.5})]
    assert asked.answers_with == ("labels",)
    server.behaviour = lambda request: request.reply(
        {"tagsResult": {"values": [{"name": "dog", "confidence": "high"}]}}
    )
    (failure,) = asked.ask(asks(1), PATIENT)
    assert isinstance(failure, Failure) and "expected a number as the score of 'dog'" in failure.message


def test_an_image_that_the_service_does_not_take_is_refused_with_its_words(
    server: Server, system: Systems, asks: Asks
) -> None:
    error = {"code": "InvalidRequest", "innererror": {"code": "InvalidImageSize", "message": "too small"}}
    server.behaviour = lambda request: request.reply({"error": error}, 400)
    with pytest.raises(Refused, match="InvalidImageSize"):
        system().ask(asks(1), PATIENT)


def test_the_endpoint_and_the_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="VISION_ENDPOINT"):
        AzureVisionSystem()
    monkeypatch.setenv("VISION_ENDPOINT", "https://mine.cognitiveservices.azure.com/")
    where = "https://mine.cognitiveservices.azure.com/computervision/imageanalysis:analyze"
    assert AzureVisionSystem().fingerprint["url"] == where
    monkeypatch.delenv("VISION_KEY")
    with pytest.raises(UsageError, match="needs the environment variable VISION_KEY, which is not set"):
        AzureVisionSystem()


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"feature": "tags"},
        {"api_version": "2025-01-01"},
        {"model_version": "latest"},
        {"language": "de"},
        {"gender_neutral_caption": True},
        {"longest_side": 500},
    ]
    prints = [AzureVisionSystem(endpoint="https://x.invalid", **each).fingerprint for each in different]
    assert len(set(map(canonical_json, prints))) == len(different)
