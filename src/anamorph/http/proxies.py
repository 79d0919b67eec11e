"""The environment's proxy for an address, if any."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

_PORTS = {"http": 80, "https": 443}


class BadProxy(ValueError):
    """The environment's proxy cannot be used; its address may hold a password and is not quoted."""


class Origin(NamedTuple):
    """The target of a connection."""

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
    """A proxy, and its authorization header, or None."""

    origin: Origin
    login: str | None

    @property
    def url(self) -> str:
        scheme, host, port = self.origin
        return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def proxy_for(url: str) -> Proxy | None:
    """The proxy for an address; None to connect directly, as to localhost. Raises BadProxy."""
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
    raise BadProxy("The environment's proxy is not an http:// or https:// address with a host.") from None


def _login(proxy: SplitResult) -> str | None:
    if not proxy.username:
        return None
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return f"proxy-authorization: Basic {base64.b64encode(login.encode()).decode('ascii')}"


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
