from __future__ import annotations

from typing import Any

import pytest

from anamorph.model import Query, Term
from anamorph.searchers.openverse import OpenverseSearcher
from tests.searchers.servers import pages, serving

DOG = Query((Term("hot dog", "food"), Term("dog", "animal")))


def searcher(address: str, **settings: Any) -> OpenverseSearcher:
    return OpenverseSearcher(address=address, rate_per_second=100, retries=0, **settings)


def result(number: int) -> dict[str, Any]:
    """The shape that the documentation gives one image of a search."""
    return {
        "id": f"36537842-b067-4ca0-ad67-{number:012}",
        "title": f"Dog {number}",
        "foreign_landing_url": f"https://photos.example/{number}",
        "url": f"https://live.example/{number}.jpg",
        "creator": "An author",
        "creator_url": "https://photos.example/author",
        "license": "by",
        "license_version": "2.0",
        "license_url": "https://creativecommons.org/licenses/by/2.0/",
        "provider": "flickr",
        "source": "flickr",
        "category": "photograph",
        "filesize": None,
        "filetype": "jpg",
        "tags": [{"name": "dog", "accuracy": None}],
        "mature": False,
        "height": 480,
        "width": 640,
        "thumbnail": "https://api.example/thumb",
    }


def page(number: int, count: int, of: int) -> dict[str, Any]:
    return {
        "result_count": of * 20,
        "page_count": of,
        "page_size": 20,
        "page": number,
        "results": [result(number * 100 + place) for place in range(count)],
    }


def test_results_bring_licence_author_and_page() -> None:
    with serving(pages(page(1, 1, 1))) as server:
        (find,) = searcher(f"{server.url}/v1/images/").search(DOG, 20)
    assert (find.licence, find.author) == ("by 2.0", "An author")
    assert find.licence_url == "https://creativecommons.org/licenses/by/2.0/"
    assert (find.page, find.width, find.height) == ("https://photos.example/100", 640, 480)
    asked = server.requests[0].parameters
    assert asked["q"] == '"hot dog" + dog' and asked["page_size"] == "20" and asked["category"] == "photograph"


def test_pages_are_followed_up_to_the_last_one() -> None:
    with serving(pages(page(1, 20, 2), page(2, 20, 2))) as server:
        assert len(list(searcher(server.url).search(DOG, 500))) == 40
        assert [request.parameters["page"] for request in server.requests] == ["1", "2"]


def test_nobody_asks_beyond_what_the_service_gives() -> None:
    with serving(pages(page(1, 20, 10_000))) as server:
        assert len(list(searcher(server.url).search(DOG, 10_000))) == 240
        assert len(server.requests) == 12


def test_a_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0ken-t0ken")
    with serving(pages(page(1, 1, 1))) as server:
        list(searcher(server.url, token_variable="MY_TOKEN", licences="cc0,by").search(DOG, 1))
    assert server.requests[0].headers["authorization"] == "Bearer t0ken-t0ken"
    assert server.requests[0].parameters["license"] == "cc0,by"
