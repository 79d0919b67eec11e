"""Photos that are not on this machine: on a web server and in a bucket, both of the tests' own."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import fsspec

from tests.systems.servers import Handler, Server


class Site:
    """A web server that gives out the files of a folder, and keeps what was asked for."""

    def __init__(self, server: Server, root: Path, *, ranges: bool = True) -> None:
        self.root, self.ranges = root, ranges
        # Called before a file is given out; True if it has answered itself.
        self.trouble: Callable[[Handler], bool] = lambda handler: False
        self.server = server
        # The paths that were asked for, and what was said of the part that is wanted.
        self.asked: list[str] = []
        self.parts: list[str | None] = []
        server.behaviour = self._answer

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/photos"

    def _answer(self, handler: Handler) -> None:
        self.asked.append(handler.path)
        self.parts.append(handler.headers.get("range"))
        if self.trouble(handler):
            return
        file = self.root / unquote(handler.path.partition("?")[0]).removeprefix("/photos/")
        if not file.is_file():
            handler.reply(b"no such file", 404)
            return
        content = file.read_bytes()
        wanted = re.fullmatch(r"bytes=0-(\d+)", handler.headers.get("range", "")) if self.ranges else None
        if wanted is None:
            handler.reply(content)
        elif not content:
            handler.reply(b"", 416)
        else:
            part = content[: int(wanted[1]) + 1]
            handler.reply(part, 206, content_range=f"bytes 0-{len(part) - 1}/{len(content)}")


def bucket_of(root: Path) -> str:
    """The address of a bucket in memory with the files of a folder."""
    address = f"memory://{uuid.uuid4().hex}/photos"
    system = fsspec.filesystem("memory")
    for file in root.rglob("*"):
        if file.is_file():
            system.pipe_file(f"{address}/{file.relative_to(root).as_posix()}", file.read_bytes())
    return address
