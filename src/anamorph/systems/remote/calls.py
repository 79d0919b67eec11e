"""Calls to an endpoint whose url and headers may hold secrets: checked, sent, and every trouble put into words."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from anamorph import __version__
from anamorph.errors import AskError, Refused, UsageError
from anamorph.http.address import Address, check_headers, filled_headers, veil_over
from anamorph.http.messages import Reply, Request, bare, error_of, excerpt, json_of
from anamorph.http.secrets import Veil, variables_in
from anamorph.model import Answer, Failure
from anamorph.systems.remote.bodies import Body
from anamorph.systems.replies.answers import BadReply

_QUOTED_CHARACTERS = 200


@dataclass(frozen=True, slots=True, repr=False)
class _Papers:
    """What every call to an endpoint takes along; it holds as long as the environment has these `values`."""

    values: tuple[str | None, ...]
    complaint: str | None
    url: str
    headers: Mapping[str, str]
    veil: Veil


class Caller:
    """One endpoint and its connections, which are opened at the first call: the library takes time to import."""

    def __init__(
        self, address: Address, headers: Mapping[str, str], parallel: int, hints: Mapping[int, str] | None = None
    ) -> None:
        self.address = address
        self.headers = headers
        self._parallel = parallel
        self._hints = hints
        self._lock = threading.Lock()
        self._exchange: Any = None
        self._variables = tuple(name for text in (address.template, *headers.values()) for name in variables_in(text))
        self._papers: _Papers | None = None

    def check(self) -> None:
        """UsageError if the url or a header cannot be used as it is now."""
        self.address.check()
        check_headers(self.headers)

    def send(self, method: str, body: Body, timeout_seconds: float) -> Reply:
        """The reply, whatever its status; raises an AskError where none came."""
        papers = self._papers_now()
        if papers.complaint is not None:
            raise Refused(papers.complaint)
        url = self.address.filled(body.query) if body.query else papers.url
        headers = {"content-type": body.content_type, **papers.headers}
        reply: Reply = self._connected().send(Request(method, url, headers, body.content), timeout_seconds, papers.veil)
        return reply

    def call(self, method: str, body: Body, timeout_seconds: float) -> Reply:
        """The reply of a successful call; raises an AskError for any other."""
        reply = self.send(method, body, timeout_seconds)
        error = self.error(reply)
        if error is not None:
            raise error
        return reply

    def error(self, reply: Reply) -> AskError | None:
        """The error that the status of a reply stands for; None if it is a success."""
        return error_of(reply, self.address.template, self.veil(), self._hints)

    def read(self, reply: Reply, reader: Callable[[Any], Answer | Failure]) -> Answer | Failure:
        """What `reader` makes of the JSON of a reply; it may raise BadReply."""
        where, veil = self.address.template, self.veil()
        try:
            result = reader(json_of(reply, where, veil))
        except BadReply as problem:
            said = excerpt(reply.content, _QUOTED_CHARACTERS)
            return Failure(veil.over(f"{bare(where)} answered, but {problem}. It said: {said}"))
        return replace(result, message=veil.over(result.message)) if isinstance(result, Failure) else result

    def veil(self) -> Veil:
        """Hides what the url and the headers take from the environment."""
        return self._papers_now().veil

    def close(self) -> None:
        with self._lock:
            if self._exchange is not None:
                self._exchange.close()
                self._exchange = None

    def _papers_now(self) -> _Papers:
        values = tuple(map(os.environ.get, self._variables))
        papers = self._papers
        if papers is None or papers.values != values:
            papers = self._papers = self._papers_for(values)
        return papers

    def _papers_for(self, values: tuple[str | None, ...]) -> _Papers:
        complaint = None
        try:
            self.check()
        except UsageError as problem:
            complaint = str(problem)
        headers = {"user-agent": f"anamorph/{__version__}", "accept": "application/json"}
        login = self.address.login()
        if login is not None:
            headers["authorization"] = login
        headers |= filled_headers(self.headers)
        return _Papers(values, complaint, self.address.filled({}), headers, veil_over(self.address, self.headers))

    def _connected(self) -> Any:
        from anamorph.http.exchange import Exchange

        with self._lock:
            if self._exchange is None:
                self._exchange = Exchange(self.address.shown, self._parallel)
            return self._exchange
