"""The vendors' protocols as a test's server speaks them: what a good reply looks like, and what a bad one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from anamorph import catalog
from anamorph.config import part_from_text
from anamorph.model import Answer, System, decode
from tests.systems.servers import SECRET, Server

ACCESS_KEY = "AKIA5EXAMPLE7KEY"


@dataclass(frozen=True)
class Vendor:
    """An adapter and the service behind it.

    `wrong` are successful replies of the wrong shape, `inside` those that hold an error which is worth another try
    or is not, and `declining` those of a service that works and will not answer, with their status.
    """

    name: str
    text: Callable[[str], str]
    variables: Mapping[str, str]
    good: Any
    answer: Answer
    wrong: tuple[Any, ...]
    inside: tuple[tuple[Any, bool], ...] = ()
    declining: tuple[tuple[int, Any], ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)

    def table(self, url: str) -> dict[str, Any]:
        return {**part_from_text("system", self.text(url)), **self.fields}

    def system(self, server: Server, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> System:
        self.log_in(monkeypatch)
        table = {**self.table(server.url), **settings}
        system: System = decode(catalog.find("systems", table["kind"]), table, catalog.find)
        return system

    def log_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in self.variables.items():
            monkeypatch.setenv(name, value)


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

CHAT = Vendor(
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
)
RESPONSES = Vendor(
    "openai-responses",
    lambda url: f"openai:small,base_url={url}/v1,api=responses",
    {"OPENAI_API_KEY": SECRET},
    response(said("A dog "), said("on a lawn.")),
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
)
AZURE = Vendor(
    "azure-vision",
    lambda url: f"azure-vision:caption,endpoint={url}",
    {"VISION_KEY": SECRET},
    {"modelVersion": "2023-10-01", "captionResult": {"text": "a dog on a lawn", "confidence": 0.8}},
    Answer("a dog on a lawn"),
    wrong=([], {}, {"captionResult": "x"}, {"captionResult": {"text": None}}, {"captionResult": {"text": ["x"]}}),
    inside=(({"error": {"code": "InvalidRequest", "message": "not an image"}}, False),),
)
GOOGLE = Vendor(
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
REKOGNITION = Vendor(
    "rekognition",
    lambda url: f"rekognition:eu-west-1,endpoint_url={url}",
    {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_EC2_METADATA_DISABLED": "true"},
    {"Labels": [{"Name": "Dog", "Confidence": 90.0, "Instances": [], "Parents": []}], "LabelModelVersion": "3.0"},
    Answer(labels={"Dog": 0.9}),
    wrong=({"Labels": "x"}, {"Labels": [{"Confidence": 90.0}]}, {"Labels": [{"Name": "Dog"}]}, {}),
)
VENDORS = (CHAT, RESPONSES, AZURE, GOOGLE, REKOGNITION)
