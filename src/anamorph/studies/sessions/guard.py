"""Who may talk to the app: one browser, which was given a token that works once.

A page on another origin can make the person's browser send requests here. It cannot know the token, the secret folder
of the addresses or the cookie; its requests carry a foreign Origin or Sec-Fetch-Site; and by a name that it has pointed
at 127.0.0.1 it comes with a foreign Host. Each of these alone is refused.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

COOKIE = "anamorph-session"
MOST_BODY_BYTES = 64 * 1024

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would send the Origin "null" with forms of our own.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(slots=True)
class Guard:
    """The secrets of one session, and the checks of requests."""

    port: int
    # Cookies are shared by all ports of a host. Within a secret path, no other server gets it.
    folder: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    _token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32))
    _cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def root(self) -> str:
        """Where all addresses of the app begin."""
        return f"/{self.folder}/"

    @property
    def address(self) -> str:
        """The address that lets one browser in, once."""
        return f"http://127.0.0.1:{self.port}{self.root}?token={self._token}"

    @property
    def cookie_header(self) -> str:
        return f"{COOKIE}={self._cookie}; Path={self.root}; HttpOnly; SameSite=Strict"

    def problem(self, method: str, headers: Mapping[str, str], *, entering: bool = False) -> str | None:
        """Why a request is refused whoever sends it; None for one that may come from our own page.

        One that is `entering` may come from the file that leads here; it needs the token.
        """
        if headers.get("host") not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return "The request names another host."
        origin = headers.get("origin")
        if origin not in (None, f"http://{headers['host']}"):
            return "The request comes from another origin."
        if method != "GET" and origin is None:
            return "The request does not say where it comes from."
        if not entering and headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "The request comes from another site."
        return None

    def knows(self, cookies: Mapping[str, str]) -> bool:
        """Whether this is the browser that was let in."""
        return _same(cookies.get(COOKIE, ""), self._cookie)

    def admits(self, token: str) -> bool:
        """Whether a token is right; it works once."""
        if self._token is None or not _same(token, self._token):
            return False
        self._token = None
        return True


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
