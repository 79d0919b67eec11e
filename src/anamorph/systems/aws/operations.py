"""Operations of Amazon's services through boto3, whose errors are all translated here."""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from anamorph.errors import AskError, MissingExtra, Refused, Transient, UsageError
from anamorph.http.messages import excerpt, retry_after_seconds
from anamorph.http.secrets import Redactor
from anamorph.systems.replies.answers import BadReply

# boto3 looks for credentials in many more places; these hold a secret.
SECRET_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_QUOTED_CHARACTERS = 200
_PASSING_STATUS = (408, 424, 425, 429)
_PASSING = (
    "Throttl",
    "TooManyRequests",
    "LimitExceeded",
    "ProvisionedThroughputExceeded",
    "InternalServer",
    "ServiceUnavailable",
    "RequestTimeout",
    "SlowDown",
    "ModelError",
    "ModelTimeout",
    "ModelNotReady",
)


class AwsOperation:
    """One operation of a service, such as DetectLabels of rekognition: a client for each timeout, from one session.

    `kind` is the system's name in messages. `check` raises BadReply for an unexpected reply. `token_variable` is an
    environment variable with a token instead of credentials, if the service accepts one.
    """

    def __init__(
        self,
        kind: str,
        service: str,
        operation: str,
        check: Callable[[Any], object],
        *,
        region: str,
        profile: str,
        endpoint_url: str,
        parallel: int,
        token_variable: str = "",
    ) -> None:
        if importlib.util.find_spec("boto3") is None:
            raise MissingExtra(f"The system {kind!r}", "aws")
        import boto3
        from botocore.exceptions import BotoCoreError

        try:
            self._session = boto3.session.Session(profile_name=profile or None, region_name=region or None)
            credentials = self._session.get_credentials()
        except BotoCoreError as problem:
            raise UsageError(f"{kind}: {problem}.") from problem
        if credentials is None and not os.environ.get(token_variable):
            raise UsageError(
                f"{kind} needs AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, "
                "or a profile."
            )
        if not self._session.region_name:
            raise UsageError(f"{kind} needs a region: the setting region, such as eu-west-1, or AWS_REGION.")
        self.region: str = self._session.region_name
        self._kind, self._service, self._operation, self._check = kind, service, operation, check
        self._credentials, self._endpoint_url, self._parallel = credentials, endpoint_url, parallel
        self._token_variable = token_variable
        self._lock = threading.Lock()
        self._made: dict[float, Any] = {}

    @property
    def address(self) -> str:
        """The address of the service."""
        return str(self._client(60.0).meta.endpoint_url)

    def call(self, request: Mapping[str, Any], timeout_seconds: float) -> Any:
        """The reply; raises an AskError if there is none."""
        from botocore import xform_name
        from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

        error: AskError
        try:
            return getattr(self._client(timeout_seconds), xform_name(self._operation))(**request)
        except ClientError as problem:
            error = self._error_of(problem.response)
        except ReadTimeoutError:
            error = Transient(f"No answer from {self._kind} within {timeout_seconds:g} s.")
        except (Transient, Refused) as problem:
            error = problem
        except BotoCoreError as problem:
            error = self._unsent(problem)
        error.args = (self.redactor().redact(str(error)),)
        # Outside, so that the error does not carry the foreign one, which holds the request.
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
                    # The engine retries, and counts what it sends.
                    retries={"total_max_attempts": 1, "mode": "standard"},
                    max_pool_connections=self._parallel,
                )
                client = self._session.client(self._service, endpoint_url=self._endpoint_url or None, config=config)
                client.meta.events.register(f"before-parse.{self._service}.{self._operation}", self.check_reply)
                self._made[timeout_seconds] = client
            return self._made[timeout_seconds]

    def redactor(self) -> Redactor:
        """Redacts the credentials, which may change during a run."""
        secrets = [os.environ.get(self._token_variable)]
        if self._credentials is not None:
            held = self._credentials.get_frozen_credentials()
            secrets += [held.access_key, held.secret_key, held.token]
        return Redactor([secret for secret in secrets if secret])

    def check_reply(self, response_dict: Mapping[str, Any], **_: Any) -> None:
        """Check a reply before botocore, which takes a truncated body for an empty reply and fails on others."""
        redactor, status = self.redactor(), response_dict["status_code"]
        said = excerpt(response_dict["body"], _QUOTED_CHARACTERS, redactor)
        if status >= 300:
            if not _is_object(response_dict["body"]):
                kind = Transient if status in _PASSING_STATUS or status >= 500 else Refused
                raise kind(f"{self._kind} answered with status {status}. It said: {said}")
            return
        try:
            self._check(redactor.redact_plain(json.loads(response_dict["body"])))
        except BadReply as problem:
            raise Refused(f"{self._kind} answered, but {problem}. It said: {said}") from None
        except (ValueError, RecursionError):
            raise Transient(f"{self._kind} answered with something that is not JSON. It said: {said}") from None

    def _error_of(self, response: Mapping[str, Any]) -> AskError:
        error, about = response.get("Error", {}), response.get("ResponseMetadata", {})
        code, status = str(error.get("Code", "")), about.get("HTTPStatusCode", 0)
        message = f"{self._kind} answered with status {status} {code}: {error.get('Message') or 'no message'}"
        if status in _PASSING_STATUS or status >= 500 or code.startswith(_PASSING):
            return Transient(message, retry_after_seconds(about.get("HTTPHeaders", {})))
        hint = (
            " Check the AWS credentials, their rights and the region."
            if status in (401, 403) or "Token" in code
            else ""
        )
        return Refused(message + hint)

    def _unsent(self, problem: Exception) -> AskError:
        from botocore.exceptions import ConnectionError, HTTPClientError

        if isinstance(problem, ConnectionError | HTTPClientError):
            return Transient(f"The connection to {self._kind} broke off: {problem}")
        return Refused(f"{self._kind} could not be called: {problem}")


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        # botocore accepts bodies that are not JSON.
        return True
