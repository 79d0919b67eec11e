"""Pictures from addresses that strangers wrote down: everything is limited, and nothing is believed but the bytes."""

from __future__ import annotations

import http.client
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from anamorph import __version__
from anamorph.concurrency.pacing import Limiter
from anamorph.http.addresses import Network, parse_networks, why_refused
from anamorph.http.guarded import BoundedSocket, Broken, Resolve, connect, resolve, secure
from anamorph.model import setting

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_CHUNK_BYTES = 1 << 16
_LONGEST_ADDRESS = 4096
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """What a download may cost, and where it may go."""

    most_megabytes: int = setting(20, "Give up on a file with more megabytes.", least=1, most=1000)
    most_megapixels: int = setting(50, "Refuse a picture with more megapixels before it is decoded.", least=1, most=500)
    least_pixels: int = setting(64, "Refuse a picture with a side shorter than this.", least=1)
    redirects: int = setting(3, "Follow so many redirects at the most.", least=0, most=20)
    timeout_seconds: float = setting(60.0, "Give a file up after this long in all.", least=0.01)
    read_timeout_seconds: float = setting(15.0, "Give a file up when nothing comes for this long.", least=0.01)
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
    """Fetches files over http and https, directly: a proxy would look names up where nobody checks the address."""

    def __init__(
        self,
        settings: DownloadSettings,
        lookup: Resolve = resolve,
        context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._lookup, self._clock = settings, lookup, clock
        self._context = context or ssl.create_default_context()
        self._allowed: tuple[Network, ...] = parse_networks(settings.allow)
        self._limiter = Limiter(settings.rate_per_second)

    def fetch(self, address: str) -> bytes:
        """The bytes at an address; Broken says why there are none."""
        self._limiter.wait()
        deadline = self._clock() + self._settings.timeout_seconds
        for _ in range(self._settings.redirects + 1):
            target = _Target.of(address)
            found = self._fetch_once(target, deadline)
            if isinstance(found, bytes):
                return found
            further = _Target.of(_joined(target.url, found))
            if target.secure and not further.secure:
                raise Broken("redirect refused", "from https to http")
            address = further.url
        raise Broken("too many redirects", f"more than {self._settings.redirects}")

    def _fetch_once(self, target: _Target, deadline: float) -> bytes | str:
        """The content, or where a redirect leads."""
        bounded: BoundedSocket | None = None
        left = self._bound(deadline)
        try:
            opened = connect(target.host, target.port, self._refusal, self._lookup, left)
            bounded = secure(opened, target.host if target.secure else None, self._context, left)
            connection = http.client.HTTPConnection(target.host, target.port)
            connection.sock = bounded
            connection.request("GET", target.path, headers=self._headers())
            with connection.getresponse() as response:
                if response.status in _REDIRECTS:
                    return response.headers.get("location") or _no_location()
                if response.status != 200:
                    raise Broken("bad status", str(response.status))
                return self._read(response)
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise _translated(problem) from problem
        finally:
            if bounded is not None:
                bounded.end()

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        most = self._settings.most_megabytes * 1_000_000
        coding = (response.headers.get("content-encoding") or "identity").strip().lower()
        if coding != "identity":
            # It was not asked for, and what it unpacks to could be anything.
            raise Broken("compressed", coding[:40])
        stated = response.headers.get("content-length", "")
        if stated.isascii() and stated.isdecimal() and (len(stated) > 15 or int(stated) > most):
            raise Broken("too many bytes", f"more than {self._settings.most_megabytes} MB")
        content = bytearray()
        while chunk := response.read(_CHUNK_BYTES):
            content += chunk
            if len(content) > most:
                raise Broken("too many bytes", f"more than {self._settings.most_megabytes} MB")
        if response.length:
            raise Broken("cut short", f"{response.length} bytes are missing")
        return bytes(content)

    def _headers(self) -> dict[str, str]:
        who = f"; {self._settings.contact}" if self._settings.contact else ""
        agent = f"anamorph/{__version__} (image collector{who})"
        return {"User-Agent": agent, "Accept": "image/*", "Accept-Encoding": "identity", "Connection": "close"}

    def _refusal(self, address: str) -> str | None:
        return why_refused(address, self._allowed)

    def _bound(self, deadline: float) -> Callable[[], float]:
        def left() -> float:
            seconds = deadline - self._clock()
            if seconds <= 0:
                raise TimeoutError
            return min(seconds, self._settings.read_timeout_seconds)

        return left


@dataclass(frozen=True, slots=True)
class _Target:
    """An address that may be tried."""

    url: str
    host: str
    port: int
    path: str
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
        port = port if port is not None else 443 if parts.scheme == "https" else 80
        whole = f"{path}?{query}" if query else path
        url = urlunsplit((parts.scheme, parts.netloc, path, query, ""))
        return cls(url, ascii_host, port, whole, parts.scheme == "https")


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError as problem:
        raise Broken("bad address", "a redirect to what cannot be read") from problem


def _no_location() -> str:
    raise Broken("bad status", "a redirect that does not say where to")


def _translated(problem: Exception) -> Broken:
    if isinstance(problem, Broken):
        return problem
    if isinstance(problem, TimeoutError):
        return Broken("timed out", "")
    if isinstance(problem, ssl.SSLCertVerificationError):
        return Broken("no connection", f"the certificate is not trusted: {problem.verify_message}")
    if isinstance(problem, http.client.IncompleteRead):
        return Broken("cut short", "")
    if isinstance(problem, http.client.HTTPException | ValueError):
        return Broken("bad reply", type(problem).__name__)
    return Broken("no connection", getattr(problem, "strerror", None) or type(problem).__name__)
