from __future__ import annotations

from typing import Any

import pytest

from anamorph.errors import Refused, SystemDown, UsageError
from anamorph.model import Query, Term
from anamorph.searchers.google import GoogleSearcher
from anamorph.searchers.serpapi import SerpApiSearcher
from tests.searchers.servers import Handler, pages, serving

KEY = "5e1f0c7a99b2"
PAIR = Query((Term("cake", "food"), Term("bicycle", "vehicle")))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)


def searcher(address: str, **settings: Any) -> SerpApiSearcher:
    return SerpApiSearcher(address=address, rate_per_second=100, retries=0, **settings)


def item(number: int) -> dict[str, Any]:
    """The shape that the documentation of the service gives a result of an image search."""
    return {
        "position": number,
        "title": f"Cake &amp; bicycle {number}",
        "source": "Pages",
        "link": f"https://pages.example/{number}",
        "original": f"https://images.example/{number}.jpg",
        "original_width": 800,
        "original_height": 600,
        "thumbnail": "https://thumbs.example/x",
        "is_product": False,
    }


def page(first: int, count: int) -> dict[str, Any]:
    return {"search_metadata": {"status": "Success"}, "images_results": [item(first + i) for i in range(count)]}


def test_it_asks_with_googles_keywords() -> None:
    ours, googles = SerpApiSearcher(), GoogleSearcher()
    assert (ours.keyword, ours.simple) == (googles.keyword, googles.simple)


def test_pages_are_followed_until_there_is_enough() -> None:
    with serving(pages(page(1, 3), page(4, 3))) as server:
        finds = list(searcher(server.url).search(PAIR, 5))
    assert [find.address for find in finds] == [f"https://images.example/{n}.jpg" for n in range(1, 6)]
    assert [request.parameters["ijn"] for request in server.requests] == ["0", "1"]
    asked = server.requests[0].parameters
    assert (asked["engine"], asked["tbs"], asked["safe"]) == ("google_images", "itp:photo", "active")
    assert asked["api_key"] == KEY and asked["q"].startswith("a food cake AND a vehicle bicycle")
    first = finds[0]
    assert first.captions == ("Cake & bicycle 1",) and first.page == "https://pages.example/1"
    assert (first.width, first.height, first.author) == (800, 600, "Pages")


def test_paging_ends_with_an_empty_page_and_after_ten() -> None:
    nothing = {"error": "Google hasn't returned any results for this query."}
    with serving(pages(page(1, 2), nothing)) as server:
        assert len(list(searcher(server.url).search(PAIR, 50))) == 2
        assert len(server.requests) == 2
    with serving(pages(page(1, 1))) as server:
        assert len(list(searcher(server.url).search(PAIR, 50))) == 10


def test_an_error_inside_a_reply_is_shown_without_the_key() -> None:
    with (
        serving(pages({"error": f"Unsupported `engine` for {KEY}."})) as server,
        pytest.raises(Refused, match="answered with the error: Unsupported") as caught,
    ):
        list(searcher(server.url).search(PAIR, 5))
    assert KEY not in str(caught.value)


def test_a_service_that_answers_like_it_has_names_of_its_own() -> None:
    reply = {"images": [{"title": "a cake", "imageUrl": "https://images.example/1.png", "link": "https://p.example"}]}
    own = {"results_key": "images", "picture_key": "imageUrl", "key_parameter": "apiKey", "page_parameter": "page"}
    with serving(pages(reply, {})) as server:
        (find,) = searcher(server.url, restrict="", engine="bing_images", **own).search(PAIR, 5)
    assert find.address == "https://images.example/1.png"
    asked = server.requests[0].parameters
    assert asked["apiKey"] == KEY and asked["page"] == "0" and "tbs" not in asked


def test_results_without_a_picture_are_passed_over_and_other_shapes_do_no_harm() -> None:
    reply = {"images_results": [{"title": "x"}, "nonsense", {**item(1), "title": 7, "original_width": "wide"}]}
    with serving(pages(reply, {})) as server:
        (find,) = searcher(server.url).search(PAIR, 10)
    assert find.captions == () and find.width is None


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERPAPI_API_KEY")
    with serving(pages(page(1, 1))) as server:
        with pytest.raises(UsageError, match="needs the environment variable SERPAPI_API_KEY, which is not set"):
            list(searcher(server.url).search(PAIR, 1))
        assert not server.requests


def test_a_key_in_place_of_a_variables_name_is_refused_and_not_quoted() -> None:
    with pytest.raises(ValueError, match="key_variable must be the name of an environment variable") as caught:
        SerpApiSearcher(key_variable="5e1f-0c7a")
    assert "5e1f-0c7a" not in str(caught.value)


def test_a_rejected_key_stops_the_collection_and_stays_hidden() -> None:
    def behave(request: Handler) -> None:
        request.reply({"error": f"Invalid API key {KEY}"}, 401)

    with serving(behave) as server, pytest.raises(SystemDown, match="401 Unauthorized") as caught:
        list(searcher(server.url).search(PAIR, 1))
    assert KEY not in str(caught.value) and KEY not in repr(searcher(server.url))
