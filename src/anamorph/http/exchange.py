"""One HTTP request and its reply, with a deadline over the whole exchange and a limit on what is read.

Every error of the libraries below is translated here, in words of our own, because theirs may quote the address with
all that stands in it.
"""

from __future__ import annotations

import select
import ssl
import threading
import time
import weakref
from collections.abc import Iterator
from urllib.parse import quote, urljoin, urlsplit

from anamorph.errors import AskError, Refused, Transient
from anamorph.http.connections import Dialler, Origin, ProxyTrouble, origin_of
from anamorph.http.messages import Reply, Request, bare
from anamorph.http.secrets import Veil
from anamorph.http.wire import NotHttp, Socket, TooLong, exchange, head_of

REPLY_LIMIT_BYTES = 16 * 1024 * 1024
REDIRECT_LIMIT = 3

_REPEATED = frozenset((301, 302, 307, 308))
_REDIRECTS = _REPEATED | {303}
# What may stand in the target of a request as it is; the rest is written as %XX.
_AS_IT_IS = "%/?:@!$&'()*+,;=-._~"


class Exchange:
    """Connections to one address that are kept open between calls, `most` at the most."""

    def __init__(self, url: str, most: int) -> None:
        self._dialler = Dialler(url)
        self._most = most
        self._lock = threading.Lock()
        self._idle: list[tuple[Origin, Socket]] = []
        self._closed = False
        # For those who only let go of it.
        weakref.finalize(self, _hang_up, self._idle)

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
        with self._lock:
            self._closed = True
            _hang_up(self._idle)

    def _send_once(self, request: Request, deadline: float, timeout_seconds: float, veil: Veil) -> Reply:
        try:
            return self._exchange(request, deadline)
        except (OSError, ValueError, NotHttp, TooLong) as problem:
            failure = _translated(problem, veil.over(bare(request.url)))
        # Raised out here, the error does not carry the foreign one, which may know the secrets, as its context.
        if time.monotonic() >= deadline:
            raise Transient(f"No answer from {veil.over(bare(request.url))} within {timeout_seconds:g} s.")
        raise failure

    def _exchange(self, request: Request, deadline: float) -> Reply:
        origin = origin_of(request.url)
        head = self._head(request, origin)
        sock = self._take(origin)
        if sock is None:
            try:
                sock = self._dialler.dial(origin, deadline)
            except (ProxyTrouble, ssl.SSLError):
                raise
            except OSError as problem:
                raise _CannotConnect(problem.errno, problem.strerror or type(problem).__name__) from problem
        reusable = False
        try:
            reply, reusable = exchange(sock, head, request.content, deadline, REPLY_LIMIT_BYTES)
        finally:
            if reusable:
                self._put_back(origin, sock)
            else:
                sock.close()
        return reply

    def _head(self, request: Request, origin: Origin) -> bytes:
        parts = urlsplit(request.url)
        target = quote(f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}", safe=_AS_IT_IS)
        host = parts.netloc.rpartition("@")[2]
        headers = {"host": host, "accept-encoding": "identity", **request.headers}
        forwarder = self._dialler.forwarder(origin)
        if forwarder is not None:
            target = f"{origin.scheme}://{host}{target}"
            headers |= forwarder.headers
        has_body = request.content or request.method != "GET"
        return head_of(request.method, target, headers, len(request.content) if has_body else None)

    def _take(self, origin: Origin) -> Socket | None:
        """The last used connection that is open and silent: one that can be read from was closed by the other side."""
        while True:
            with self._lock:
                indices = reversed(range(len(self._idle)))
                found = next((index for index in indices if self._idle[index][0] == origin), None)
                if found is None:
                    return None
                _, sock = self._idle.pop(found)
            if not _readable(sock):
                return sock
            sock.close()

    def _put_back(self, origin: Origin, sock: Socket) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < self._most:
                self._idle.append((origin, sock))
                return
        sock.close()


def _hang_up(idle: list[tuple[Origin, Socket]]) -> None:
    while idle:
        idle.pop()[1].close()


def _readable(sock: Socket) -> bool:
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


# --- redirects ------------------------------------------------------------------------------------------------------


def _redirected(request: Request, reply: Reply, veil: Veil) -> Request:
    here, location = veil.over(bare(request.url)), reply.headers.get("location")
    if not location:
        raise Refused(f"{here} answered with status {reply.status}, a redirect that does not say where to.")
    try:
        there = urljoin(request.url, location)
        allowed = origin_of(there) == origin_of(request.url) or origin_of(there) == _upgraded(request.url)
    except ValueError:
        raise Refused(f"{here} redirected to an address that is not valid.") from None
    if not allowed:
        where = veil.over(bare(there))
        raise Refused(f"{here} redirected to {where}, another host. If that is right, make it the url.")
    if reply.status in _REPEATED:
        return Request(request.method, there, request.headers, request.content)
    headers = {name: value for name, value in request.headers.items() if name.lower() != "content-type"}
    return Request("GET", there, headers, b"")


def _upgraded(url: str) -> Origin | None:
    scheme, host, port = origin_of(url)
    return Origin("https", host, 443) if (scheme, port) == ("http", 80) else None


# --- errors ---------------------------------------------------------------------------------------------------------


class _CannotConnect(OSError):
    """No connection came about."""


def _translated(problem: Exception, where: str) -> AskError:
    for link in _chain(problem):
        if isinstance(link, ssl.SSLCertVerificationError):
            return Refused(f"The certificate of {where} is not trusted: {link.verify_message}.")
    if isinstance(problem, TooLong):
        return Refused(f"{where} answered with more than {REPLY_LIMIT_BYTES} bytes.")
    if isinstance(problem, ValueError):
        return Refused(f"{where} is not an address that can be called.")
    reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    if isinstance(problem, ProxyTrouble):
        return Transient(f"The proxy on the way to {where} cannot be used: {reason}.")
    if isinstance(problem, _CannotConnect):
        return Transient(f"Cannot connect to {where}: {reason}.")
    return Transient(f"The connection to {where} broke off: {reason}.")


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
