"""Amazon Rekognition, DetectLabels, as the system under test."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import AskError, MissingExtra, Refused, Transient, UsageError
from anamorph.http.messages import excerpt, retry_after_seconds
from anamorph.http.secrets import Redactor
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import RemoteSystem
from anamorph.systems.replies.answers import BadReply, part_of, show, surest_labels

ADAPTER_VERSION = 1
_QUOTED_CHARACTERS = 200
_PASSING_STATUS = (408, 425, 429)
_PASSING = (
    "Throttl",
    "TooManyRequests",
    "LimitExceeded",
    "ProvisionedThroughputExceeded",
    "InternalServerError",
    "ServiceUnavailable",
    "RequestTimeout",
    "SlowDown",
)


@dataclass(frozen=True, slots=True, repr=False)
class RekognitionSystem(RemoteSystem):
    """Ask Amazon Rekognition for the labels of an image."""

    kind: ClassVar[str] = "rekognition"
    # boto3 looks for credentials in many more places; these are the ones that hold a secret.
    environment: ClassVar[tuple[str, ...]] = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    answers_with: ClassVar[tuple[str, ...]] = ("labels",)
    region: str = setting(
        "", "The AWS region, such as eu-west-1; else AWS_REGION, AWS_DEFAULT_REGION or the profile's."
    )
    max_labels: int = setting(100, "At most this many labels.", least=1)
    min_confidence: float = setting(50.0, "Leave out labels that are less sure, in percent.", least=0, most=100)
    profile: str = setting("", "A profile of ~/.aws; else AWS_PROFILE, if it is set.")
    endpoint_url: str = setting("", "Another address of the service; else AWS's own for the region.")
    longest_side: int = setting(4096, "Images with a longer side, in pixels, are shrunk to it.", least=80, most=10000)
    most_bytes: int = setting(5_242_880, "Larger image files are made smaller.", least=1000, most=5_242_880)
    parallel: int = setting(8, "How many calls may be under way at once.", least=1)
    _clients: _Clients = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if importlib.util.find_spec("boto3") is None:
            raise MissingExtra("The system 'rekognition'", "aws")
        object.__setattr__(self, "_clients", _Clients(self.region, self.profile, self.endpoint_url, self.parallel))
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"RekognitionSystem({self._clients.region!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "region": self._clients.region,
            "url": self.endpoint_url,
            "parameters": self._parameters(),
            "image": self._limit.fingerprint(),
        }

    def close(self) -> None:
        self._clients.close()

    def _redactor(self) -> Redactor:
        return self._clients.redactor()

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        if ask.question is not None:
            raise Refused("rekognition takes no questions. Choose a method for taggers.")
        image = {"Bytes": self._limit.fitted(ask)}
        return _answer(self._clients.detect_labels({"Image": image, **self._parameters()}, timeout_seconds))

    def _parameters(self) -> dict[str, Any]:
        return {"MaxLabels": self.max_labels, "MinConfidence": self.min_confidence}


def _answer(said: Any) -> Answer:
    labels = part_of(said, "Labels", list, "the reply")
    return surest_labels((part_of(label, "Name", str, "Labels"), _share(label)) for label in labels)


def _share(label: Any) -> float:
    confidence = label.get("Confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not abs(confidence) <= 1e6:
        raise BadReply(f"expected a number at 'Confidence' in Labels, got {show(confidence)}")
    return confidence / 100


class _Clients:
    """boto3's clients, one for each time-out, made from one session; all its errors are translated here."""

    def __init__(self, region: str, profile: str, endpoint_url: str, parallel: int) -> None:
        import boto3
        from botocore.exceptions import BotoCoreError

        try:
            self._session = boto3.session.Session(profile_name=profile or None, region_name=region or None)
            credentials = self._session.get_credentials()
        except BotoCoreError as problem:
            raise UsageError(f"rekognition: {problem}.") from problem
        if credentials is None:
            raise UsageError(
                "rekognition needs AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, "
                "or a profile."
            )
        if not self._session.region_name:
            raise UsageError("rekognition needs a region, such as rekognition:eu-west-1, or AWS_REGION.")
        self.region: str = self._session.region_name
        self._credentials, self._endpoint_url, self._parallel = credentials, endpoint_url, parallel
        self._lock = threading.Lock()
        self._made: dict[float, Any] = {}

    def detect_labels(self, request: Mapping[str, Any], timeout_seconds: float) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

        error: AskError
        try:
            return self._client(timeout_seconds).detect_labels(**request)
        except ClientError as problem:
            error = _error_of(problem.response)
        except ReadTimeoutError:
            error = Transient(f"No answer from rekognition within {timeout_seconds:g} s.")
        except (Transient, Refused) as problem:
            error = problem
        except BotoCoreError as problem:
            error = _unsent(problem)
        error.args = (self.redactor().redact(str(error)),)
        # Out here, so that the error does not carry the foreign one, which knows the request.
        raise error

    def close(self) -> None:
        with self._lock:
            for client in self._made.values():
                client.close()
            self._made.clear()

    def _client(self, timeout_seconds: float) -> Any:
        from botocore.config import Config

        with self._lock:
            if timeout_seconds not in self._made:
                config = Config(
                    connect_timeout=timeout_seconds,
                    read_timeout=timeout_seconds,
                    # The engine tries again, and counts what it sends.
                    retries={"total_max_attempts": 1, "mode": "standard"},
                    max_pool_connections=self._parallel,
                )
                client = self._session.client("rekognition", endpoint_url=self._endpoint_url or None, config=config)
                client.meta.events.register("before-parse.rekognition.DetectLabels", self._check_reply)
                self._made[timeout_seconds] = client
            return self._made[timeout_seconds]

    def redactor(self) -> Redactor:
        """Hides the credentials, which may change while a run goes on."""
        held = self._credentials.get_frozen_credentials()
        return Redactor([secret for secret in (held.access_key, held.secret_key, held.token) if secret])

    def _check_reply(self, response_dict: Mapping[str, Any], **_: Any) -> None:
        """Look at a reply before botocore does, which takes half a body for an empty reply and stumbles over others."""
        redactor, status = self.redactor(), response_dict["status_code"]
        said = excerpt(response_dict["body"], _QUOTED_CHARACTERS, redactor)
        if status >= 300:
            if not _is_object(response_dict["body"]):
                kind = Transient if status in _PASSING_STATUS or status >= 500 else Refused
                raise kind(f"rekognition answered with status {status}. It said: {said}")
            return
        try:
            _answer(redactor.redact_plain(json.loads(response_dict["body"])))
        except BadReply as problem:
            raise Refused(f"rekognition answered, but {problem}. It said: {said}") from None
        except (ValueError, RecursionError):
            raise Transient(f"rekognition answered with something that is not JSON. It said: {said}") from None


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        # botocore makes do with what is not JSON at all.
        return True


def _error_of(response: Mapping[str, Any]) -> AskError:
    error, about = response.get("Error", {}), response.get("ResponseMetadata", {})
    code, status = str(error.get("Code", "")), about.get("HTTPStatusCode", 0)
    message = f"rekognition answered with status {status} {code}: {error.get('Message') or 'no message'}"
    if status in _PASSING_STATUS or status >= 500 or code.startswith(_PASSING):
        return Transient(message, retry_after_seconds(about.get("HTTPHeaders", {})))
    hint = (
        " Look at the AWS credentials, their rights and the region." if status in (401, 403) or "Token" in code else ""
    )
    return Refused(message + hint)


def _unsent(problem: Exception) -> AskError:
    from botocore.exceptions import ConnectionError, HTTPClientError

    if isinstance(problem, ConnectionError | HTTPClientError):
        return Transient(f"The connection to rekognition broke off: {problem}")
    return Refused(f"rekognition could not be called: {problem}")
