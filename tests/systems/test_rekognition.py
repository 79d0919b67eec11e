from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import MissingExtra, Refused, Transient, UsageError
from anamorph.model import Answer, Ask, canonical_json
from anamorph.systems.rekognition import RekognitionSystem
from tests.systems.faults import Service
from tests.systems.servers import PATIENT, SECRET, Server

Asks = Callable[..., list[Ask]]
Systems = Callable[..., RekognitionSystem]

ACCESS_KEY = "AKIA5EXAMPLE7KEY"
REKOGNITION = Service(
    "rekognition",
    lambda url: f"rekognition:eu-west-1,endpoint_url={url}",
    {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"},
    {"Labels": [{"Name": "Dog", "Confidence": 90.0, "Instances": [], "Parents": []}], "LabelModelVersion": "3.0"},
    Answer(labels={"Dog": 0.9}),
    wrong=({"Labels": "x"}, {"Labels": [{"Confidence": 90.0}]}, {"Labels": [{"Name": "Dog"}]}, {}),
    unset=("AWS_PROFILE",),
)
FAULTS = (REKOGNITION,)


@pytest.fixture(autouse=True)
def _environment(clean_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("boto3", reason="needs boto3, the extra 'aws'")
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    REKOGNITION.log_in(monkeypatch)


@pytest.fixture
def system(server: Server) -> Iterator[Systems]:
    made: list[RekognitionSystem] = []
    server.behaviour = lambda request: request.reply(REKOGNITION.good)

    def make(**settings: Any) -> RekognitionSystem:
        made.append(RekognitionSystem(**{"region": "eu-west-1", "endpoint_url": server.url, **settings}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_signed_request_goes_and_labels_come(server: Server, system: Systems, asks: Asks, photo: Path) -> None:
    assert system(max_labels=9, min_confidence=20.0).ask(asks(1), PATIENT) == [Answer(labels={"Dog": 0.9})]
    image = {"Bytes": base64.b64encode(photo.read_bytes()).decode()}
    assert json.loads(server.last.body) == {"Image": image, "MaxLabels": 9, "MinConfidence": 20.0}
    headers = server.last.headers
    assert headers["x-amz-target"] == "RekognitionService.DetectLabels"
    assert (
        f"Credential={ACCESS_KEY}/" in headers["authorization"]
        and "/eu-west-1/rekognition/" in headers["authorization"]
    )
    assert SECRET not in str(headers)


@pytest.mark.parametrize(
    "code",
    ["ThrottlingException", "ProvisionedThroughputExceededException", "LimitExceededException", "InternalServerError"],
)
def test_throttling_is_worth_another_try(server: Server, system: Systems, asks: Asks, code: str) -> None:
    server.behaviour = lambda request: request.reply({"__type": code, "message": "slow down"}, 400)
    with pytest.raises(Transient, match=f"{code}: slow down"):
        system().ask(asks(1), PATIENT)
    assert len(server.requests) == 1, "botocore itself tries nothing again"


@pytest.mark.parametrize("code", ["InvalidImageFormatException", "ImageTooLargeException", "AccessDeniedException"])
def test_what_will_not_pass_is_refused(server: Server, system: Systems, asks: Asks, code: str) -> None:
    server.behaviour = lambda request: request.reply({"__type": code, "message": "no"}, 400)
    with pytest.raises(Refused, match=code):
        system().ask(asks(1), PATIENT)


def test_a_login_that_is_not_accepted_says_where_to_look(server: Server, system: Systems, asks: Asks) -> None:
    told = {"__type": "UnrecognizedClientException", "message": f"The key {ACCESS_KEY} is not valid."}
    server.behaviour = lambda request: request.reply(told, 403)
    with pytest.raises(Refused, match="Check the AWS credentials") as caught:
        system().ask(asks(1), PATIENT)
    assert ACCESS_KEY not in str(caught.value) and "***" in str(caught.value)


def test_the_region_and_the_credentials_are_found_as_aws_finds_them(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="needs a region"):
        system(region="")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    assert system(region="").fingerprint["region"] == "us-east-2"
    with pytest.raises(UsageError, match="profile"):
        system(profile="nobody")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(UsageError, match="needs AWS credentials"):
        system()


def test_without_boto3_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[aws\]'"):
        RekognitionSystem("eu-west-1")


def test_the_fingerprint_tells_systems_apart() -> None:
    different: list[dict[str, Any]] = [
        {},
        {"region": "us-east-2"},
        {"max_labels": 5},
        {"min_confidence": 70.0},
        {"endpoint_url": "http://localhost:1"},
        {"longest_side": 500},
    ]
    prints = {canonical_json(RekognitionSystem(**{"region": "eu-west-1", **each}).fingerprint) for each in different}
    assert len(prints) == len(different)
