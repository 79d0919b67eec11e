"""Photos on a web server, through the project's own HTTP client."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import quote, urlsplit, urlunsplit

from anamorph import __version__
from anamorph.errors import BadPicture, Refused, UsageError
from anamorph.http.client import Client
from anamorph.http.messages import Reply, Request, error_of
from anamorph.http.templates import UrlTemplate, redactor_for
from anamorph.scenes.photo_folders.remote import TIMEOUT_SECONDS, NoSuchPhoto

_CONNECTIONS = 16
_GONE = (404, 410)
_PARTIAL = 206
_HINTS = {
    401: "It requires a login: write the address as https://user:${NAME}@host/folder.",
    403: "It does not allow this.",
    416: "The file is empty.",
}


@dataclass(frozen=True, slots=True)
class WebFiles:
    """The files below an http or https address, whose login and query may take secrets from the environment.

    Redirects to another host are not followed, so only the host that the user named is contacted.
    """

    url: UrlTemplate
    client: Client = field(repr=False, compare=False)

    @classmethod
    def at(cls, address: str) -> WebFiles:
        url = UrlTemplate(address)
        url.check()
        return cls(url, Client(url.filled({}), _CONNECTIONS))

    @property
    def place(self) -> str:
        return self.url.shown

    def called(self, name: str) -> str:
        return f"{self.place.rstrip('/')}/{name}"

    def fetch(self, name: str, most_bytes: int, first: int | None) -> bytes:
        redactor = redactor_for(self.url, {})
        parts = urlsplit(self.url.filled({}))
        # Everything but slashes is escaped, so that a name cannot be a query or another host.
        path = f"{parts.path.rstrip('/')}/{quote(name, safe='/')}"
        headers = {"user-agent": f"anamorph/{__version__}", "accept": "*/*"}
        if first is not None:
            headers["range"] = f"bytes=0-{first - 1}"
        login = self.url.login()
        if login is not None:
            headers["authorization"] = login
        url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
        try:
            reply = self.client.send(
                Request("GET", url, headers, b""), TIMEOUT_SECONDS, redactor, max(most_bytes, first or 0)
            )
        except Refused as problem:
            raise BadPicture(str(problem)) from None
        if reply.status in _GONE:
            raise NoSuchPhoto(f"{redactor.redact(self.called(name))} does not exist (status {reply.status}).")
        failed = error_of(reply, url, redactor, _HINTS)
        if isinstance(failed, Refused):
            raise BadPicture(str(failed))
        if failed is not None:
            raise failed
        if _whole_bytes(reply) > most_bytes:
            raise BadPicture(f"{redactor.redact(self.called(name))} has more bytes than the limit of {most_bytes:,}.")
        return reply.content

    def names(self, recursive: bool) -> NoReturn:
        raise UsageError(
            f"{self.place}: a web server does not list its files. Name them, one on each line, in a file on this "
            "machine: index=FILE."
        )


def _whole_bytes(reply: Reply) -> int:
    """The length of the whole file, if a partial reply states it."""
    total = reply.headers.get("content-range", "").rpartition("/")[2].strip()
    return int(total) if reply.status == _PARTIAL and re.fullmatch(r"[0-9]{1,18}", total) else len(reply.content)
