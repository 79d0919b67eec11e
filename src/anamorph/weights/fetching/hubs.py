"""Files that hubs publish, over https only."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from anamorph.errors import FetchError
from anamorph.weights.fetching.landing import CHUNK

CONNECT_SECONDS, READ_SECONDS = 10.0, 60.0
_REDIRECTS = 5


@contextmanager
def hub_chunks(url: str, size: int) -> Iterator[Iterator[bytes]]:
    """What an address serves, in pieces; FetchError where it cannot be had."""
    urllib3: Any = importlib.import_module("urllib3")
    timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
    with _pool(urllib3, url, timeout) as pool:
        try:
            answer = _followed(pool, url)
            try:
                _check(answer, size)
                yield _translated(urllib3, answer, url)
            finally:
                answer.close()
        except urllib3.exceptions.HTTPError as problem:
            raise FetchError(_reason(problem)) from problem


def _pool(urllib3: Any, url: str, timeout: Any) -> Any:
    proxy = _proxy_for(url)
    if proxy is None:
        return urllib3.PoolManager(timeout=timeout, retries=False)
    return urllib3.ProxyManager(proxy, timeout=timeout, retries=False)


def _proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address, as other programs understand it."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


def _followed(pool: Any, url: str) -> Any:
    for _ in range(_REDIRECTS + 1):
        if urlsplit(url).scheme != "https":
            raise FetchError(f"{url} is not https")
        answer = pool.request(
            "GET", url, redirect=False, preload_content=False, headers={"Accept-Encoding": "identity"}
        )
        target = answer.get_redirect_location()
        if not target:
            return answer
        answer.close()
        url = urljoin(url, target)
    raise FetchError(f"it was redirected more than {_REDIRECTS} times")


def _check(answer: Any, size: int) -> None:
    if answer.status != 200:
        raise FetchError(f"it answered with HTTP status {answer.status}")
    length = answer.headers.get("Content-Length", "")
    if length.isdigit() and int(length) != size:
        raise FetchError(f"it has {int(length):,} bytes instead of {size:,}")


def _translated(urllib3: Any, answer: Any, url: str) -> Iterator[bytes]:
    try:
        yield from answer.stream(CHUNK, decode_content=False)
    except urllib3.exceptions.HTTPError as problem:
        raise FetchError(_reason(problem)) from problem


def _reason(problem: Exception) -> str:
    """The innermost cause, which says more than the layers around it."""
    inner: BaseException = problem
    while (cause := getattr(inner, "reason", None)) is not None and isinstance(cause, BaseException):
        inner = cause
    return f"it could not be reached ({type(inner).__name__}: {str(inner).split(': ', 1)[-1][:200]})"
