from __future__ import annotations

from typing import Any

import pytest

from anamorph.errors import SystemDown, UsageError
from anamorph.model import Query, Term
from anamorph.searchers.google import GoogleSearcher
from tests.searchers.servers import Handler, pages, serving

KEY = "AIza-5d1f0c7a99"
PAIR = Query((Term("cake", "food"), Term("bicycle", "vehicle")))


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_ENGINE_ID", "0123:abc")


def searcher(address: str, **settings: Any) -> GoogleSearcher:
    return GoogleSearcher(address=address, rate_per_second=100, retries=0, **settings)


def item(number: int) -> dict[str, Any]:
    """The shape that the reference of cse.list gives a result of an image search."""
    return {
        "kind": "customsearch#result",
        "title": f"Cake &amp; bicycle {number}",
        "link": f"https://images.example/{number}.jpg",
        "displayLink": "images.example",
        "snippet": "A <b>cake</b> beside a bicycle",
        "mime": "image/jpeg",
        "image": {
            "contextLink": f"https://pages.example/{number}",
            "height": 600,
            "width": 800,
            "byteSize": 90_000,
            "thumbnailLink": "https://thumbs.example/x",
        },
    }


def page(first: int, count: int, following: int | None) -> dict[str, Any]:
    queries: dict[str, Any] = {"request": [{"startIndex": first, "count": count}]}
    if following is not None:
        queries["nextPage"] = [{"startIndex": following, "count": 10}]
    return {"kind": "customsearch#search", "queries": queries, "items": [item(first + i) for i in range(count)]}


def test_keywords_are_those_of_the_papers_figure_2() -> None:
    google = GoogleSearcher()
    wanted = "a food cake AND a vehicle bicycle intitle:cake intitle:bicycle inurl:photo"
    assert google.keyword.text(PAIR) == wanted
    assert google.simple.text(PAIR) == "cake (food) AND bicycle (vehicle)"


def test_pages_are_followed_until_there_is_enough() -> None:
    with serving(pages(page(1, 10, 11), page(11, 10, 21))) as server:
        finds = list(searcher(server.url).search(PAIR, 15))
    assert [find.address for find in finds] == [f"https://images.example/{n}.jpg" for n in range(1, 16)]
    assert [request.parameters["start"] for request in server.requests] == ["1", "11"]
    asked = server.requests[0].parameters
    assert (asked["searchType"], asked["imgType"], asked["num"], asked["safe"]) == ("image", "photo", "10", "active")
    assert (asked["key"], asked["cx"]) == (KEY, "0123:abc")
    first = finds[0]
    assert first.captions == ("Cake & bicycle 1", "A cake beside a bicycle")
    assert (first.page, first.width, first.height) == ("https://pages.example/1", 800, 600)


@pytest.mark.parametrize("following", [None, 1, 91 + 10])
def test_paging_ends_with_the_last_page_one_that_points_back_and_the_hundredth_result(following: int | None) -> None:
    with serving(pages(page(1, 10, following))) as server:
        assert len(list(searcher(server.url).search(PAIR, 50))) == 10
        assert len(server.requests) == 1


def test_results_without_a_link_are_passed_over_and_other_shapes_do_no_harm() -> None:
    reply = {"items": [{"title": "x"}, "nonsense", {**item(1), "image": "no object", "title": 7}]}
    with serving(pages(reply)) as server:
        (find,) = searcher(server.url).search(PAIR, 10)
    assert find.captions == ("A cake beside a bicycle",) and find.width is None


def test_a_missing_key_is_named_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY")
    with serving(pages(page(1, 1, None))) as server:
        with pytest.raises(UsageError, match="needs the environment variable GOOGLE_API_KEY, which is not set"):
            list(searcher(server.url).search(PAIR, 1))
        assert not server.requests


def test_a_key_in_place_of_a_variables_name_is_refused_and_not_quoted() -> None:
    with pytest.raises(ValueError, match="key_variable must be the name of an environment variable") as caught:
        GoogleSearcher(key_variable=KEY)
    assert KEY not in str(caught.value)


def test_a_rejected_key_stops_the_collection_and_stays_hidden() -> None:
    def behave(request: Handler) -> None:
        request.reply({"error": {"code": 403, "message": f"The key {KEY} is not valid"}}, 403)

    with serving(behave) as server, pytest.raises(SystemDown, match="403 Forbidden") as caught:
        list(searcher(server.url).search(PAIR, 1))
    assert KEY not in str(caught.value) and KEY not in repr(searcher(server.url))
