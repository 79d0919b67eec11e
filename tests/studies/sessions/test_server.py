"""The app of a session: who gets in, what is refused, and how items and answers work whatever they are about."""

from __future__ import annotations

import queue
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import BadRecord, UsageError
from anamorph.studies.sessions.browser import opened_in_browser
from anamorph.studies.sessions.guard import Guard
from anamorph.studies.sessions.server import App, bound_socket, opened_app
from tests.studies.sessions.requests import Browser

EVIL = "</script><script>evil()</script><img src=x onerror=evil()>\"'{{ 7*7 }}\u202e"


@dataclass
class Colors:
    """A session of its own kind: people choose a color for each of three names."""

    file: Path
    names: tuple[str, ...] = ("sky", "grass", EVIL)
    chosen: dict[int, str] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    title: str = EVIL
    reviewer: str = EVIL
    noun: tuple[str, str] = ("color", "colors")
    templates: tuple[str, str] = ("tests.studies.sessions", "templates")
    template: str = "color.html"
    closed: bool = False

    def __len__(self) -> int:
        return len(self.names)

    def item(self, position: int) -> Mapping[str, Any]:
        return {"name": self.names[position]}

    def facets(self, position: int) -> Mapping[str, str]:
        return {"long": "yes" if len(self.names[position]) > 3 else "no"}

    def fields(self, position: int) -> Mapping[str, str]:
        return {"color": self.chosen.get(position, "")}

    def is_done(self, position: int) -> bool:
        return position in self.chosen

    def answer(self, position: int, changes: Mapping[str, str]) -> None:
        if changes.get("color") == "full":
            raise UsageError("the disk is full")
        if changes.get("color") not in ("red", "blue"):
            raise BadRecord("color", "expected red or blue")
        self.chosen[position] = changes["color"]
        self.order.append(position)

    def undo(self) -> int | None:
        if not self.order:
            return None
        position = self.order.pop()
        del self.chosen[position]
        return position

    def picture(self, name: str) -> Path | None:
        return self.file if name == "it.png" else None

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    file = tmp_path / "it.png"
    file.write_bytes(b"pixels")
    with opened_app(lambda: Colors(file), 4321) as made:
        yield made
    assert isinstance(made.session, Colors)
    assert made.session.closed


@pytest.fixture
def browser(app: App) -> Browser:
    return Browser.let_in(app)


ADDRESSES = ("", "items/1", "finish", "pictures/it.png", "assets/session.js")


def test_the_token_works_once_and_is_not_left_in_the_address(app: App) -> None:
    stranger = Browser(app, app.asgi())
    address = app.guard.address
    first = stranger.get(address)
    assert (first.status, first.headers["location"]) == (303, app.guard.root)
    cookie = first.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", f"Path={app.guard.root}"))
    assert stranger.get(address).status == 403
    assert "token=None" in app.guard.address
    known = Browser(app, app.asgi(), {"cookie": cookie.partition(";")[0]})
    assert known.get(address).status == 303


@pytest.mark.parametrize("address", ADDRESSES)
def test_without_the_cookie_nothing_can_be_read(app: App, browser: Browser, address: str) -> None:
    assert browser.get(address).status in (200, 303)
    for headers in ({}, {"cookie": "anamorph-session="}, {"cookie": "anamorph-session=None"}):
        reply = Browser(app, app.asgi(), headers).get(address)
        assert reply.status == 403
        assert "sky" not in reply.text
    assert Browser(app, app.asgi()).get(f"{address}?token=wrong").status == 403


