"""HTTP exchanges through libcurl: the only file that uses pycurl and translates its errors.

libcurl only calls back functions written in C, such as `list.append`. Python's signal handlers would run inside a
callback written in Python, and pycurl prints and swallows their exceptions: Ctrl-C would be lost. For the same reason
we wait between the steps ourselves, where Ctrl-C is noticed at once.
"""

from __future__ import annotations

import io
import os
import re
import select
import socket
import ssl
import sys
import time
import zlib
from collections.abc import Callable, Generator, Mapping
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, urlsplit, urlunsplit

import pycurl

from anamorph.http.messages import Reply, Request
from anamorph.http.proxies import Proxy, origin_of

# The limit of status lines and headers.
HEAD_LIMIT_BYTES = 1 << 18
HEAD_LIMIT_LINES = 1000
_BUFFER_BYTES = 1 << 18
_PIECE_BYTES = 1 << 16
# The pause if libcurl has no socket for `select`.
_NAP_SECONDS = 0.005
# Characters allowed verbatim in a request target; the rest is percent-encoded.
_AS_IT_IS = "%/?:@!$&'()*+,;=-._~"

# Codes without names in pycurl.
_E_WEIRD_SERVER_REPLY, _E_PROXY, _E_TOO_LARGE = 8, 97, 100

# Why a call got no reply: `short` is a truncated reply, `broken` a connection lost.
Kind: TypeAlias = Literal[
    "timeout", "certificate", "proxy", "connect", "broken", "short", "not-http", "too-long", "address", "refused"
]


