from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.model import Answer, Ask, canonical_json
from anamorph.systems.google_vision import GoogleVisionSystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., GoogleVisionSystem]

GOOGLE = Service(
    "google-vision",
    lambda url: f"google-vision:labels,endpoint={url}",
    {"GOOGLE_API_KEY": SECRET},
    {"responses": [{"labelAnnotations": [{"mid": "/m/0", "description": "Dog", "score": 0.9, "topicality": 0.9}]}]},
    Answer(labels={"Dog": 0.9}),
    wrong=(
        [],
        {},
        {"responses": []},
        {"responses": ["x"]},
        {"responses": [{"labelAnnotations": {}}]},
        {"responses": [{"labelAnnotations": [{"score": 1}]}]},
        {"responses": [{"labelAnnotations": [{"description": "Dog", "score": "high"}]}]},
    ),
    inside=(
        ({"responses": [{"error": {"code": 14, "message": "try later", "status": "UNAVAILABLE"}}]}, True),
        ({"responses": [{"error": {"code": 3, "message": "Bad image data."}}]}, False),
    ),
)
FAULTS = (GOOGLE,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.delenv("CLOUDSDK_AUTH_ACCESS_TOKEN", raising=False)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[GoogleVisionSystem] = []

    def make(**settings: Any) -> GoogleVisionSystem:
        made.append(GoogleVisionSystem(endpoint=server.url, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def label(name: str, score: float) -> dict[str, Any]:
    return {"mid": "/m/1", "description": name, "score": score, "topicality": score}


def thing(name: str, score: float) -> dict[str, Any]:
    return {"mid": "/m/2", "name": name, "score": score, "boundingPoly": {"normalizedVertices": []}}


def test_an_image_and_a_feature_go_and_labels_come(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    found = {"labelAnnotations": [label("Dog", 0.97), label("Grass", 0.6)]}
    server.behaviour = lambda request: request.reply({"responses": [found]})
    assert system(max_results=7).ask(asks(1), PATIENT) == [Answer(labels={"Dog": 0.97, "Grass": 0.6})]
    image = {"content": base64.b64encode(photo.read_bytes()).decode()}
    features = [{"type": "LABEL_DETECTION", "maxResults": 7}]
    assert json.loads(server.last.body) == {"requests": [{"image": image, "features": features}]}
    assert (server.last.path, server.last.headers["x-goog-api-key"]) == ("/v1/images:annotate", SECRET)


def test_objects_are_labels_too_and_the_surest_counts(server: Server, system: Systems, asks: Asks) -> None:
    found = {
        "labelAnnotations": [label("Dog", 0.5)],
        "localizedObjectAnnotations": [thing("Dog", 0.9), thing("Dog", 0.7), thing("Ball", 0.4)],
    }
    server.behaviour = lambda request: request.reply({"responses": [found]})
    asked = system(features=("labels", "objects"), model="builtin/latest")
    assert asked.ask(asks(1), PATIENT) == [Answer(labels={"Dog": 0.9, "Ball": 0.4})]
    types = [feature["type"] for feature in json.loads(server.last.body)["requests"][0]["features"]]
    assert types == ["LABEL_DETECTION", "OBJECT_LOCALIZATION"]


def test_an_image_with_nothing_on_it_has_no_labels(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reply({"responses": [{}]})
    assert system().ask(asks(1), PATIENT) == [Answer(labels={})]


def test_an_access_token_does_where_there_is_no_key(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY")
    with pytest.raises(UsageError, match="GOOGLE_API_KEY, or an access token in CLOUDSDK_AUTH_ACCESS_TOKEN"):
        system()
    monkeypatch.setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", SECRET)
    server.behaviour = lambda request: request.reply({"responses": [{}]})
    system(quota_project="mine").ask(asks(1), PATIENT)
    headers = server.last.headers
    assert (headers["authorization"], headers["x-goog-user-project"]) == (f"Bearer {SECRET}", "mine")


def test_no_feature_is_no_system() -> None:
    with pytest.raises(UsageError, match="at least one of the features"):
        GoogleVisionSystem(features=())


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"features": ("objects",)},
        {"features": ("labels", "objects")},
        {"max_results": 5},
        {"model": "builtin/latest"},
        {"endpoint": "https://eu-vision.googleapis.com"},
        {"longest_side": 500},
    ]
    prints = {canonical_json(GoogleVisionSystem(**each).fingerprint) for each in different}
    assert len(prints) == len(different)
