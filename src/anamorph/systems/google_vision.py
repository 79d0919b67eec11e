"""Google Cloud Vision as the system under test."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.errors import Refused, UsageError
from anamorph.http.templates import UrlTemplate
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.remote.bodies import IMAGE_MARK, json_body
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService
from anamorph.systems.replies.answers import BadReply, part_of, surest_labels

ADAPTER_VERSION = 1
VENDOR_URL = "https://vision.googleapis.com"
# The feature's type in a request, and its results in a reply: the list and the key of the name.
_FEATURES = {
    "labels": ("LABEL_DETECTION", "labelAnnotations", "description"),
    "objects": ("OBJECT_LOCALIZATION", "localizedObjectAnnotations", "name"),
}
# google.rpc.Code: deadline exceeded, resource exhausted, aborted, internal, unavailable.
_PASSING = frozenset((4, 8, 10, 13, 14))


@dataclass(frozen=True, slots=True, repr=False)
class GoogleVisionSystem(HttpService):
    """Ask Google Cloud Vision for labels of the whole image, for the objects in it, or for both."""

    kind: ClassVar[str] = "google-vision"
    answers_with: ClassVar[tuple[str, ...]] = ("labels",)
    features: tuple[Literal["labels", "objects"], ...] = setting(
        ("labels",), "labels of the whole image, objects that were found in it, or both."
    )
    max_results: int = setting(50, "At most this many results of each feature.", least=1)
    model: str = setting("", "The model, such as builtin/latest; empty leaves it to the service.")
    endpoint: str = setting("", f"Where the API is, such as https://eu-vision.googleapis.com; else {VENDOR_URL}.")
    quota_project: str = setting("", "The project to bill when an access token is used.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(7_000_000, "Larger image files are made smaller; a request takes 10 MB.", least=1000)
    key_variable: str = setting("GOOGLE_API_KEY", "The environment variable with an API key.")
    token_variable: str = setting(
        "CLOUDSDK_AUTH_ACCESS_TOKEN", "The environment variable with an access token, used without a key."
    )
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _limit: ImageLimit = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.features:
            raise UsageError("google-vision needs at least one of the features 'labels' and 'objects'.")
        url = UrlTemplate((self.endpoint or VENDOR_URL).rstrip("/") + "/v1/images:annotate")
        variable, headers = self._login()
        if self.quota_project:
            headers["X-Goog-User-Project"] = self.quota_project
        hints = {
            400: f"If it does not accept the key, check {variable}.",
            401: f"It does not accept the login; check {variable}, and renew it if it is an old token.",
            403: f"It does not allow this call; check {variable}, and whether the project has the Vision API.",
        }
        self._connect(url, headers, hints)
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"GoogleVisionSystem({self.features!r}, {self._caller.url.shown!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
            "features": self._wanted(),
            "image": self._limit.fingerprint(),
        }

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        if ask.question is not None:
            raise Refused("google-vision takes no questions. Choose a method for taggers.")
        plain = {"requests": [{"image": {"content": IMAGE_MARK}, "features": self._wanted()}]}
        body = json_body(plain, b'"%b"' % base64.b64encode(self._limit.fitted(ask)))
        return self._caller.read(self._caller.call("POST", body, timeout_seconds), self._answer)

    def _wanted(self) -> list[dict[str, Any]]:
        model = {"model": self.model} if self.model else {}
        names = dict.fromkeys(self.features)
        return [{"type": _FEATURES[name][0], "maxResults": self.max_results, **model} for name in names]

    def _login(self) -> tuple[str, dict[str, str]]:
        if os.environ.get(self.key_variable):
            return self.key_variable, {"X-Goog-Api-Key": f"${{{self.key_variable}}}"}
        if os.environ.get(self.token_variable):
            return self.token_variable, {"Authorization": f"Bearer ${{{self.token_variable}}}"}
        raise UsageError(
            f"google-vision needs an API key in the environment variable {self.key_variable}, or an access token in "
            f"{self.token_variable}; neither is set."
        )

    def _answer(self, said: Any) -> Answer | Failure:
        responses = part_of(said, "responses", list, "the reply")
        if len(responses) != 1:
            raise BadReply(f"expected one item at 'responses', got {len(responses)}")
        error = responses[0].get("error") if isinstance(responses[0], dict) else None
        if error:
            code, message = part_of(error, "code", int, "the error"), error.get("message", "no message")
            return Failure(f"The reply holds an error: {message} (code {code})", retryable=code in _PASSING)
        return surest_labels(self._labels(responses[0]))

    def _labels(self, response: Any) -> Iterator[tuple[str, Any]]:
        for name in self.features:
            _, place, key = _FEATURES[name]
            # The service omits empty lists.
            found = part_of(
                {place: [], **response} if isinstance(response, dict) else response, place, list, "responses"
            )
            for item in found:
                yield part_of(item, key, str, place), item.get("score")