class TransferError(Exception):
    """A failed exchange: the kind of failure, and a reason that fits into a sentence."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Handle:
    """A libcurl handle with its connections; it serves one call at a time.

    `refusal` is asked about every address before a socket is opened; it returns the reason to refuse one, or None.
    """

    def __init__(
        self,
        proxy: Proxy | None = None,
        refusal: Callable[[str], str | None] | None = None,
        connect_seconds: float | None = None,
    ) -> None:
        self._proxy = proxy
        self._lines: list[bytes] = []
        self._head_bytes = 0
        self._pieces: list[bytes] = []
        self._method = ""
        self._url: str | None = None
        self._headers: Mapping[str, str] | None = None
        self._curl = _new_curl(proxy)
        self._curl.setopt(pycurl.HEADERFUNCTION, self._take_line)
        self._curl.setopt(pycurl.WRITEFUNCTION, self._pieces.append)
        self._refused: list[str] = []
        self._opened: list[socket.socket] = []
        if refusal is not None:
            # In Python, unlike the others, since only this callback can refuse an address; it takes microseconds.
            self._curl.setopt(pycurl.OPENSOCKETFUNCTION, _opener(refusal, self._refused, self._opened))
        if connect_seconds is not None:
            self._curl.setopt(pycurl.CONNECTTIMEOUT_MS, round(connect_seconds * 1000))
        self._multi = _new_multi()
        # The socket of the last exchange's open connection, or -1.
        self._socket = -1

    def exchange(self, request: Request, deadline: float, most_bytes: int) -> Reply:
        """The reply to a request, decompressed; raises TransferError."""
        self._begin(request, None)
        size = seen = 0
        try:
            while True:
                running = self._proceed()
                size += sum(map(len, self._pieces[seen:]))
                seen = len(self._pieces)
                if size > most_bytes:
                    raise TransferError("too-long", "its content is too long")
                if not running:
                    break
                self._wait(deadline)
            content = b"".join(self._pieces)
            status, headers = self._head()
            self._socket = self._curl.getinfo(pycurl.ACTIVESOCKET)
        finally:
            self._end()
        if status < 200:
            raise TransferError("not-http", "it wants to switch protocols")
        encoding = headers.get("content-encoding", "").strip().lower()
        if encoding in ("gzip", "x-gzip", "deflate"):
            content = _inflated(content, encoding, most_bytes)
        return Reply(status, headers, content)

    def stream(
        self, request: Request, *, deadline: float = float("inf"), silence_seconds: float, address: str | None = None
    ) -> Generator[Reply | bytes, None, None]:
        """The status and headers of a reply, as one without content, then its content in chunks.

        It times out at the deadline, or after `silence_seconds` without data. `address` is the one to connect to,
        whatever the URL's host.
        """
        self._begin(request, address)
        given = False
        seen = 0
        quiet_until = time.monotonic() + silence_seconds
        try:
            while True:
                running = self._proceed()
                came = len(self._lines) + len(self._pieces) > seen
                if not given and (self._pieces or not running or self._head_is_complete()):
                    given = True
                    yield Reply(*self._head(), b"")
                yield from self._pieces
                self._pieces.clear()
                seen = len(self._lines)
                if not running:
                    return
                if came:
                    # From now on: time that the reader took does not count.
                    quiet_until = time.monotonic() + silence_seconds
                self._wait(min(deadline, quiet_until))
        finally:
            self._end()

    def close(self) -> None:
        self._multi.close()
        self._curl.close()

    # --- one exchange, step by step -----------------------------------------------------------------------------

    def _begin(self, request: Request, address: str | None) -> None:
        curl = self._curl
        # Options unchanged since the last call are already set.
        if request.url != self._url:
            self._set_url(request.url)
        if request.headers != self._headers:
            curl.setopt(pycurl.HTTPHEADER, _header_lines(request.headers))
            self._headers = dict(request.headers)
        if request.method != self._method:
            self._set_method(request.method)
        if request.method != "GET":
            # With a read function but no rewind: otherwise libcurl would resend the content over another connection
            # if the first breaks, and every call may cost money.
            curl.setopt(pycurl.READFUNCTION, io.BytesIO(request.content).read)
            curl.setopt(pycurl.POSTFIELDSIZE_LARGE, len(request.content))
        if address is not None:
            shown = f"[{address}]" if ":" in address else address
            curl.setopt(pycurl.CONNECT_TO, [f"::{shown}:{self._origin.port}"])
        if self._socket >= 0 and _readable(self._socket):
            # Closed by the server. libcurl would notice only after sending some content.
            self._multi.close()
            self._multi = _new_multi()
        self._socket = -1
        self._lines.clear()
        self._head_bytes = 0
        self._pieces.clear()
        self._refused.clear()
        self._multi.add_handle(curl)

    def _set_url(self, url: str) -> None:
        self._url = None
        try:
            self._origin = origin_of(url)
            parts = urlsplit(url)
            path, query = quote(parts.path or "/", safe=_AS_IT_IS), quote(parts.query, safe=_AS_IT_IS)
            # Without a login, which is a header.
            sent = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, query, "")).encode("ascii")
        except ValueError:
            raise TransferError("address", "it is not an address of http or https") from None
        self._curl.setopt(pycurl.URL, sent)
        self._url = url

    def _set_method(self, method: str) -> None:
        if method == "GET":
            self._curl.setopt(pycurl.HTTPGET, 1)
            self._curl.unsetopt(pycurl.CUSTOMREQUEST)
        else:
            self._curl.setopt(pycurl.POST, 1)
            self._curl.setopt(pycurl.CUSTOMREQUEST, method)
        self._method = method

    def _proceed(self) -> bool:
        """Let libcurl work without blocking; False when the exchange is over."""
        _, running = self._multi.perform()
        if self._head_bytes > HEAD_LIMIT_BYTES or len(self._lines) > HEAD_LIMIT_LINES:
            raise TransferError("too-long", "its headers are too long")
        if not running:
            _, _, failed = self._multi.info_read()
            for _, code, message in failed:
                raise self._named(code, message)
        return bool(running)

    def _take_line(self, line: bytes) -> int | None:
        """Keep a header line; beyond the limit libcurl stops at once."""
        self._head_bytes += len(line)
        self._lines.append(line)
        return -1 if self._head_bytes > HEAD_LIMIT_BYTES or len(self._lines) > HEAD_LIMIT_LINES else None

    def _wait(self, deadline: float) -> None:
        """Wait until libcurl has something to do."""
        now = time.monotonic()
        if now >= deadline:
            raise TransferError("timeout", "time is up")
        due = self._multi.timeout()
        seconds = min(deadline - now, 60.0 if due < 0 else due / 1000)
        if seconds > 0 and self._multi.select(seconds) == 0 and time.monotonic() - now < seconds / 2:
            time.sleep(min(seconds, _NAP_SECONDS))

    def _end(self) -> None:
        while self._opened:
            self._opened.pop().close()
        self._multi.remove_handle(self._curl)
        if self._method != "GET":
            # Releases the content.
            self._curl.unsetopt(pycurl.READFUNCTION)

    # --- the reply ----------------------------------------------------------------------------------------------

    def _head_is_complete(self) -> bool:
        ended = bool(self._lines) and not self._lines[-1].strip()
        return ended and int(self._curl.getinfo(pycurl.RESPONSE_CODE)) >= 200

    def _head(self) -> tuple[int, dict[str, str]]:
        """The status and headers of the last reply, after a proxy's and interim ones."""
        headers: dict[str, str] = {}
        for line in self._lines:
            if line.startswith(b"HTTP/"):
                headers.clear()
                continue
            name, colon, value = line.decode("latin-1").partition(":")
            if colon:
                key, text = name.strip().lower(), value.strip()
                headers[key] = f"{headers[key]}, {text}" if key in headers else text
        return self._curl.getinfo(pycurl.RESPONSE_CODE), headers

    # --- errors -------------------------------------------------------------------------------------------------

    def _named(self, code: int, message: str) -> TransferError:
        """libcurl's error in our own words: its message may quote the address with its secrets."""
        if self._refused:
            return TransferError("refused", self._refused[0])
        if code == pycurl.E_PEER_FAILED_VERIFICATION:
            return TransferError("certificate", _why_untrusted(message, self._origin.host))
        if code in (pycurl.E_URL_MALFORMAT, pycurl.E_BAD_FUNCTION_ARGUMENT):
            return TransferError("address", "it cannot be called")
        if code == _E_TOO_LARGE:
            return TransferError("too-long", "its headers are too long")
        if code == pycurl.E_OPERATION_TIMEDOUT:
            return TransferError("timeout", "time is up")
        reason = self._reason(code)
        if self._proxy is not None and self._on_the_way(code):
            status = self._curl.getinfo(pycurl.HTTP_CONNECTCODE)
            return TransferError("proxy", f"it answered with status {status}" if status >= 300 else reason)
        return TransferError(_KINDS.get(code, "broken"), reason)

    def _on_the_way(self, code: int) -> bool:
        """Whether the proxy failed: before the connection, or the tunnel if one is needed."""
        if code in (pycurl.E_COULDNT_RESOLVE_PROXY, pycurl.E_COULDNT_CONNECT, _E_PROXY):
            return True
        if self._origin.scheme == "https":
            return not 200 <= self._curl.getinfo(pycurl.HTTP_CONNECTCODE) < 300
        return bool(code == pycurl.E_SSL_CONNECT_ERROR)

    def _reason(self, code: int) -> str:
        if code in _REASONS:
            return _REASONS[code]
        number = self._curl.getinfo(pycurl.OS_ERRNO)
        if number:
            return os.strerror(number)
        return f"libcurl's error {code}"


