"""Requests to an app in this process, as a browser would send them; no port is opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message

from anamorph.studies.sessions.server import App


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Browser:
    """Keeps the cookie, and says where its requests come from."""

    app: App
    asgi: ASGIApp
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def let_in(cls, app: App) -> Browser:
        """A browser that has used the token."""
        browser = cls(app, app.asgi())
        browser.headers["cookie"] = browser.get(app.guard.address).headers["set-cookie"].partition(";")[0]
        return browser

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.app.guard.port}"

    def get(self, address: str, **headers: str) -> Reply:
        return self.send("GET", address, b"", headers)

    def post(self, address: str, content: Any, **headers: str) -> Reply:
        usual = {"origin": self.origin, "content_type": "application/json"}
        return self.send("POST", address, json.dumps(content).encode(), {**usual, **headers})

    def send(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send a request to an address below the app's folder, or to a whole one; a header "" is left out."""
        if not address.startswith(("/", "http")):
            address = self.app.guard.root + address
        parts = urlsplit(address)
        usual = {"host": f"127.0.0.1:{self.app.guard.port}", **self.headers, **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in usual.items() if value],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", self.app.guard.port),
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        async def ask() -> None:
            await self.asgi(scope, receive, send)

        asyncio.run(ask())
        start = next(message for message in sent if message["type"] == "http.response.start")
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], found, b"".join(message.get("body", b"") for message in sent))
