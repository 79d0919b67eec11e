"""A searcher on the web: paging, pacing, retries, and the contact in requests."""

from __future__ import annotations

import html
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from anamorph import __version__
from anamorph.concurrency.pacing import Limiter, backoff_seconds
from anamorph.errors import AskError, Refused, SystemDown, Transient
from anamorph.model import Find, Query, setting
from anamorph.searchers.web.keyword_template import KeywordTemplate

if TYPE_CHECKING:
    from anamorph.http.client import Client

FIRST_PAUSE_SECONDS = 0.5
# A service that asks for a longer pause counts as down.
LONGEST_PAUSE_SECONDS = 120.0
_LONGEST_TEXT = 4_000
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NOT_FOR_US = (401, 403)

Parameters = Mapping[str, str]


def contact_setting() -> Any:
    """The setting for contact details."""
    return setting("", "Your e-mail address or web page, sent so that the service can reach you.")


def rate_setting(default: float) -> Any:
    """The setting for the rate limit."""
    return setting(default, "At most this many calls per second.", least=0.001, most=100)


def timeout_setting() -> Any:
    """The setting for the timeout."""
    return setting(30.0, "Timeout of a call, in seconds.", least=0.01, most=1e6)


def retries_setting() -> Any:
    """The setting for retries."""
    return setting(4, "Retries after a transient failure.", least=0, most=20)


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """Secret parameters and headers of a call."""

    parameters: Parameters = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def hidden(self) -> list[str]:
        headers = [part for value in self.headers.values() for part in (value, value.rpartition(" ")[2])]
        return [*self.parameters.values(), *headers]


class WebSearch:
    """A searcher on the web; a subclass adds its own parameters, pages and results."""

    __slots__ = ()
    # Settings of every kind, which it places itself.
    address: str
    contact: str
    keyword: KeywordTemplate
    simple: KeywordTemplate
    rate_per_second: float
    timeout_seconds: float
    retries: int
    _client: WebClient

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            raise ValueError(f"address must be http(s)://HOST/PATH without a query or a login, got {self.address!r}")
        if not self.contact.isascii() or not self.contact.isprintable():
            raise ValueError("contact must be printable ASCII on one line")
        self.check()
        object.__setattr__(self, "_client", WebClient(self))

    def search(self, query: Query, most: int) -> Iterator[Find]:
        return self._client.find(query, most)

    def close(self) -> None:
        self._client.close()

    def worded(self, query: Query) -> str:
        """A query in the wording of this search."""
        return (self.simple if query.simple else self.keyword).text(query)

    def check(self) -> None:
        """ValueError for an invalid setting of the subclass."""

    def secrets(self) -> Secrets:
        """The values from the environment for each call."""
        return Secrets()

    def trouble(self, reply: Mapping[str, Any]) -> AskError | None:
        """The error inside a successful reply."""
        return None

    def first(self, query: Query, most: int) -> Parameters:
        """The parameters of the first page."""
        raise NotImplementedError

    def following(self, parameters: Parameters, reply: Mapping[str, Any], count: int) -> Parameters | None:
        """Those of the page after a reply with `count` results; None if there is none."""
        raise NotImplementedError

    def results(self, reply: Mapping[str, Any]) -> Iterator[Find | None]:
        """The finds of a page, None for an unusable result."""
        raise NotImplementedError


class WebClient:
    """Calls one address sequentially, at a limited rate."""

    def __init__(self, search: WebSearch) -> None:
        self._search = search
        self._limiter = Limiter(search.rate_per_second)
        self._rng = Random(0)
        self._http: Client | None = None
        self._lock = threading.Lock()

    def find(self, query: Query, most: int) -> Iterator[Find]:
        """At most `most` results of the search, page after page."""
        parameters: Parameters | None = self._search.first(query, most)
        given = 0
        while parameters is not None:
            reply = self._get(parameters)
            results = list(self._search.results(reply))
            for find in results:
                if find is not None:
                    yield find
                given += 1
                if given >= most:
                    return
            parameters = self._search.following(parameters, reply, len(results)) if results else None

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None

    def _get(self, parameters: Parameters) -> Mapping[str, Any]:
        tries = 0
        with self._lock:
            while True:
                self._limiter.wait()
                tries += 1
                try:
                    return self._get_once(parameters)
                except Transient as problem:
                    pause = problem.retry_after_seconds
                    if tries > self._search.retries or (pause or 0) > LONGEST_PAUSE_SECONDS:
                        raise
                    time.sleep(backoff_seconds(FIRST_PAUSE_SECONDS, tries, self._rng) if pause is None else pause)

    def _get_once(self, parameters: Parameters) -> Mapping[str, Any]:
        from anamorph.http.client import Client
        from anamorph.http.messages import Request, error_of
        from anamorph.http.secrets import Redactor

        secrets, address = self._search.secrets(), self._search.address
        redactor = Redactor(secrets.hidden())
        who = f"; {self._search.contact}" if self._search.contact else ""
        headers = {
            "user-agent": f"anamorph/{__version__} (image collector{who})",
            "accept": "application/json",
            **secrets.headers,
        }
        url = f"{address}?{urlencode({**parameters, **secrets.parameters})}"
        if self._http is None:
            self._http = Client(address, 1)
        reply = self._http.send(Request("GET", url, headers, b""), self._search.timeout_seconds, redactor)
        problem = error_of(reply, address, redactor)
        if problem is not None:
            raise SystemDown(str(problem)) if reply.status in _NOT_FOR_US else problem
        try:
            plain = redactor.redact_plain(json.loads(reply.content))
        except (ValueError, RecursionError):
            plain = None
        if not isinstance(plain, dict):
            raise Refused(f"{address} did not answer with a JSON object.")
        trouble = self._search.trouble(plain)
        if trouble is not None:
            if isinstance(trouble, Transient) and "retry-after" in reply.headers:
                from anamorph.http.messages import retry_after_seconds

                raise Transient(str(trouble), retry_after_seconds(reply.headers))
            raise trouble
        return plain


def from_environment(name: str, what: str) -> str:
    """The value of an environment variable; UsageError, with its purpose, if it is missing."""
    from anamorph.http.secrets import check_variables, fill

    check_variables(f"${{{name}}}", what)
    return fill(f"${{{name}}}")


def check_variable_name(name: str, setting_name: str) -> None:
    """ValueError unless a setting is the name of an environment variable, rather than the secret itself."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        # Not quoted: it may be the secret.
        raise ValueError(f"{setting_name} must be the name of an environment variable, not a value")


# --- untrusted results ----------------------------------------------------------------------------------------------


def text_of(entry: Mapping[str, Any], key: str) -> str:
    """A string on one line without markup, or empty."""
    value = entry.get(key)
    if not isinstance(value, str):
        return ""
    plain = html.unescape(_TAG.sub(" ", value[:_LONGEST_TEXT]))
    whole = plain.encode("utf-8", "ignore").decode()
    return " ".join("".join(letter if letter.isprintable() else " " for letter in whole).split())


def number_of(entry: Mapping[str, Any], key: str) -> int | None:
    """A positive integer, or None."""
    value = entry.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def table_of(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A nested object, or an empty one."""
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def list_of(entry: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects of a list, or an empty list."""
    value = entry.get(key)
    return [each if isinstance(each, dict) else {} for each in value] if isinstance(value, list) else []


def captions_of(*texts: str) -> tuple[str, ...]:
    """The distinct nonempty strings."""
    return tuple(dict.fromkeys(text for text in texts if text))