_KINDS: Mapping[int, Kind] = {
    pycurl.E_COULDNT_RESOLVE_HOST: "connect",
    pycurl.E_COULDNT_CONNECT: "connect",
    pycurl.E_GOT_NOTHING: "not-http",
    pycurl.E_UNSUPPORTED_PROTOCOL: "not-http",
    _E_WEIRD_SERVER_REPLY: "not-http",
    pycurl.E_PARTIAL_FILE: "short",
}
_REASONS = {
    pycurl.E_COULDNT_RESOLVE_HOST: "Name or service not known",
    pycurl.E_COULDNT_RESOLVE_PROXY: "Name or service not known",
    pycurl.E_GOT_NOTHING: "it ended early",
    pycurl.E_PARTIAL_FILE: "it ended early",
    pycurl.E_UNSUPPORTED_PROTOCOL: "it is not HTTP",
    _E_WEIRD_SERVER_REPLY: "it is not HTTP",
    pycurl.E_SSL_CONNECT_ERROR: "the TLS handshake failed",
    pycurl.E_SSL_CACERT_BADFILE: "the file of trusted certificates cannot be read",
    # A kept-alive connection that broke before the reply began.
    pycurl.E_SEND_FAIL_REWIND: "Connection reset by peer",
}


def _why_untrusted(message: str, host: str | None) -> str:
    """OpenSSL's message, from libcurl's."""
    if "subject name" in message:
        return f"Hostname mismatch, certificate is not valid for {host!r}"
    return re.sub(r"^.*?(?:problem|result): *|\s*\(\d+\)$", "", message) or "it could not be verified"


# --- setting up -----------------------------------------------------------------------------------------------------


