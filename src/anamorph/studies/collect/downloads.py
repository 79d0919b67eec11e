"""Photos from addresses that strangers wrote down: everything is limited, and nothing is believed but the bytes."""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from anamorph import __version__
from anamorph.concurrency.pacing import Limiter
from anamorph.http.addresses import Resolve, look_up, parse_networks, resolve, why_refused
from anamorph.http.messages import Reply, Request
from anamorph.model import setting

if TYPE_CHECKING:
    from anamorph.http.transfers import Handle, TransferError

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_LONGEST_ADDRESS = 4096
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


class Broken(ValueError):
    """A photo that could not be fetched or cannot be used: a short `reason` to count by, and a detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """Limits of a download: size, time and addresses."""

    most_megabytes: int = setting(20, "Give up on a file with more megabytes.", least=1, most=1000)
    most_megapixels: int = setting(50, "Refuse a picture with more megapixels before it is decoded.", least=1, most=500)
    least_pixels: int = setting(64, "Refuse a picture with a side shorter than this.", least=1)
    redirects: int = setting(3, "Follow at most this many redirects.", least=0, most=20)
    timeout_seconds: float = setting(60.0, "Give a file up after this long in all.", least=0.01, most=1e6)
    read_timeout_seconds: float = setting(
        15.0, "Give a file up when nothing comes for this long.", least=0.01, most=1e6
    )
    rate_per_second: float = setting(2.0, "At most this many files a second.", least=0.001, most=1000)
    contact: str = setting("", "An e-mail address or a page of yours, sent along to the servers.")
    allow: tuple[str, ...] = setting(
        (), "Networks that may be reached although they are not public, such as 127.0.0.1 or 10.0.0.0/8."
    )

    def __post_init__(self) -> None:
        parse_networks(self.allow)
        if not self.contact.isascii() or not self.contact.isprintable():
            raise ValueError("contact must be printable ASCII on one line")


class Downloader:
    """Fetches files over http and https, directly: a proxy would resolve names without our check of the address."""

    def __init__(self, settings: DownloadSettings, lookup: Resolve = resolve) -> None:
        self._settings, self._lookup = settings, lookup
        self._refusal = functools.partial(why_refused, allowed=parse_networks(settings.allow))
        self._limiter = Limiter(settings.rate_per_second)

    def fetch(self, address: str) -> bytes:
        """The bytes at an address; Broken says why there are none."""
        from anamorph.http.transfers import Handle

        self._limiter.wait()
        deadline = time.monotonic() + self._settings.timeout_seconds
        handle: Handle | None = None
        try:
            for _ in range(self._settings.redirects + 1):
                target = _Target.of(address)
                addresses = self._addresses(target, deadline)
                handle = handle or Handle(refusal=self._refusal)
                found = self._fetch_from(handle, target, addresses, deadline)
                if isinstance(found, bytes):
                    return found
                further = _Target.of(_joined(target.url, found))
                if target.secure and not further.secure:
                    raise Broken("redirect refused", "from https to http")
                address = further.url
        finally:
            if handle is not None:
                handle.close()
        raise Broken("too many redirects", f"more than {self._settings.redirects}")

    def _addresses(self, target: _Target, deadline: float) -> list[str]:
        """The addresses of a host that may be reached; its name is looked up once, here and nowhere else.

        An answer that changes between a check and a connection (DNS rebinding) has no chance.
        """
        try:
            left = min(deadline - time.monotonic(), self._settings.read_timeout_seconds)
            found = look_up(target.host, target.port, self._lookup, left)
        except TimeoutError:
            raise Broken("timed out") from None
        except OSError as problem:
            raise Broken("no connection", f"{target.host} cannot be looked up") from problem
        reasons = {address: self._refusal(address) for address in found}
        reachable = [address for address, reason in reasons.items() if reason is None]
        if not reachable:
            refused = [f"{address} is {reason}" for address, reason in reasons.items()]
            raise Broken("address refused", refused[-1] if refused else f"{target.host} has no address")
        return reachable

    def _fetch_from(self, handle: Handle, target: _Target, addresses: Iterable[str], deadline: float) -> bytes | str:
        """The content, or where a redirect leads, from the first address that can be connected to."""
        from anamorph.http.transfers import TransferError

        failed: Broken | None = None
        for address in addresses:
            try:
                return self._fetch_once(handle, target, address, deadline)
            except TransferError as problem:
                failed = _translated(problem)
                if problem.kind != "connect":
                    break
        assert failed is not None
        raise failed

    def _fetch_once(self, handle: Handle, target: _Target, address: str, deadline: float) -> bytes | str:
        who = f"; {self._settings.contact}" if self._settings.contact else ""
        agent = f"anamorph/{__version__} (image collector{who})"
        headers = {"user-agent": agent, "accept": "image/*", "accept-encoding": "identity"}
        request = Request("GET", target.url, headers, b"")
        content = bytearray()
        most = self._settings.most_megabytes * 1_000_000
        parts = handle.stream(
            request, deadline=deadline, silence_seconds=self._settings.read_timeout_seconds, address=address
        )
        with contextlib.closing(parts):
            for part in parts:
                if isinstance(part, Reply):
                    if part.status in _REDIRECTS:
                        if location := part.headers.get("location"):
                            return location
                        raise Broken("bad status", "a redirect that does not say where to")
                    self._check_head(part, most)
                    continue
                content += part
                if len(content) > most:
                    raise Broken("too many bytes", f"more than {self._settings.most_megabytes} MB")
        return bytes(content)

    def _check_head(self, reply: Reply, most: int) -> None:
        if reply.status != 200:
            raise Broken("bad status", str(reply.status))
        coding = reply.headers.get("content-encoding", "identity").strip().lower()
        if coding != "identity":
            # It was not asked for, and what it unpacks to could be anything.
            raise Broken("compressed", coding[:40])
        stated = reply.headers.get("content-length", "")
        if stated.isascii() and stated.isdecimal() and (len(stated) > 15 or int(stated) > most):
            raise Broken("too many bytes", f"more than {self._settings.most_megabytes} MB")


@dataclass(frozen=True, slots=True)
class _Target:
    """An address that may be tried."""

    url: str
    host: str
    port: int
    secure: bool

    @classmethod
    def of(cls, address: str) -> _Target:
        if len(address) > _LONGEST_ADDRESS:
            raise Broken("bad address", "too long")
        try:
            parts = urlsplit(address.strip())
            host, port = (parts.hostname or ""), parts.port
            ascii_host = host.encode("ascii" if ":" in host else "idna").decode() if host else ""
        except (ValueError, UnicodeError) as problem:
            raise Broken("bad address", "it cannot be read") from problem
        if parts.scheme not in ("http", "https"):
            raise Broken("bad address", "neither http nor https")
        if not ascii_host or _UNSAFE.search(ascii_host) or "@" in parts.netloc:
            raise Broken("bad address", "no host, or a login in it")
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
        number = port if port is not None else 443 if parts.scheme == "https" else 80
        netloc = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
        url = urlunsplit((parts.scheme, netloc if port is None else f"{netloc}:{port}", path, query, ""))
        return cls(url, ascii_host, number, parts.scheme == "https")


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as problem:
        raise Broken("bad address", "a redirect to what cannot be read") from problem


def _translated(problem: TransferError) -> Broken:
    match problem.kind:
        case "timeout" | "short":
            return Broken("timed out" if problem.kind == "timeout" else "cut short")
        case "refused":
            return Broken("address refused", problem.reason)
        case "not-http" | "too-long" | "address":
            return Broken("bad reply", problem.reason)
    trust = "the certificate is not trusted: " if problem.kind == "certificate" else ""
    return Broken("no connection", f"{trust}{problem.reason}")
