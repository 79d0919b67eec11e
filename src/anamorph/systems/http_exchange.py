"""One HTTP request and its reply, with a deadline over the whole exchange and a limit on what is read.

The only file that knows urllib3; every error of it is translated here, in words of our own, because its messages
quote the address with all that stands in it.
"""

from __future__ import annotations

import heapq
import http.client
import ipaddress
import itertools
import logging
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from anamorph.errors import AskError, Refused, Transient
from anamorph.systems.environment import Veil
from anamorph.systems.http_messages import Reply, Request, bare

REPLY_LIMIT_BYTES = 16 * 1024 * 1024
REDIRECT_LIMIT = 3

_CHUNK_BYTES = 1 << 16
_REPEATED = frozenset((301, 302, 307, 308))
_REDIRECTS = _REPEATED | {303}


class Exchange:
    """Connections to one address that are kept open between calls."""

    def __init__(self, url: str, connections: int) -> None:
        self._connections = _manager(url, connections)

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
        watch = _Watch(veil)
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


# --- connections ----------------------------------------------------------------------------------------------------


def _manager(url: str, connections: int) -> urllib3.PoolManager:
    settings: dict[str, Any] = {"maxsize": connections, "cert_reqs": "CERT_REQUIRED"}
    proxy = _proxy_for(url)
    manager = urllib3.PoolManager(**settings) if proxy is None else _proxy_manager(proxy, settings)
    manager.pool_classes_by_scheme = {"http": _WatchedHTTPPool, "https": _WatchedHTTPSPool}
    return manager


def _proxy_manager(proxy: str, settings: dict[str, Any]) -> urllib3.PoolManager:
    try:
        parts = urlsplit(proxy)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            if parts.username:
                login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
                settings["proxy_headers"] = urllib3.make_headers(proxy_basic_auth=login)
            return urllib3.ProxyManager(bare(proxy), **settings)
    except ValueError:
        pass
    # Without its address, which may hold a password.
    raise Refused("The proxy that the environment names is not one of http:// or https:// with a host.")


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = getproxies().get(parts.scheme)
    if not proxy or _is_this_machine(host) or proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Watch:
    """Cuts the connection of a call when its time is up.

    Time-outs of sockets begin anew with every byte, so a server that drips could hold a call for ever.
    """

    def __init__(self, veil: Veil) -> None:
        self.veil = veil
        self.rang = False
        self.over = False
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @contextmanager
    def running(self, seconds: float) -> Iterator[None]:
        _alarm.set(self, time.monotonic() + seconds)
        _current.watch = self
        try:
            yield
        finally:
            _current.watch = None
            self.over = True
            with self._lock:
                self._socket = None

    def look_at(self, connection: socket.socket) -> None:
        with self._lock:
            self._socket = connection
            if self.rang:
                self._cut()

    def ring(self) -> None:
        with self._lock:
            if not self.over:
                self.rang = True
                self._cut()

    def _cut(self) -> None:
        if self._socket is not None:
            # Not the method of a TLS socket, which would take the session from under the reader.
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Alarm:
    """One thread that rings every watch whose time is up; a timer for each call would start a thread for each call."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, _Watch]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None

    def set(self, watch: _Watch, when: float) -> None:
        with self._changed:
            self._forget_the_over()
            heapq.heappush(self._waiting, (when, next(self._order), watch))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name="anamorph-http-alarm", daemon=True)
                self._thread.start()
            elif self._waiting[0][2] is watch:
                self._changed.notify()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._forget_the_over()
                left = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                watch = heapq.heappop(self._waiting)[2]
            watch.ring()

    def _forget_the_over(self) -> None:
        while self._waiting and self._waiting[0][2].over:
            heapq.heappop(self._waiting)


_alarm = _Alarm()


class _Current(threading.local):
    """The watch of the call that this thread is making."""

    watch: _Watch | None = None


_current = _Current()


class _VeiledLog(logging.Filter):
    """Hides secrets in what urllib3 logs: it writes down whole addresses."""

    def filter(self, record: logging.LogRecord) -> bool:
        if _current.watch is not None:
            record.msg, record.args = _current.watch.veil.over(record.getMessage()), ()
        return True


for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(_VeiledLog())


class _WatchedHTTPConnection(HTTPConnection):
    """Shows its socket to the watch before the reply is read."""

    def getresponse(self) -> Any:
        if _current.watch is not None and self.sock is not None:
            _current.watch.look_at(self.sock)
        return super().getresponse()


class _WatchedHTTPSConnection(HTTPSConnection):
    """The same with TLS."""

    def getresponse(self) -> Any:
        if _current.watch is not None and self.sock is not None:
            _current.watch.look_at(self.sock)
        return super().getresponse()


class _WatchedHTTPPool(HTTPConnectionPool):
    """Connections that can be cut."""

    ConnectionCls = _WatchedHTTPConnection


class _WatchedHTTPSPool(HTTPSConnectionPool):
    """Connections with TLS that can be cut."""

    ConnectionCls = _WatchedHTTPSConnection


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
