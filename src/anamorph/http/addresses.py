"""Network addresses of hosts; downloads may reach the public internet and networks that the user allows."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
# Host and port to the host's addresses; replaced in tests.
Resolve: TypeAlias = Callable[[str, int], Sequence[str]]

# IPv6 addresses that embed an IPv4 one, which a gateway may map to a private one.
_TRANSLATED = tuple(
    ipaddress.IPv6Network(text) for text in ("::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
)


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Parse networks such as 127.0.0.1 or 10.0.0.0/8; ValueError for an invalid one."""
    networks = []
    for text in texts:
        try:
            networks.append(ipaddress.ip_network(text))
        except ValueError:
            raise ValueError(f"{text!r} is not a network address such as 127.0.0.1 or 10.0.0.0/8") from None
    return tuple(networks)


def why_refused(address: str, allowed: Iterable[Network] = ()) -> str | None:
    """Why an address is refused, or None."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if any(parsed.version == network.version and parsed in network for network in allowed):
        return None
    return _why(parsed)


def _why(address: IPAddress) -> str | None:
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return "a link-local address"
        if address.ipv4_mapped is not None:
            return "an IPv4-mapped address"
        if address == ipaddress.IPv6Address("::1"):
            return "a loopback address"
        if any(address in network for network in _TRANSLATED) and not address.is_unspecified:
            return "an address that embeds an IPv4 address"
        if address.is_site_local:
            return "a private address"
    for kind in ("unspecified", "loopback", "link_local", "multicast", "private", "reserved"):
        if getattr(address, f"is_{kind}"):
            return f"{'an' if kind == 'unspecified' else 'a'} {kind.replace('_', '-')} address"
    return None if address.is_global else "not an address of the public internet"


def resolve(host: str, port: int) -> list[str]:
    """The system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def look_up(host: str, port: int, lookup: Resolve, timeout_seconds: float) -> Sequence[str]:
    """The addresses of a host, within a timeout; OSError, such as TimeoutError, if there are none."""
    # The system's resolver has no timeout, so it runs in a thread that may be abandoned.
    answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(lookup(host, port))
        except OSError as problem:
            answers.put(problem)
        except UnicodeError:
            answers.put(OSError("not a host name"))

    threading.Thread(target=ask, name="anamorph-lookup", daemon=True).start()
    try:
        found = answers.get(timeout=max(0.0, timeout_seconds))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(found, OSError):
        raise found
    return found