def test_the_file_that_leads_to_the_app_keeps_the_token_off_the_command_line(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    with opened_in_browser(app.guard.address) as page:
        assert opened.get(timeout=60) == page.as_uri() and app.guard.address.partition("=")[2] not in page.as_uri()
        assert app.guard.address in page.read_text() and page.stat().st_mode & 0o077 == 0
    assert not page.exists()


def test_a_browser_comes_in_from_a_file_and_only_with_the_token(app: App) -> None:
    stranger = Browser(app, app.asgi(), {"sec-fetch-site": "cross-site"})
    assert stranger.get(f"{app.guard.root}?token=wrong").status == 403
    entered = stranger.get(app.guard.address)
    # A redirect would be of another site as well, and the cookie would stay behind.
    assert entered.status == 200 and f"0;url={app.guard.root}" in entered.text and "set-cookie" in entered.headers
    cookie = {"cookie": entered.headers["set-cookie"].partition(";")[0]}
    foreign = Browser(app, app.asgi(), {**cookie, "sec-fetch-site": "cross-site"})
    assert foreign.get("items/1").status == 403 and foreign.get("?token=again").status == 403
    assert Browser(app, app.asgi(), {**cookie, "sec-fetch-site": "same-origin"}).get("items/1").status == 200


def test_a_wrong_token_does_not_use_up_the_right_one(app: App) -> None:
    stranger = Browser(app, app.asgi())
    for token in ("", "wrong", "\u00e9", "None"):
        assert stranger.get(f"{app.guard.root}?token={token}").status == 403
    assert stranger.get(app.guard.address).status == 303


FOREIGN = [
    {"host": "evil.example:4321"},
    {"host": "evil.example"},
    {"host": "127.0.0.1:80"},
    {"host": "127.0.0.1"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:9999"},
    {"origin": "https://127.0.0.1:4321"},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_origin_can_neither_read_nor_answer(browser: Browser, headers: dict[str, str]) -> None:
    for address in ADDRESSES:
        reply = browser.get(address, **headers)
        assert (reply.status, "sky" in reply.text) == (403, False)
    assert browser.post("items/1", {"color": "red"}, **headers).status == 403
    assert browser.post("undo", {}, **headers).status == 403
    assert isinstance(browser.app.session, Colors)
    assert not browser.app.session.chosen


def test_an_answer_that_does_not_say_where_it_comes_from_is_refused(browser: Browser) -> None:
    assert browser.post("items/1", {"color": "red"}, origin="").status == 403
    assert browser.post("items/1", {"color": "red"}).status == 200


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (["red"], {}, 422),
        ({"color": 1}, {}, 422),
        ({"color": "x" * 70_000}, {}, 413),
        ({"color": "red"}, {"content_type": "text/plain"}, 415),
        ({"color": "red"}, {"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"color": "green"}, {}, 422),
        ({"color": "full"}, {}, 409),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_with_a_reason(
    browser: Browser, content: Any, headers: dict[str, str], status: int
) -> None:
    reply = browser.post("items/1", content, **headers)
    assert reply.status == status
    assert reply.json["problem"]
    broken = {"origin": browser.origin, "content-type": "application/json"}
    assert browser.send("POST", "items/1", b"{", broken).status == 422


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_reply_has_the_headers_that_keep_others_out(browser: Browser, address: str) -> None:
    for reply in (browser.get(address), browser.get(address, host="evil.example"), browser.get("nowhere")):
        headers = reply.headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_hostile_texts_are_escaped(browser: Browser) -> None:
    page = browser.get("items/3").text
    assert "<script>evil" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=evil()&gt;" in page
    assert "\u202e" not in page
    assert "{{ 7*7 }}" in page
    assert "<script>evil" not in browser.get("finish").text


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fetc%2fpasswd",
        "../it.png",
        "%2e%2e/it.png",
        "other.png",
        "it.png%00.jpg",
        "..",
        "",
        "it.png/../it.png",
    ],
)
def test_only_pictures_of_the_session_and_own_files_are_served(browser: Browser, name: str) -> None:
    assert browser.get("pictures/it.png").body == b"pixels"
    for folder in ("pictures", "assets"):
        reply = browser.get(f"{folder}/{name}")
        assert reply.status in (303, 404, 405)
        assert b"root:" not in reply.body
        assert b"pixels" not in reply.body


def test_items_follow_each_other_and_answers_count(browser: Browser) -> None:
    assert browser.get("").headers["location"].endswith("/items/1")
    reply = browser.post("items/1", {"color": "red"})
    state = {"number": 1, "fields": {"color": "red"}, "complete": True, "done": 1, "total": 3}
    assert reply.json == {**state, "to_do": reply.json["to_do"]} and reply.json["to_do"].endswith("/items/2")
    assert browser.get("").headers["location"].endswith("/items/2")
    page = browser.get("items/2").text
    assert "1 of 3 done" in page
    assert _links(page) == ["items/1", "items/3", "items/3"]
    browser.post("items/2", {"color": "blue"})
    browser.post("items/3", {"color": "blue"})
    assert browser.get("").headers["location"].endswith("/finish")
    assert "All done" in browser.get("finish").text
    assert browser.post("undo", {}).json["number"] == 3
    finish = browser.get("finish").text
    assert "2 of 3 colors are done" in finish
    assert "Go on with the others" in finish


def test_there_is_nothing_beyond_the_last_item(browser: Browser) -> None:
    for number in (0, 4, 10**30, "1" * 5000, "-1", "1_0", "\u0661", "one"):
        assert browser.get(f"items/{number}").status == 404
        assert browser.post(f"items/{number}", {"color": "red"}).status == 404
    assert browser.post("undo", {}).json == {"problem": "There is nothing left to undo."}


def test_a_filter_goes_along_and_an_unknown_one_is_ignored(browser: Browser) -> None:
    page = browser.get("items/2?long=yes&evil=%22%3E%3Cscript%3E").text
    assert _links(page) == ["items/3?long=yes", "items/3?long=yes"]
    assert "2 match" in page
    browser.post("items/3", {"color": "red"})
    assert _links(browser.get("items/1?show=to-do").text) == ["items/2?show=to-do", "items/2?show=to-do"]


def test_a_session_without_items_says_so(tmp_path: Path) -> None:
    with opened_app(lambda: Colors(tmp_path, ()), 4321) as app:
        browser = Browser.let_in(app)
        assert browser.get("").headers["location"].endswith("/finish")
        assert "There is nothing to do" in browser.get("finish").text


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="--port"):
        bound_socket(taken.getsockname()[1])


def test_secrets_differ_from_session_to_session() -> None:
    one, other = Guard(1), Guard(1)
    assert one.address != other.address
    assert one.root != other.root
    assert one.cookie_header != other.cookie_header


def _links(page: str) -> list[str]:
    """Where previous, next and the next one to do lead."""
    found = [part.partition('"')[0] for part in page.split('href="')[1:]]
    return [link.partition("/items/")[2].join(["items/", ""]) for link in found if "/items/" in link]
