"""The app: pages of items, answers, pictures and the app's own files, on 127.0.0.1."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar
from urllib.parse import urlencode

import uvicorn
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamorph.errors import AnamorphError, BadRecord, UsageError
from anamorph.model.visible import visible
from anamorph.studies.sessions.guard import HEADERS, MOST_BODY_BYTES, Guard
from anamorph.studies.sessions.session import Session

T = TypeVar("T")

HOST = "127.0.0.1"
# The filter by what is done, beside the session's own facets.
TO_DO = "show"
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}
_TYPES |= {".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp"}


@dataclass(slots=True)
class App:
    """One session and one browser."""

    guard: Guard
    session: Session
    worker: ThreadPoolExecutor
    environment: Environment

    def asgi(self) -> ASGIApp:
        routes = [
            Route("/", self.enter),
            Route("/items/{number}", self.item, methods=["GET"]),
            Route("/items/{number}", self.answer, methods=["POST"]),
            Route("/finish", self.finish),
            Route("/undo", self.undo, methods=["POST"]),
            Route("/pictures/{name}", self.picture),
            Route("/assets/{name}", self.asset),
        ]
        handlers: dict[Any, Any] = {_Refused: _failed, AnamorphError: _failed}
        return _Gate(self, Starlette(routes=routes, exception_handlers=handlers))

    def progress(self) -> tuple[int, int]:
        """How many items are done, and how many there are."""
        return self.worker.submit(lambda: (self._done(), len(self.session))).result()

    async def enter(self, request: Request) -> Response:
        """The first item that is not done."""
        first = await self._in_thread(lambda: next(iter(self._shown({TO_DO: "to-do"})), None))
        return RedirectResponse(self._address(first, {}), 303)

    async def item(self, request: Request) -> Response:
        filters = dict(request.query_params)
        position = _position(request)
        return await self._in_thread(lambda: self._item_page(position, filters))

    async def answer(self, request: Request) -> Response:
        changes, filters = await _changes(request), dict(request.query_params)
        position = _position(request)

        def act() -> Mapping[str, Any]:
            self._check(position)
            self.session.answer(position, changes)
            known = self._known(filters)
            return {**self._state(position), "to_do": self._to_do(position, self._shown(known), known)}

        return JSONResponse(await self._in_thread(act))

    async def undo(self, request: Request) -> Response:
        def act() -> Mapping[str, Any]:
            position = self.session.undo()
            if position is None:
                raise UsageError("There is nothing left to undo.")
            return self._state(position)

        return JSONResponse(await self._in_thread(act))

    async def finish(self, request: Request) -> Response:
        return await self._in_thread(
            lambda: self._page("finish.html", done=self._done(), first=1 if len(self.session) else None)
        )

    async def picture(self, request: Request) -> Response:
        def find() -> Response:
            path = self.session.picture(request.path_params["name"])
            if path is None or path.suffix.lower() not in _TYPES:
                return _refusal(404, "There is no such picture.")
            return Response(path.read_bytes(), media_type=_TYPES[path.suffix.lower()])

        return await self._in_thread(find)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        for place in (__package__, "anamorph.report", self.session.templates[0]):
            folder = resources.files(place) / "assets"
            for found in folder.iterdir() if folder.is_dir() else ():
                if found.name == name:
                    return Response(found.read_bytes(), media_type=_TYPES["." + name.rpartition(".")[2]])
        return _refusal(404, "There is no such file.")

    # --- what happens in the session's thread -----------------------------------------------------------------------

    async def _in_thread(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.worker, act)

    def _check(self, position: int) -> None:
        if not 0 <= position < len(self.session):
            raise _Refused(404, f"There is no {self.session.noun[0]} {position + 1}; there are {len(self.session)}.")

    def _done(self) -> int:
        return sum(map(self.session.is_done, range(len(self.session))))

    def _state(self, position: int) -> dict[str, Any]:
        return {
            "number": position + 1,
            "fields": {name: value for name, value in self.session.fields(position).items() if value},
            "complete": self.session.is_done(position),
            "done": self._done(),
            "total": len(self.session),
        }

    def _shown(self, filters: Mapping[str, str]) -> list[int]:
        """The items that pass the filters."""
        session = self.session
        wanted = {name: value for name, value in filters.items() if value and name != TO_DO}
        found = []
        for position in range(len(session)):
            if filters.get(TO_DO) in ("done", "to-do") and session.is_done(position) != (filters[TO_DO] == "done"):
                continue
            if wanted and any(session.facets(position).get(name) != value for name, value in wanted.items()):
                continue
            found.append(position)
        return found

    def _item_page(self, position: int, filters: Mapping[str, str]) -> Response:
        self._check(position)
        session = self.session
        known = self._known(filters)
        shown = self._shown(known)
        after = [other for other in shown if other > position]
        before = [other for other in shown if other < position]
        return self._page(
            session.template,
            item=session.item(position),
            state=self._state(position),
            position=position,
            filters=known,
            options=self._options(),
            matching=len(shown),
            previous=self._address(before[-1], known) if before else None,
            next=self._address(after[0], known) if after else None,
            to_do=self._to_do(position, shown, known),
        )

    def _known(self, filters: Mapping[str, str]) -> dict[str, str]:
        options = self._options()
        return {name: value for name, value in filters.items() if name == TO_DO or name in options}

    def _to_do(self, position: int, shown: Sequence[int], filters: Mapping[str, str]) -> str:
        """The address of the next item to do, around the end to the beginning; of the last page if all are done."""
        onward = [other for other in shown if other > position] + [other for other in shown if other < position]
        return self._address(next((other for other in onward if not self.session.is_done(other)), None), filters)

    def _options(self) -> dict[str, list[str]]:
        """The values of each facet that there is a choice of."""
        values: dict[str, dict[str, None]] = {}
        for position in range(len(self.session)):
            for name, value in self.session.facets(position).items():
                values.setdefault(name, {})[value] = None
        return {name: sorted(found) for name, found in values.items() if len(found) > 1}

    def _address(self, position: int | None, filters: Mapping[str, str]) -> str:
        if position is None:
            return f"{self.guard.root}finish"
        query = urlencode({name: value for name, value in filters.items() if value})
        return f"{self.guard.root}items/{position + 1}" + (f"?{query}" if query else "")

    def _page(self, template: str, **content: Any) -> Response:
        page = self.environment.get_template(template)
        return HTMLResponse(page.render(session=self.session, root=self.guard.root, total=len(self.session), **content))


@dataclass(frozen=True, slots=True)
class _Gate:
    """Refuses what does not come from the one browser, and gives every reply its headers."""

    app: App
    inner: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower().encode() for name in HEADERS}
                kept = [pair for pair in message["headers"] if pair[0].lower() not in names]
                message["headers"] = kept + [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            await send(message)

        reply = self._reply(Request(scope))
        if reply is None:
            # The app's own addresses are below the folder.
            scope = {**scope, "path": "/" + scope["path"].removeprefix(self.app.guard.root), "root_path": ""}
            await self.inner(scope, receive, send_guarded)
        else:
            await reply(scope, receive, send_guarded)

    def _reply(self, request: Request) -> Response | None:
        """The reply to a request that does not reach the app."""
        guard = self.app.guard
        path, token = request.scope["path"], request.query_params.get("token", "")
        entering = path == guard.root and request.method == "GET" and bool(token)
        problem = guard.problem(request.method, request.headers, entering=entering)
        if problem is not None:
            return _refusal(403, problem)
        if not path.startswith(guard.root):
            return _refusal(404, "There is nothing here. Use the address that the command printed.")
        # Without the token, so that it is not left in the address bar.
        if entering and guard.admits(token):
            return _entered(guard, request.headers.get("sec-fetch-site", "none"))
        if guard.knows(request.cookies) and guard.problem(request.method, request.headers) is None:
            return None
        return _refusal(403, "This address was used before, or is not complete. Start the command again for a new one.")


def _entered(guard: Guard, site: str) -> Response:
    """Give the browser its cookie and lead it on; one that comes from a file brings it only after a page of our own."""
    headers = {"Set-Cookie": guard.cookie_header}
    if site in ("none", "same-origin"):
        return RedirectResponse(guard.root, 303, headers)
    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={guard.root}"><title>Anamorph</title>\n'
    return HTMLResponse(page, headers=headers)


def _refusal(status: int, reason: str) -> Response:
    return Response(f"{reason}\n", status, media_type="text/plain")


def _position(request: Request) -> int:
    """The place of the item that an address names."""
    text = request.path_params["number"]
    if not _NUMBER.fullmatch(text):
        raise _Refused(404, "There is nothing here. Items have numbers from 1.")
    return int(text) - 1


async def _changes(request: Request) -> Mapping[str, str]:
    """The fields of an answer; BadRecord for anything else."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY_BYTES:
            raise _Refused(413, f"An answer is at most {MOST_BODY_BYTES // 1024} KB long.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise _Refused(415, "An answer is sent as application/json.")
    try:
        plain = json.loads(body)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or not all(isinstance(value, str) for value in plain.values()):
        raise _Refused(422, "An answer is a JSON object of texts.")
    return plain


class _Refused(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def _failed(request: Request, problem: _Refused | AnamorphError) -> Response:
    """A request for what is not there, an answer that makes no sense, a file that cannot be written, a damaged run."""
    if isinstance(problem, _Refused):
        status, reason = problem.status, problem.reason
    else:
        status, reason = 422 if isinstance(problem, BadRecord) else 409, visible(str(problem))
    return JSONResponse({"problem": reason}, status) if request.method == "POST" else _refusal(status, reason)


# --- starting it ----------------------------------------------------------------------------------------------------


@contextmanager
def opened_app(make: Callable[[], Session], port: int) -> Iterator[App]:
    """The app of a session, which is made in the thread that it will be used in."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="session") as worker:
        session = worker.submit(make).result()
        try:
            yield App(Guard(port), session, worker, _environment(session))
        finally:
            worker.submit(session.close).result()


def bound_socket(port: int | None) -> socket.socket:
    """A socket on 127.0.0.1 at a port, or at any free one; UsageError if the port is taken."""
    try:
        return socket.create_server((HOST, port or 0))
    except OSError as problem:
        reason = problem.strerror or problem
        raise UsageError(f"--port {port}: cannot be used ({reason}). Leave it out to take a free one.") from problem


def serve(app: App, listening: socket.socket, report: Callable[[str], None]) -> None:
    """Serve until the process is asked to stop; errors of our own are passed to `report`."""
    config = uvicorn.Config(
        _Reporting(app.asgi(), report),
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


@dataclass(frozen=True, slots=True)
class _Reporting:
    """Re-raises an unexpected error once the browser has its error page."""

    inner: ASGIApp
    report: Callable[[str], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.inner(scope, receive, send)
        except Exception as problem:  # noqa: BLE001  a page that fails must not end the session
            self.report(f"A page failed: {type(problem).__name__}: {problem}")


def _environment(session: Session) -> Environment:
    package, folder = session.templates
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, folder), PackageLoader(__package__, "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Every text that enters a page is made visible first.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    return environment
