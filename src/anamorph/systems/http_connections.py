"""Connections of urllib3, through the proxy that the environment names; a watch can cut them, their log is veiled."""

from __future__ import annotations

import ipaddress
import logging
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from anamorph.errors import Refused
from anamorph.systems.http_deadlines import current
from anamorph.systems.http_messages import bare


def connections_to(url: str, most: int) -> urllib3.PoolManager:
    """Connections that are kept open between calls, `most` at the most."""
    settings: dict[str, Any] = {"maxsize": most, "cert_reqs": "CERT_REQUIRED"}
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


class _VeiledLog(logging.Filter):
    """Hides secrets in what urllib3 logs: it writes down whole addresses."""

    def filter(self, record: logging.LogRecord) -> bool:
        if current.watch is not None:
            record.msg, record.args = current.watch.veil.over(record.getMessage()), ()
        return True


for _name in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_name).addFilter(_VeiledLog())


class _WatchedHTTPConnection(HTTPConnection):
    """Shows its socket to the watch before the reply is read."""

    def getresponse(self) -> Any:
        if current.watch is not None and self.sock is not None:
            current.watch.look_at(self.sock)
        return super().getresponse()


class _WatchedHTTPSConnection(HTTPSConnection):
    """The same with TLS."""

    def getresponse(self) -> Any:
        if current.watch is not None and self.sock is not None:
            current.watch.look_at(self.sock)
        return super().getresponse()


class _WatchedHTTPPool(HTTPConnectionPool):
    """Connections that can be cut."""

    ConnectionCls = _WatchedHTTPConnection


class _WatchedHTTPSPool(HTTPSConnectionPool):
    """Connections with TLS that can be cut."""

    ConnectionCls = _WatchedHTTPSConnection
