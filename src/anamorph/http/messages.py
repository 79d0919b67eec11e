"""HTTP requests and replies as plain records, and what the status of a reply means for a call."""

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
    401: "It does not accept the credentials; look at the headers.",
    403: "It does not allow this call; look at the headers and at the rights that come with the key.",
    404: "There is nothing at this address; look at the url.",
    405: "It does not take this method; look at the method and at the url.",
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
    """An address without user, password, query and fragment: what may be shown."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def excerpt(content: bytes, characters: int, redactor: Redactor) -> str:
    """The beginning of a body on one line, without secrets: they are hidden before anything is cut."""
    # A character may take four bytes, and white space is squeezed; so a little more is looked at than is shown.
    most = characters * 8
    text = content[: most + redactor.longest].decode("utf-8", "replace").replace("\0", "")
    text = redactor.redact(text)
    if len(content) > most + redactor.longest:
        # What is left of a secret that goes on after this.
        text = text[: max(0, len(text) - redactor.longest)]
    text = redactor.redact(" ".join(text.split()))
    return (text if len(text) <= characters else f"{text[:characters]}...") or "an empty body"


def json_of(reply: Reply, url: str, redactor: Redactor) -> Any:
    """The JSON of a reply, its secrets marked as redacted; Transient if it is not JSON, such as half a body."""
    try:
        plain = json.loads(reply.content)
        return redactor.redact_plain(plain) if redactor.finds(reply.content.decode("utf-8", "replace")) else plain
    except (ValueError, RecursionError):
        content_type = redactor.redact(reply.headers.get("content-type", "no content type"))
        said = excerpt(reply.content, _QUOTED_OF_SUCCESS, redactor)
        message = f"{bare(url)} answered with something that is not JSON ({content_type}). It said: {said}"
    raise Transient(redactor.redact(message))


def error_of(reply: Reply, url: str, redactor: Redactor, hints: Mapping[int, str] | None = None) -> AskError | None:
    """The error that a status stands for; None if it is a success. `hints` say what to look at, by status."""
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
    """How long a reply asks to wait, as seconds or as a date; None if it does not say, or not validly.

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
    # By the server's own clock, if it says: ours may be wrong.
    now = _moment(headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _moment(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
