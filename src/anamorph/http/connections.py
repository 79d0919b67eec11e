"""Opening connections: directly, or through the proxy that the environment names, with TLS where it is wanted."""

from __future__ import annotations

import base64
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from anamorph.errors import Refused
from anamorph.http.wire import NotHttp, Socket, open_tunnel

_PORTS = {"http": 80, "https": 443}


class ProxyTrouble(OSError):
    """The proxy cannot be used; the reason is its `strerror`."""


class Origin(NamedTuple):
    """Where a connection leads."""

    scheme: str
    host: str
    port: int


def origin_of(url: str) -> Origin:
    """The origin of an address; ValueError if it has none."""
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme)
    if not parts.hostname or port is None:
        raise ValueError("not an address that can be called")
    return Origin(parts.scheme, parts.hostname, port)


@dataclass(frozen=True, slots=True, repr=False)
class Proxy:
    """A proxy and what it wants to be told."""

    origin: Origin
    headers: Mapping[str, str]


class Dialler:
    """Opens connections for one address and those that it redirects to."""

    def __init__(self, url: str) -> None:
        self._proxy = _proxy_for(url)
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None

    def forwarder(self, origin: Origin) -> Proxy | None:
        """The proxy that passes requests on, and so must be told whole addresses; with TLS it only opens a tunnel."""
        return self._proxy if origin.scheme == "http" else None

    def dial(self, origin: Origin, deadline: float) -> Socket:
        """An open connection; raises OSError, of which ProxyTrouble and ssl.SSLError are kinds."""
        if self._proxy is None:
            sock = _connected(origin, deadline)
        else:
            try:
                sock = self._by_proxy(self._proxy, origin, deadline)
            except ssl.SSLCertVerificationError:
                raise
            except (OSError, NotHttp) as problem:
                reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
                raise ProxyTrouble(0, reason) from problem
        return self._with_tls(sock, origin.host, deadline) if origin.scheme == "https" else sock

    def _by_proxy(self, proxy: Proxy, origin: Origin, deadline: float) -> Socket:
        sock = _connected(proxy.origin, deadline)
        if proxy.origin.scheme == "https":
            sock = self._with_tls(sock, proxy.origin.host, deadline)
        if origin.scheme == "https":
            try:
                status = open_tunnel(sock, origin.host, origin.port, proxy.headers, deadline)
                if not 200 <= status < 300:
                    raise OSError(0, f"it answered with status {status}")
            except BaseException:
                sock.close()
                raise
        return sock

    def _with_tls(self, sock: Socket, host: str, deadline: float) -> Socket:
        try:
            sock.settimeout(max(0.001, deadline - time.monotonic()))
            if isinstance(sock, ssl.SSLSocket):
                from urllib3.util.ssltransport import SSLTransport

                return SSLTransport(sock, self._certificates(), host)
            return self._certificates().wrap_socket(sock, server_hostname=host)
        except BaseException:
            sock.close()
            raise

    def _certificates(self) -> ssl.SSLContext:
        with self._lock:
            if self._context is None:
                self._context = ssl.create_default_context()
                self._context.set_alpn_protocols(["http/1.1"])
            return self._context


def _connected(origin: Origin, deadline: float) -> socket.socket:
    sock = socket.create_connection((origin.host, origin.port), max(0.001, deadline - time.monotonic()))
    # The head and the body go out one after the other, and the second must not wait for an acknowledgement.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


# --- proxies --------------------------------------------------------------------------------------------------------


def _proxy_for(url: str) -> Proxy | None:
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = getproxies().get(parts.scheme)
    if not named or _is_this_machine(host) or proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return None
    try:
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        if proxy.scheme in _PORTS and proxy.port != 0:
            return Proxy(origin_of(proxy.geturl()), _login(proxy))
    except ValueError:
        pass
    # Without its address, which may hold a password.
    raise Refused("The proxy that the environment names is not one of http:// or https:// with a host.")


def _login(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {base64.b64encode(login.encode()).decode('ascii')}"}


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
