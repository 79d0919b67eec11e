"""The HTTP client: one request and its reply, with a deadline for the whole exchange and a size limit.

Connections are kept alive between calls. Every failure becomes an AskError here, in our own words.
"""

from __future__ import annotations

import threading
import time
from urllib.parse import urljoin

from anamorph.errors import AskError, Refused, Transient
from anamorph.http.messages import Reply, Request, bare
from anamorph.http.proxies import BadProxy, Origin, origin_of, proxy_for
from anamorph.http.secrets import Redactor
from anamorph.http.transfers import Handle, TransferError
from anamorph.model.answer import MOST_ANSWER_BYTES

REPLY_LIMIT_BYTES = MOST_ANSWER_BYTES
REDIRECT_LIMIT = 3

_REPEATED = frozenset((301, 302, 307, 308))
_REDIRECTS = _REPEATED | {303}


class Client:
    """Calls one address; at most `most` connections are kept alive between calls."""

    def __init__(self, url: str, most: int) -> None:
        try:
            self._proxy = proxy_for(url)
        except BadProxy as problem:
            raise Refused(str(problem)) from None
        self._most = most
        self._lock = threading.Lock()
        self._idle: list[Handle] = []
        self._closed = False

    def send(
        self, request: Request, timeout_seconds: float, redactor: Redactor, most_bytes: int | None = None
    ) -> Reply:
        """The reply to a request; redirects within the same host are followed."""
        deadline = time.monotonic() + timeout_seconds
        limit = REPLY_LIMIT_BYTES if most_bytes is None else most_bytes
        for _ in range(REDIRECT_LIMIT + 1):
            reply = self._send_once(request, deadline, timeout_seconds, redactor, limit)
            if reply.status not in _REDIRECTS:
                return reply
            request = _redirected(request, reply, redactor)
        raise Refused(redactor.redact(f"{bare(request.url)} redirected more than {REDIRECT_LIMIT} times."))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def _send_once(
        self, request: Request, deadline: float, timeout_seconds: float, redactor: Redactor, most_bytes: int
    ) -> Reply:
        with self._lock:
            # LIFO, so that unneeded connections grow old and the server closes them.
            handle = self._idle.pop() if self._idle else None
        handle = handle or Handle(self._proxy)
        try:
            return handle.exchange(request, deadline, most_bytes)
        except TransferError as problem:
            failure = _translated(problem, redactor.redact(bare(request.url)), timeout_seconds, most_bytes)
        except BaseException:
            # Ctrl-C in the middle of an exchange: its connections are unusable.
            handle = None
            raise
        finally:
            self._put_back(handle)
        # Raised here, the error does not carry the foreign one as its context.
        raise failure

    def _put_back(self, handle: Handle | None) -> None:
        if handle is None:
            return
        with self._lock:
            if not self._closed and len(self._idle) < self._most:
                self._idle.append(handle)
                return
        handle.close()


# --- redirects ------------------------------------------------------------------------------------------------------


def _redirected(request: Request, reply: Reply, redactor: Redactor) -> Request:
    here, location = redactor.redact(bare(request.url)), reply.headers.get("location")
    if not location:
        raise Refused(f"{here} answered with status {reply.status}, a redirect without a Location header.")
    try:
        there = urljoin(request.url, location)
        allowed = origin_of(there) == origin_of(request.url) or origin_of(there) == _upgraded(request.url)
    except ValueError:
        raise Refused(f"{here} redirected to an address that is not valid.") from None
    if not allowed:
        where = redactor.redact(bare(there))
        raise Refused(f"{here} redirected to {where}, another host. If that is right, make it the url.")
    if reply.status in _REPEATED:
        return Request(request.method, there, request.headers, request.content)
    headers = {name: value for name, value in request.headers.items() if name.lower() != "content-type"}
    return Request("GET", there, headers, b"")


def _upgraded(url: str) -> Origin | None:
    scheme, host, port = origin_of(url)
    return Origin("https", host, 443) if (scheme, port) == ("http", 80) else None


# --- errors ---------------------------------------------------------------------------------------------------------


def _translated(problem: TransferError, where: str, timeout_seconds: float, most_bytes: int) -> AskError:
    match problem.kind:
        case "timeout":
            return Transient(f"No answer from {where} within {timeout_seconds:g} s.")
        case "certificate":
            return Refused(f"The certificate of {where} is not trusted: {problem.reason}.")
        case "too-long":
            return Refused(f"{where} answered with more than {most_bytes} bytes.")
        case "address":
            return Refused(f"{where} is not an address that can be called.")
        case "proxy":
            return Transient(f"The proxy for {where} cannot be used: {problem.reason}.")
        case "connect":
            return Transient(f"Cannot connect to {where}: {problem.reason}.")
        case _:
            return Transient(f"The connection to {where} broke off: {problem.reason}.")
