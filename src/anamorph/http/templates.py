"""URLs and headers in settings, which may take secrets from the environment as ${NAME}."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from anamorph.errors import UsageError
from anamorph.http.messages import bare
from anamorph.http.secrets import Redactor, check_variables, fill, names_a_secret, variables_in
from anamorph.model import digest_of_text

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OUR_HEADERS = frozenset(("content-length", "transfer-encoding", "host"))


@dataclass(frozen=True, slots=True, repr=False)
class UrlTemplate:
    """A URL; its user, password and query values may hold ${NAME}."""

    template: str

    def check(self) -> None:
        """UsageError if the URL is invalid, a variable is missing, or a secret is in plain text."""
        if not self.template.isprintable() or " " in self.template:
            raise UsageError("The url has a space or a control character.")
        try:
            parts = urlsplit(self.template)
            host, _ = parts.hostname, parts.port
        except ValueError as problem:
            raise UsageError("The url is not valid: its host or its port cannot be read.") from problem
        if parts.scheme not in ("http", "https") or not host:
            raise UsageError("The url must begin with http:// or https:// and name a host.")
        if not host.isascii() or parts.fragment:
            raise UsageError(f"The url {self.shown} needs a host in ASCII (xn--...) and no part after '#'.")
        if "${" in self.shown:
            raise UsageError(f"The url {self.shown} may take only its password and its query from the environment.")
        check_variables(self.template, f"The url {self.shown}")
        user = parts.netloc.rpartition("@")[0]
        if user and not variables_in(user):
            raise UsageError(f"The url {self.shown} holds a login in plain text. Write it as user:${{NAME}}@host.")
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            if names_a_secret(name) and value and not variables_in(value):
                raise UsageError(f"The url {self.shown} holds a secret in plain text. Write it as {name}=${{NAME}}.")

    @property
    def shown(self) -> str:
        """The URL without user, password and query."""
        return bare(self.template)

    def __repr__(self) -> str:
        return f"UrlTemplate({self.shown!r})"

    def filled(self, query: Mapping[str, str]) -> str:
        """The URL to call, without the login, with more query values."""
        parts = urlsplit(self.template)
        own = parts.query
        for name in variables_in(own):
            own = own.replace(f"${{{name}}}", quote(fill(f"${{{name}}}"), safe=""))
        whole = "&".join(part for part in (own, urlencode(query)) if part)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path or "/", whole, ""))

    def login(self) -> str | None:
        """The Authorization header of the user and password."""
        user, _, password = urlsplit(self.template).netloc.rpartition("@")[0].partition(":")
        if not user:
            return None
        text = f"{fill(unquote(user))}:{fill(unquote(password))}"
        return f"Basic {base64.b64encode(text.encode()).decode('ascii')}"

    def fingerprint(self) -> dict[str, Any]:
        """The identity of a URL; the values of the query only as digests."""
        query = parse_qsl(urlsplit(self.template).query, keep_blank_values=True)
        return {"url": self.shown, "query": [[name, digest_of_text(value)] for name, value in query]}


def check_headers(headers: Mapping[str, str]) -> None:
    """UsageError if a header is invalid, lacks its variable, or holds a secret in plain text."""
    seen: set[str] = set()
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise UsageError(f"{name!r} is not the name of a header.")
        if name.lower() in _OUR_HEADERS or name.lower() in seen:
            raise UsageError(f"The header {name!r} is set by Anamorph itself, or twice. Leave it out.")
        seen.add(name.lower())
        if not value.isascii() or not value.isprintable():
            raise UsageError(f"The header {name!r} must be printable ASCII on one line.")
        check_variables(value, f"The header {name!r}")
        if names_a_secret(name) and not variables_in(value):
            raise UsageError(f"The header {name!r} holds a secret in plain text. Write it as ${{NAME}}.")


def filled_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers to send, with lowercase names."""
    return {name.lower(): fill(value) for name, value in headers.items()}


def header_marks(headers: Mapping[str, str]) -> dict[str, str]:
    """The identity of a set of headers: the names, and digests of the values that are not secrets."""
    return {
        name.lower(): "" if names_a_secret(name) else digest_of_text(value) for name, value in sorted(headers.items())
    }


def redactor_for(url: UrlTemplate, headers: Mapping[str, str]) -> Redactor:
    """Redacts everything that a URL and headers take from the environment."""
    texts = [url.template, *headers.values()]
    secrets = [fill(f"${{{name}}}") for text in texts for name in variables_in(text)]
    secrets += [fill(value) for value in headers.values() if variables_in(value)]
    login = url.login()
    return Redactor(secrets + ([login, login.removeprefix("Basic ")] if login else []))
