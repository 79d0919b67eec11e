"""Calls to an endpoint whose URL and headers may hold secrets: checks, requests and errors."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anamorph import __version__
from anamorph.errors import AskError, Refused, UsageError
from anamorph.http.messages import Reply, Request, bare, error_of, excerpt, json_of
from anamorph.http.secrets import Redactor, variables_in
from anamorph.http.templates import UrlTemplate, check_headers, filled_headers, redactor_for
from anamorph.model import Answer, Failure
from anamorph.systems.remote.bodies import Body
from anamorph.systems.replies.answers import BadReply

_QUOTED_CHARACTERS = 200


@dataclass(frozen=True, slots=True, repr=False)
class _Prepared:
    """The inputs of every call to an endpoint; they stay valid as long as the environment has these `values`."""

    values: tuple[str | None, ...]
    complaint: str | None
    url: str
    headers: Mapping[str, str]
    redactor: Redactor


class Caller:
    """One endpoint and its connections, opened on the first call, since the library is slow to import."""

    def __init__(
        self, url: UrlTemplate, headers: Mapping[str, str], parallel: int, hints: Mapping[int, str] | None = None
    ) -> None:
        self.url = url
        self.headers = headers
        self._parallel = parallel
        self._hints = hints
        self._lock = threading.Lock()
        self._client: Any = None
        self._variables = tuple(name for text in (url.template, *headers.values()) for name in variables_in(text))
        self._prepared: _Prepared | None = None

    def check(self) -> None:
        """UsageError if the URL or a header cannot be used now."""
        self.url.check()
        check_headers(self.headers)

    def send(self, method: str, body: Body, timeout_seconds: float) -> Reply:
        """The reply, with any status; raises an AskError if there is none."""
        prepared = self._prepared_now()
        if prepared.complaint is not None:
            raise Refused(prepared.complaint)
        url = self.url.filled(body.query) if body.query else prepared.url
        headers = {"content-type": body.content_type, **prepared.headers}
        reply: Reply = self._connected().send(
            Request(method, url, headers, body.content), timeout_seconds, prepared.redactor
        )
        return reply

    def call(self, method: str, body: Body, timeout_seconds: float) -> Reply:
        """The reply of a successful call; raises an AskError for any other."""
        reply = self.send(method, body, timeout_seconds)
        error = self.error(reply)
        if error is not None:
            raise error
        return reply

    def error(self, reply: Reply) -> AskError | None:
        """The error of a reply's status; None if it is a success."""
        return error_of(reply, self.url.template, self.redactor(), self._hints)

    def read(self, reply: Reply, reader: Callable[[Any], Answer | Failure]) -> Answer | Failure:
        """The answer that `reader` makes of a reply's JSON; it may raise BadReply."""
        where, redactor = self.url.template, self.redactor()
        try:
            return reader(json_of(reply, where, redactor))
        except BadReply as problem:
            said = excerpt(reply.content, _QUOTED_CHARACTERS, redactor)
            return Failure(redactor.redact(f"{bare(where)} answered, but {problem}. It said: {said}"))

    def redactor(self) -> Redactor:
        """Redacts everything that the URL and headers take from the environment."""
        return self._prepared_now().redactor

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _prepared_now(self) -> _Prepared:
        values = tuple(map(os.environ.get, self._variables))
        prepared = self._prepared
        if prepared is None or prepared.values != values:
            prepared = self._prepared = self._prepare(values)
        return prepared

    def _prepare(self, values: tuple[str | None, ...]) -> _Prepared:
        complaint = None
        try:
            self.check()
        except UsageError as problem:
            complaint = str(problem)
        headers = {"user-agent": f"anamorph/{__version__}", "accept": "application/json"}
        login = self.url.login()
        if login is not None:
            headers["authorization"] = login
        headers |= filled_headers(self.headers)
        return _Prepared(values, complaint, self.url.filled({}), headers, redactor_for(self.url, self.headers))

    def _connected(self) -> Any:
        from anamorph.http.client import Client

        with self._lock:
            if self._client is None:
                self._client = Client(self.url.shown, self._parallel)
            return self._client
