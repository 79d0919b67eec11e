from __future__ import annotations

from typing import Any

import pytest

from anamorph.errors import Refused, Transient
from anamorph.model import Query, Term
from anamorph.searchers.openverse import OpenverseSearcher
from anamorph.searchers.web import search as web
from tests.searchers.servers import Handler, pages, serving

DOG = Query((Term("dog", "animal"),))


def searcher(address: str, **settings: Any) -> OpenverseSearcher:
    return OpenverseSearcher(address=address, rate_per_second=100, **{"retries": 0, **settings})


def answer(*urls: str) -> dict[str, Any]:
    return {"page_count": 1, "results": [{"url": url, "title": "dog"} for url in urls]}


def test_a_server_that_asks_for_a_pause_is_tried_again() -> None:
    def behave(request: Handler) -> None:
        if len(server.requests) <= 2:
            request.reply({"detail": "slow down"}, 429, retry_after="0")
        else:
            request.reply(answer("https://a.example/1.jpg"))

    with serving(behave) as server:
        assert len(list(searcher(server.url, retries=2).search(DOG, 5))) == 1
        assert len(server.requests) == 3


def test_without_a_stated_pause_the_waits_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with serving(lambda request: request.reply({}, 503)) as server, pytest.raises(Transient, match="503"):
        list(searcher(server.url, retries=3).search(DOG, 5))
    assert len(server.requests) == 4
    assert [wait for wait in waits if wait > 0.02] == sorted(wait for wait in waits if wait > 0.02)
    assert waits[-1] >= 1.0


def test_a_pause_of_hours_is_not_waited_for() -> None:
    behave = lambda request: request.reply({"detail": "come back tomorrow"}, 429, retry_after="40000")  # noqa: E731
    with serving(behave) as server, pytest.raises(Transient, match="come back tomorrow"):
        list(searcher(server.url, retries=4).search(DOG, 5))
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    with serving(pages(body)) as server, pytest.raises(Refused, match="did not answer with a JSON object"):
        list(searcher(server.url).search(DOG, 5))


def test_a_bad_request_is_refused_and_not_tried_again() -> None:
    with serving(lambda request: request.reply({"detail": "q is too long"}, 400)) as server:
        with pytest.raises(Refused, match="q is too long"):
            list(searcher(server.url, retries=4).search(DOG, 5))
        assert len(server.requests) == 1


def test_no_more_is_given_than_was_asked_for_and_pages_come_only_when_needed() -> None:
    with serving(pages({**answer(*(f"https://a.example/{n}.jpg" for n in range(20))), "page_count": 9})) as server:
        finds = searcher(server.url).search(DOG, 100)
        assert len([next(finds) for _ in range(20)]) == 20
        assert len(server.requests) == 1


def test_callers_say_who_they_are() -> None:
    with serving(pages(answer())) as server:
        list(searcher(server.url, contact="https://example.org/me").search(DOG, 1))
    agent = server.requests[0].headers["user-agent"]
    assert agent.startswith("anamorph/") and "https://example.org/me" in agent


@pytest.mark.parametrize("address", ["ftp://a/b", "https://a/b?key=1", "https://user:pw@a/b", "nonsense"])
def test_addresses_that_cannot_be_used_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="address must be http"):
        OpenverseSearcher(address=address)


@pytest.mark.parametrize("contact", ["me\r\nEvil: header", "ich@müller.example"])
def test_a_contact_cannot_smuggle_headers(contact: str) -> None:
    with pytest.raises(ValueError, match="contact must be printable ASCII"):
        OpenverseSearcher(contact)


def test_texts_of_strangers_become_one_plain_line() -> None:
    entry = {"a": "<p>A\n dog&nbsp;&lt;3</p>\x1b[31m", "b": "half \ud800 a letter", "c": 7, "d": "x" * 9_000}
    assert web.text_of(entry, "a") == "A dog <3 [31m"
    assert web.text_of(entry, "b") == "half a letter"
    assert web.text_of(entry, "c") == web.text_of(entry, "gone") == ""
    assert len(web.text_of(entry, "d")) == 4_000
