"""One HTTP request and its reply, with a deadline over the whole exchange and a limit on what is read.

Only this file and `http_connections` know urllib3; every error of it is translated here, in words of our own, because
its messages quote the address with all that stands in it.
"""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import urllib3

from anamorph.errors import AskError, Refused, Transient
from anamorph.systems.environment import Veil
from anamorph.systems.http_connections import connections_to
from anamorph.systems.http_deadlines import Watch
from anamorph.systems.http_messages import Reply, Request, bare

REPLY_LIMIT_BYTES = 16 * 1024 * 1024
REDIRECT_LIMIT = 3

_CHUNK_BYTES = 1 << 16
_REPEATED = frozenset((301, 302, 307, 308))
_REDIRECTS = _REPEATED | {303}


class Exchange:
    """Connections to one address that are kept open between calls."""

    def __init__(self, url: str, connections: int) -> None:
        self._connections = connections_to(url, connections)

    def send(self, request: Request, timeout_seconds: float, veil: Veil) -> Reply:
        """The reply to a request; redirects within the same host are followed."""
        deadline = time.monotonic() + timeout_seconds
        for _ in range(REDIRECT_LIMIT + 1):
            reply = self._send_once(request, deadline, timeout_seconds, veil)
            if reply.status not in _REDIRECTS:
                return reply
            request = _redirected(request, reply, veil)
        raise Refused(veil.over(f"{bare(request.url)} redirected more than {REDIRECT_LIMIT} times."))

    def close(self) -> None:
        self._connections.clear()

    def _send_once(self, request: Request, deadline: float, timeout_seconds: float, veil: Veil) -> Reply:
        left = max(0.001, deadline - time.monotonic())
        watch = Watch(veil)
        try:
            with watch.running(left):
                reply = self._exchange(request, left)
            failure = None
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as problem:
            failure = _translated(problem, veil.over(bare(request.url)))
        # A connection that is cut may look like a body that ends. Raised out here, the error does not carry the
        # foreign one, which knows the secrets, as its context.
        if watch.rang or (failure and time.monotonic() >= deadline):
            where = veil.over(bare(request.url))
            raise Transient(f"No answer from {where} within {timeout_seconds:g} s.")
        if failure:
            raise failure
        return reply

    def _exchange(self, request: Request, left: float) -> Reply:
        response = self._connections.request(
            request.method,
            request.url,
            body=request.content or None,
            headers=request.headers,
            timeout=urllib3.Timeout(total=left),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            content = bytearray()
            while chunk := response.read(_CHUNK_BYTES):
                content += chunk
                if len(content) > REPLY_LIMIT_BYTES:
                    raise Refused(f"{bare(request.url)} answered with more than {REPLY_LIMIT_BYTES} bytes.")
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Reply(response.status, headers, bytes(content))
        finally:
            # Does nothing to a connection whose reply was read to its end, which is back in the pool.
            response.close()


# --- redirects ------------------------------------------------------------------------------------------------------


def _redirected(request: Request, reply: Reply, veil: Veil) -> Request:
    here, location = veil.over(bare(request.url)), reply.headers.get("location")
    if not location:
        raise Refused(f"{here} answered with status {reply.status}, a redirect that does not say where to.")
    try:
        there = urljoin(request.url, location)
        allowed = _origin(there) == _origin(request.url) or _origin(there) == _upgraded(request.url)
    except ValueError:
        raise Refused(f"{here} redirected to an address that is not valid.") from None
    if not allowed:
        where = veil.over(bare(there))
        raise Refused(f"{here} redirected to {where}, another host. If that is right, make it the url.")
    if reply.status in _REPEATED:
        return Request(request.method, there, request.headers, request.content)
    headers = {name: value for name, value in request.headers.items() if name.lower() != "content-type"}
    return Request("GET", there, headers, b"")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _upgraded(url: str) -> tuple[str, str | None, int | None] | None:
    scheme, host, port = _origin(url)
    return ("https", host, 443) if (scheme, port) == ("http", 80) else None


# --- errors ---------------------------------------------------------------------------------------------------------


def _translated(problem: Exception, where: str) -> AskError:
    chain = list(_chain(problem))
    for link in chain:
        if isinstance(link, ssl.SSLCertVerificationError):
            return Refused(f"The certificate of {where} is not trusted: {link.verify_message}.")
    if isinstance(problem, urllib3.exceptions.LocationValueError):
        return Refused(f"{where} is not an address that can be called.")
    reason = next(
        (link.strerror for link in chain if isinstance(link, OSError) and link.strerror), type(problem).__name__
    )
    if isinstance(problem, urllib3.exceptions.ProxyError):
        return Transient(f"The proxy on the way to {where} cannot be used: {reason}.")
    if isinstance(problem, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError):
        return Transient(f"Cannot connect to {where}: {reason}.")
    return Transient(f"The connection to {where} broke off: {reason}.")


def _chain(problem: BaseException) -> Iterator[BaseException]:
    """An error and those that it wraps, wherever it keeps them."""
    seen: list[BaseException] = []
    waiting: list[object] = [problem]
    while waiting:
        link = waiting.pop(0)
        if isinstance(link, BaseException) and not any(link is other for other in seen):
            seen.append(link)
            yield link
            waiting += [*link.args, getattr(link, "reason", None), link.__cause__, link.__context__]
