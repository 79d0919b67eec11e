from __future__ import annotations

from typing import Any

import pytest

from anamorph.errors import Refused, Transient
from anamorph.model import Query, Term
from anamorph.searchers.wikimedia import WikimediaSearcher
from tests.searchers.servers import Handler, pages, serving

DOG = Query((Term("dog", "animal"), Term("frisbee", "sports")))


def searcher(address: str, **settings: Any) -> WikimediaSearcher:
    return WikimediaSearcher("me@example.org", address=address, rate_per_second=100, **{"retries": 0, **settings})


def file_page(index: int, **changes: Any) -> dict[str, Any]:
    """The shape of a file with imageinfo and extmetadata, in format version 2."""
    facts = {
        "ImageDescription": {
            "value": '<div lang="en">A dog with a <b>frisbee</b></div>',
            "source": "commons-desc-page",
        },
        "LicenseShortName": {"value": "CC BY-SA 4.0", "source": "commons-desc-page", "hidden": ""},
        "LicenseUrl": {"value": "https://creativecommons.org/licenses/by-sa/4.0", "source": "commons-desc-page"},
        "Artist": {"value": '<a href="//commons.example/User:A">A. Author</a>', "source": "commons-desc-page"},
    }
    image = {
        "size": 2_000_000,
        "width": 4000,
        "height": 3000,
        "thumburl": f"https://upload.example/thumb/{index}.jpg",
        "thumbwidth": 1024,
        "thumbheight": 768,
        "url": f"https://upload.example/{index}.jpg",
        "descriptionurl": f"https://commons.example/wiki/File:Dog_{index}.jpg",
        "extmetadata": facts,
        **changes,
    }
    page = {"pageid": 1000 - index, "ns": 6, "title": f"File:Dog {index}.jpg", "index": index}
    return {**page, "imagerepository": "local", "imageinfo": [image]}


def reply(*indices: int, offset: int | None = None) -> dict[str, Any]:
    further = {} if offset is None else {"continue": {"gsroffset": offset, "continue": "gsroffset||"}}
    return {"batchcomplete": True, **further, "query": {"pages": [file_page(index) for index in indices]}}


def test_results_come_by_rank_without_markup() -> None:
    with serving(pages(reply(2, 1))) as server:
        first, second = searcher(server.url).search(DOG, 20)
    assert first.address == "https://upload.example/thumb/1.jpg" and second.address != first.address
    assert first.captions == ("A dog with a frisbee", "Dog 1")
    assert (first.licence, first.author, first.width) == ("CC BY-SA 4.0", "A. Author", 1024)
    assert first.page == "https://commons.example/wiki/File:Dog_1.jpg"
    asked = server.requests[0].parameters
    assert asked["gsrsearch"] == "intitle:dog intitle:frisbee filetype:bitmap" and asked["gsrnamespace"] == "6"
    assert "me@example.org" in server.requests[0].headers["user-agent"]


def test_pages_are_continued_and_never_go_back() -> None:
    with serving(pages(reply(1, offset=1), reply(2, offset=1))) as server:
        assert len(list(searcher(server.url).search(DOG, 20))) == 2
        assert [request.parameters.get("gsroffset") for request in server.requests] == [None, "1"]


def test_the_files_themselves_can_be_had() -> None:
    page = file_page(1, thumburl=None)
    with serving(pages({"query": {"pages": [page, {"title": "File:Gone.jpg"}]}})) as server:
        (find,) = searcher(server.url, width=0).search(DOG, 20)
    assert find.address == "https://upload.example/1.jpg" and find.width == 4000
    assert "iiurlwidth" not in server.requests[0].parameters


def test_a_search_that_finds_nothing_is_no_error() -> None:
    with serving(pages({"batchcomplete": True})) as server:
        assert list(searcher(server.url).search(DOG, 20)) == []


@pytest.mark.parametrize(("code", "kind"), [("ratelimited", Transient), ("maxlag", Transient), ("badvalue", Refused)])
def test_errors_within_a_good_status_are_seen(code: str, kind: type[Exception]) -> None:
    body = {"error": {"code": code, "info": "What is wrong"}}
    with serving(pages(body)) as server, pytest.raises(kind, match=f"'{code}': What is wrong"):
        list(searcher(server.url).search(DOG, 20))


def test_such_an_error_is_tried_again_after_the_pause_that_it_asks_for() -> None:
    def behave(request: Handler) -> None:
        if len(server.requests) == 1:
            request.reply({"error": {"code": "maxlag", "info": "Waiting"}}, retry_after="0")
        else:
            request.reply(reply(1))

    with serving(behave) as server:
        assert len(list(searcher(server.url, retries=1).search(DOG, 20))) == 1


def test_a_contact_is_required() -> None:
    with pytest.raises(ValueError, match="contact must be set: Wikimedia blocks callers that it cannot reach"):
        WikimediaSearcher()
