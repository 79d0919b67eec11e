"""Connections that are checked at the address that is really connected to, and whose every read has a bound."""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

# Host and port to the addresses that the host has; replaced in tests.
Resolve: TypeAlias = Callable[[str, int], Sequence[str]]


class Broken(ValueError):
    """A picture that could not be had: a short `reason` to count by, and a detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail = reason, detail


def resolve(host: str, port: int) -> list[str]:
    """What the system's resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def connect(
    host: str, port: int, refusal: Callable[[str], str | None], lookup: Resolve, left: Callable[[], float]
) -> socket.socket:
    """A connection to the first address of a host that may be reached and answers.

    The name is looked up once, and the socket goes to the address that was checked: an answer that changes between
    a check and a connection (DNS rebinding) has no chance.
    """
    problem: OSError | None = None
    refused: str | None = None
    for address in _looked_up(host, port, lookup, left()):
        why = refusal(address)
        if why is not None:
            refused = f"{address} is {why}"
            continue
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.settimeout(left())
            opened.connect((address, port))
            why = refusal(str(opened.getpeername()[0]))
            if why is not None:
                raise Broken("address refused", why)
            return opened
        except OSError as failed:
            opened.close()
            problem = failed
        except BaseException:
            opened.close()
            raise
    if problem is not None:
        raise problem
    raise Broken("address refused", refused or f"{host} has no address")


def _looked_up(host: str, port: int, lookup: Resolve, timeout_seconds: float) -> Sequence[str]:
    # The system's resolver takes no time-out of ours, so it works in a thread that may be left behind.
    answers: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(lookup(host, port))
        except (OSError, UnicodeError) as problem:
            answers.put(problem)

    threading.Thread(target=ask, name="anamorph-lookup", daemon=True).start()
    try:
        found = answers.get(timeout=timeout_seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(found, Exception):
        raise Broken("no connection", f"{host} cannot be looked up") from found
    return found


def secure(
    opened: socket.socket, tls_host: str | None, context: ssl.SSLContext, left: Callable[[], float]
) -> BoundedSocket:
    """The connection with TLS if `tls_host` names who must be at the other end, and with every read bounded."""
    if tls_host is not None:
        try:
            # A handshake as a whole keeps to the time-out of its socket.
            opened.settimeout(left())
            opened = context.wrap_socket(opened, server_hostname=tls_host)
        except BaseException:
            opened.close()
            raise
    return BoundedSocket(opened, left)


class BoundedSocket:
    """A socket as `http.client` needs it; `left` gives the seconds that the next step may take, or TimeoutError.

    A time-out of a socket begins anew with every byte, so a server that drips could hold a reader for ever.
    """

    def __init__(self, opened: socket.socket, left: Callable[[], float]) -> None:
        self._opened, self._left = opened, left

    def sendall(self, content: Any) -> None:
        self._opened.settimeout(self._left())
        self._opened.sendall(content)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self._opened, self._left))

    def close(self) -> None:
        """Nothing yet: `http.client` lets go of the socket before the reply is read."""

    def end(self) -> None:
        """Close the connection."""
        self._opened.close()


class _BoundedReader(io.RawIOBase):
    """Reads with a fresh bound each time."""

    def __init__(self, opened: socket.socket, left: Callable[[], float]) -> None:
        super().__init__()
        self._opened, self._left = opened, left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._opened.settimeout(self._left())
        return self._opened.recv_into(buffer)