def _new_curl(proxy: Proxy | None) -> Any:
    curl = pycurl.Curl()
    options = {
        pycurl.NOSIGNAL: 1,
        pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
        pycurl.NETRC: pycurl.NETRC_IGNORED,
        pycurl.FOLLOWLOCATION: 0,
        pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
        pycurl.HTTP09_ALLOWED: 0,
        pycurl.PATH_AS_IS: 1,
        pycurl.SSLVERSION: pycurl.SSLVERSION_TLSv1_2,
        pycurl.UPLOAD_BUFFERSIZE: _BUFFER_BYTES,
        pycurl.BUFFERSIZE: _BUFFER_BYTES,
        # We choose the proxy; libcurl would read the environment differently.
        pycurl.PROXY: "" if proxy is None else proxy.url,
        pycurl.NOPROXY: "",
        # Our user agent is a request header; a proxy need not see it.
        pycurl.USERAGENT: "",
        pycurl.HEADEROPT: pycurl.HEADER_SEPARATE,
        pycurl.PROXYHEADER: ["Proxy-Connection:", *([proxy.login] if proxy is not None and proxy.login else [])],
    }
    for option, value in options.items():
        curl.setopt(option, value)
    _trust(curl)
    return curl


def _new_multi() -> Any:
    """The connection cache of one handle: one connection, whose socket we can look at before it is used again."""
    multi = pycurl.CurlMulti()
    multi.setopt(pycurl.M_MAXCONNECTS, 1)
    return multi


def _trust(curl: Any) -> None:
    """Trust the same certificates as Python's TLS: SSL_CERT_FILE, SSL_CERT_DIR, or else the system's."""
    paths = ssl.get_default_verify_paths()
    if sys.platform == "win32" and not paths.cafile:
        for option in (pycurl.SSL_OPTIONS, pycurl.PROXY_SSL_OPTIONS):
            curl.setopt(option, pycurl.SSLOPT_NATIVE_CA)
        return
    for path, options in (
        (paths.cafile, (pycurl.CAINFO, pycurl.PROXY_CAINFO)),
        (paths.capath, (pycurl.CAPATH, pycurl.PROXY_CAPATH)),
    ):
        for option in options:
            if path:
                curl.setopt(option, path)
            else:
                curl.unsetopt(option)


def _opener(
    refusal: Callable[[str], str | None], refused: list[str], opened: list[socket.socket]
) -> Callable[[int, Any], Any]:
    def open_socket(purpose: int, found: Any) -> Any:
        family, kind, protocol, address = found
        reason = refusal(str(address[0]))
        if reason is not None:
            refused.append(reason)
            return pycurl.SOCKET_BAD
        # pycurl duplicates it; this one is closed afterwards.
        opened.append(socket.socket(family, kind, protocol))
        return opened[-1]

    return open_socket


def _header_lines(headers: Mapping[str, str]) -> list[str]:
    """The headers as libcurl takes them; TransferError if one would break its line."""
    headers = {"accept-encoding": "identity", **headers}
    # In libcurl, "Name;" is a header without a value, and "Name:" removes the header.
    lines = [f"{name}: {value}" if value else f"{name};" for name, value in headers.items()]
    # `Expect` would delay a large body.
    lines.append("expect:")
    if "content-type" not in headers:
        lines.append("content-type:")
    joined = "".join(lines)
    if not joined.isprintable() or not joined.isascii():
        raise TransferError("address", "a header is not printable ASCII on one line")
    return lines


def _readable(number: int) -> bool:
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([number], [], [], 0)[0])


def _inflated(content: bytes, encoding: str, most_bytes: int) -> bytes:
    """A body that came compressed without a request for that."""
    # 32: with a header of gzip or of zlib; -15: without one, as some servers understand "deflate".
    for window in (32 + zlib.MAX_WBITS, *((-zlib.MAX_WBITS,) if encoding == "deflate" else ())):
        try:
            # Measured first: only a chunk of an overlong body is ever in memory.
            if _inflated_bytes(content, window, most_bytes) > most_bytes:
                raise TransferError("too-long", "its content is too long")
            return zlib.decompressobj(window).decompress(content)
        except zlib.error:
            continue
    raise TransferError("not-http", f"its body is not {encoding}")


def _inflated_bytes(content: bytes, window: int, most_bytes: int) -> int:
    """The decompressed length of a body; reading stops once it exceeds `most_bytes`."""
    inflater, size, rest = zlib.decompressobj(window), 0, content
    while size <= most_bytes:
        piece = inflater.decompress(rest, _PIECE_BYTES)
        size += len(piece)
        rest = inflater.unconsumed_tail
        if not rest and len(piece) < _PIECE_BYTES:
            break
    return size
