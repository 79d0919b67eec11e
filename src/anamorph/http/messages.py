"""HTTP requests and replies as plain records, and the errors of status codes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from anamorph.errors import AskError, Refused, Transient
from anamorph.http.secrets import Redactor

_WORTH_ANOTHER_TRY = frozenset((408, 425, 429))
_HINTS = {
    401: "It does not accept the credentials; check the headers.",
    403: "It does not allow this call; check the headers and the key's permissions.",
    404: "There is nothing at this address; check the url.",
    405: "It does not allow this method; check the method and the url.",
}
_QUOTED_CHARACTERS = 300
_QUOTED_OF_SUCCESS = 200


@dataclass(frozen=True, slots=True)
class Request:
    """A request, secrets included, so it is never shown."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes

    def __repr__(self) -> str:
        return f"Request({self.method} {bare(self.url)})"


@dataclass(frozen=True, slots=True)
class Reply:
    """A response; the names of the headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def bare(url: str) -> str:
    """An address without user, password, query and fragment, safe to show."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def excerpt(content: bytes, characters: int, redactor: Redactor) -> str:
    """The beginning of a body on one line, with secrets redacted before truncation."""
    # A character may take four bytes, and white space is squeezed, so examine more than is shown.
    most = characters * 8
    text = content[: most + redactor.longest].decode("utf-8", "replace").replace("\0", "")
    text = redactor.redact(text)
    if len(content) > most + redactor.longest:
        # The beginning of a secret that continues beyond.
        text = text[: max(0, len(text) - redactor.longest)]
    text = redactor.redact(" ".join(text.split()))
    return (text if len(text) <= characters else f"{text[:characters]}...") or "an empty body"


def json_of(reply: Reply, url: str, redactor: Redactor) -> Any:
    """The JSON of a reply, with secrets redacted; Transient if it is not JSON, such as a truncated body."""
    try:
        plain = json.loads(reply.content)
        return redactor.redact_plain(plain) if redactor.finds(reply.content.decode("utf-8", "replace")) else plain
    except (ValueError, RecursionError):
        content_type = redactor.redact(reply.headers.get("content-type", "no content type"))
        said = excerpt(reply.content, _QUOTED_OF_SUCCESS, redactor)
        message = f"{bare(url)} answered with a body that is not JSON ({content_type}). It said: {said}"
    raise Transient(redactor.redact(message))


def error_of(reply: Reply, url: str, redactor: Redactor, hints: Mapping[int, str] | None = None) -> AskError | None:
    """The error of a status; None if it is a success. `hints` say what to check, by status."""
    if 200 <= reply.status < 300:
        return None
    try:
        phrase = f"{reply.status} {HTTPStatus(reply.status).phrase}"
    except ValueError:
        phrase = str(reply.status)
    said = excerpt(reply.content, _QUOTED_CHARACTERS, redactor)
    hint = {**_HINTS, **(hints or {})}.get(reply.status)
    message = f"{bare(url)} answered with status {phrase}.{f' {hint}' if hint else ''} It said: {said}"
    if reply.status in _WORTH_ANOTHER_TRY or reply.status >= 500:
        return Transient(message, retry_after_seconds(reply.headers))
    return Refused(message)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The Retry-After of a reply, in seconds; None if missing or invalid.

    OpenAI's servers also send it in milliseconds.
    """
    milliseconds = headers.get("retry-after-ms", "").strip()
    if milliseconds.replace(".", "", 1).isdecimal() and milliseconds.isascii():
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdecimal() and value.isascii():
        return float(value)
    until = _moment(value)
    if until is None:
        return None
    # By the server's clock, if sent: ours may be wrong.
    now = _moment(headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _moment(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
