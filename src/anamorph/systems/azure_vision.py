"""Azure AI Vision, Image Analysis 4.0, as the system under test."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.errors import Refused, UsageError
from anamorph.http.templates import UrlTemplate
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.remote.bodies import Body
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService
from anamorph.systems.replies.answers import part_of, surest_labels

ADAPTER_VERSION = 1
_PATH = "/computervision/imageanalysis:analyze"
_RESULTS = {"caption": "captionResult", "denseCaptions": "denseCaptionsResult", "tags": "tagsResult"}


@dataclass(frozen=True, slots=True, repr=False)
class AzureVisionSystem(HttpService):
    """Ask Azure AI Vision for a caption, for captions of all regions, or for tags."""

    kind: ClassVar[str] = "azure-vision"
    environment: ClassVar[tuple[str, ...]] = ("VISION_ENDPOINT",)
    feature: Literal["caption", "denseCaptions", "tags"] = setting(
        "caption", "The result: one caption, captions of the image and its regions, or tags with scores."
    )
    endpoint: str = setting("", "https://NAME.cognitiveservices.azure.com; else VISION_ENDPOINT.")
    api_version: str = setting("2024-02-01", "The version of the API.")
    model_version: str = setting("", "The version of the model; empty leaves it to the service.")
    language: str = setting("", "The language of the answer, such as en; empty leaves it to the service.")
    gender_neutral_caption: bool = setting(False, "Say person instead of man or woman in captions.")
    longest_side: int = setting(4096, "Images with a longer side, in pixels, are shrunk to it.", least=50, most=16000)
    most_bytes: int = setting(20_000_000, "Larger image files are made smaller.", least=1000)
    key_variable: str = setting("VISION_KEY", "The environment variable with the key.")
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _limit: ImageLimit = field(init=False, compare=False)

    def __post_init__(self) -> None:
        endpoint = self.endpoint or os.environ.get("VISION_ENDPOINT", "")
        if not endpoint:
            raise UsageError(
                "azure-vision needs the address of your resource, such as https://NAME.cognitiveservices.azure.com, "
                "as endpoint or in the environment variable VISION_ENDPOINT."
            )
        url = UrlTemplate(endpoint.rstrip("/") + _PATH)
        headers = {"Ocp-Apim-Subscription-Key": f"${{{self.key_variable}}}"}
        hints = {
            401: f"It does not accept the key; check {self.key_variable} and at endpoint, which belong together.",
            403: "It does not allow this call; check the resource's network and rights.",
            404: "There is nothing at this address; check endpoint and api_version.",
        }
        self._connect(url, headers, hints)
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"AzureVisionSystem({self.feature!r}, {self._caller.url.shown!r})"

    @property
    def answers_with(self) -> tuple[str, ...]:
        return ("labels",) if self.feature == "tags" else ("caption",)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
            "parameters": self._query(),
            "image": self._limit.fingerprint(),
        }

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        if ask.question is not None:
            raise Refused("azure-vision takes no questions. Choose a method for captioners or taggers.")
        body = Body(self._limit.fitted(ask), "application/octet-stream", self._query())
        return self._caller.read(self._caller.call("POST", body, timeout_seconds), self._answer)

    def _query(self) -> dict[str, str]:
        query = {"api-version": self.api_version, "features": self.feature}
        if self.language:
            query["language"] = self.language
        if self.model_version:
            query["model-version"] = self.model_version
        if self.gender_neutral_caption:
            query["gender-neutral-caption"] = "true"
        return query

    def _answer(self, said: Any) -> Answer | Failure:
        if isinstance(said, dict) and "error" in said:
            error = said["error"]
            return Failure(f"The reply holds an error: {error.get('message') if isinstance(error, dict) else error}")
        name = _RESULTS[self.feature]
        result = part_of(said, name, dict, "the reply")
        if self.feature == "caption":
            return Answer(part_of(result, "text", str, name))
        values = part_of(result, "values", list, name)
        if self.feature == "tags":
            return surest_labels((part_of(tag, "name", str, name), tag.get("confidence")) for tag in values)
        captions = [part_of(value, "text", str, name).strip().rstrip(".") for value in values]
        return Answer(" ".join(f"{caption}." for caption in captions if caption))
