"""Files of hubs, over https only."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from anamorph import __version__
from anamorph.errors import FetchError
from anamorph.http.messages import Reply, Request
from anamorph.http.proxies import BadProxy, proxy_for
from anamorph.weights.fetching.staging import CHUNK

if TYPE_CHECKING:
    from anamorph.http.transfers import TransferError

CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0
_REDIRECTS = 5
_REDIRECT_STATUSES = frozenset((301, 302, 303, 307, 308))


@contextmanager
def hub_chunks(url: str, size: int) -> Iterator[Iterator[bytes]]:
    """The content of an address, in chunks; FetchError if it cannot be fetched."""
    with closing(_chunks(url, size)) as chunks:
        yield chunks


def _chunks(url: str, size: int) -> Generator[bytes, None, None]:
    for _ in range(_REDIRECTS + 1):
        if urlsplit(url).scheme != "https":
            raise FetchError(f"{url} is not https")
        target = yield from _chunks_or_redirect(url, size)
        if target is None:
            return
        url = urljoin(url, target)
    raise FetchError(f"it was redirected more than {_REDIRECTS} times")


def _chunks_or_redirect(url: str, size: int) -> Generator[bytes, None, str | None]:
    """The content in chunks, or the target of a redirect as the return value."""
    from anamorph.http.transfers import Handle, TransferError

    try:
        handle = Handle(proxy_for(url), connect_seconds=CONNECT_SECONDS)
    except BadProxy as problem:
        raise FetchError(str(problem)) from None
    waiting: list[bytes] = []
    try:
        request = Request("GET", url, {"user-agent": f"anamorph/{__version__}"}, b"")
        with closing(handle), closing(handle.stream(request, silence_seconds=READ_SECONDS)) as parts:
            for part in parts:
                if isinstance(part, Reply):
                    if part.status in _REDIRECT_STATUSES and part.headers.get("location"):
                        return part.headers["location"]
                    _check(part, size)
                    continue
                waiting.append(part)
                if sum(map(len, waiting)) >= CHUNK:
                    yield b"".join(waiting)
                    waiting.clear()
    except TransferError as problem:
        raise FetchError(f"it could not be reached ({_reason(problem)})") from None
    yield b"".join(waiting)
    return None


def _check(reply: Reply, size: int) -> None:
    if reply.status != 200:
        raise FetchError(f"it answered with HTTP status {reply.status}")
    length = reply.headers.get("content-length", "")
    if length.isdigit() and int(length) != size:
        raise FetchError(f"it has {int(length):,} bytes instead of {size:,}")


def _reason(problem: TransferError) -> str:
    if problem.kind == "timeout":
        return f"no data for {READ_SECONDS:g} s"
    return f"the proxy: {problem.reason}" if problem.kind == "proxy" else problem.reason
