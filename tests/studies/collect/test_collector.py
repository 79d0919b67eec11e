from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import Refused, SystemDown, Transient, UsageError
from anamorph.methods.atom.combinations import Combination
from anamorph.model import Find, Query
from anamorph.scenes.collection.manifest import MANIFEST_FILE
from anamorph.searchers.openverse import OpenverseSearcher
from anamorph.studies.collect.collector import (
    CollectEvent,
    Collector,
    CollectSettings,
    CombinationEnded,
    PhotoKept,
    SearchFailed,
    settings_digest,
)
from anamorph.studies.collect.folder import CollectionFolder, Search, read_collection
from tests.studies.collect.searching import FakeSearcher, Plan, patchwork, save_photo

PAIR: Combination = ("cat", "dog")


class Place:
    """A collection in the making: a folder, a search engine and settings."""

    def __init__(self, root: Path) -> None:
        self.root, self.out, self.plan = root, root / "out", Plan()

    def photo(self, seed: int, caption: str = "a cat and a dog", **more: Any) -> Find:
        return Find((caption,), path=str(save_photo(self.root / "photos", seed)), **more)

    def finds(self, *finds: Find) -> None:
        self.plan.behaviour = lambda query, most: finds

    def collect(
        self, *combinations: Combination, refill: bool = False, limit: int | None = None, **settings: Any
    ) -> list[CollectEvent]:
        chosen = CollectSettings(**{"keywords": 1, **settings})
        with CollectionFolder(self.out) as folder:
            collector = Collector(folder, FakeSearcher.of(self.plan), chosen, clock=lambda: 0.0)
            return list(collector.collect(combinations or (PAIR,), refill=refill, limit=limit))

    def search(self, *combinations: Combination, **settings: Any) -> Search:
        *_, last = self.collect(*combinations, **settings)
        assert isinstance(last, CombinationEnded)
        return last.search

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.out / MANIFEST_FILE).read_text().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_photo_is_kept_with_all_that_is_known_of_it(place: Place) -> None:
    find = place.photo(1, page="http://p.example", licence="CC0", author="A")
    place.finds(find)
    search = place.search()
    (line,) = place.lines()
    assert (search.found, search.added, dict(search.left_out)) == (1, 1, {})
    assert line["labels"] == ["cat", "dog"] and line["caption"] == "a cat and a dog" and line["query"] == "cat + dog"
    assert (line["licence"], line["author"]) == ("CC0", "A")
    assert (line["page"], line["origin"]) == ("http://p.example", find.place)
    assert (line["width"], line["height"], line["searcher"]) == (160, 120, "fake")
    assert line["collected_at"] == "1970-01-01T00:00:00Z"
    kept = place.out / line["image"]
    assert kept.stem == line["sha256"] and kept.read_bytes() == Path(find.place).read_bytes()


def test_every_find_is_added_or_left_out_for_a_reason(place: Place) -> None:
    broken = Path(place.photo(8).place)
    broken.write_bytes(b"no picture")
    place.finds(
        place.photo(1),
        place.photo(2, "a cat"),
        place.photo(3, "a cat dog"),
        place.photo(4, "a dog bed and a cat"),
        place.photo(1, "cat, dog"),
        Find(("a cat and a dog",), path=str(broken)),
        Find((), path="nowhere"),
    )
    search = place.search()
    assert dict(search.left_out) == {
        "broken: not a picture": 1,
        "label missing": 1,
        "label not a noun": 1,
        "labels adjacent": 1,
        "no caption": 1,
    }
    assert search.found == search.added + sum(search.left_out.values()) == 6


def test_duplicates_do_not_use_up_the_quota(place: Place) -> None:
    small = place.root / "photos" / "small.jpg"
    finds = [place.photo(seed) for seed in range(4)]
    patchwork(0, (96, 72)).save(small, quality=60)
    place.finds(finds[0], Find(("a cat and a dog",), path=str(small)), *finds[1:])
    search = place.search(per_combination=3)
    assert search.added == 3 and dict(search.left_out) == {"duplicate": 1}
    assert [line["origin"] for line in place.lines()] == [find.place for find in finds[:3]]


def test_one_photo_may_serve_several_combinations_and_is_stored_once(place: Place) -> None:
    place.finds(place.photo(1))
    place.collect(("cat",), ("dog",), PAIR)
    assert len(place.lines()) == 3 and len(list(place.out.glob("images/*/*"))) == 1


def test_searching_stops_when_there_is_enough(place: Place) -> None:
    place.finds(*(place.photo(seed) for seed in range(6)))
    search = place.search(per_combination=2, keywords=10)
    assert (search.added, search.keywords, place.plan.looked_at) == (2, 1, 2)


def test_keywords_go_on_until_the_simple_one(place: Place) -> None:
    photo = place.photo(1)
    place.plan.behaviour = lambda query, most: [photo] if query.simple else []
    search = place.search(keywords=3)
    assert [query.simple for query in place.plan.asked] == [False, False, False, True] and search.keywords == 4
    assert place.lines()[0]["query"] == "cat + dog (simple)"


def test_only_so_many_results_of_a_keyword_are_looked_at(place: Place) -> None:
    seen: list[int] = []

    def behave(query: Query, most: int) -> Sequence[Find]:
        seen.append(most)
        return []

    place.plan.behaviour = behave
    place.collect()
    place.collect(per_keyword=7)
    assert seen == [20, 20, 7, 7]


# --- going on -------------------------------------------------------------------------------------------------------


def test_what_was_searched_for_is_not_asked_again_also_when_nothing_was_found(place: Place) -> None:
    place.finds(place.photo(1))
    place.collect(PAIR, ("car",))
    asked = len(place.plan.asked)
    assert place.collect(PAIR, ("car",)) == [] and len(place.plan.asked) == asked
    place.collect(PAIR, ("car",), ("bus",))
    assert place.plan.asked[asked].words == ("bus",)


def test_other_settings_are_another_search_that_adds_to_what_is_there(place: Place) -> None:
    place.finds(*(place.photo(seed) for seed in range(4)))
    place.collect(per_combination=2)
    search = place.search(per_combination=3)
    assert search.added == 1 and search.left_out["collected before"] == 2 and len(place.lines()) == 3


def test_a_limit_cuts_the_work_and_the_next_call_goes_on(place: Place) -> None:
    for words in (("bus",), ("car",), ("train",)):
        ended = place.collect(("bus",), ("car",), ("train",), limit=1)
        assert isinstance(ended[-1], CombinationEnded) and ended[-1].search.labels == words


def test_a_combination_that_was_cut_off_goes_on_with_what_it_had(place: Place) -> None:
    place.finds(*(place.photo(seed) for seed in range(4)))
    with CollectionFolder(place.out) as folder:
        collector = Collector(folder, FakeSearcher.of(place.plan), CollectSettings(per_combination=3, keywords=1))
        for event in collector.collect([PAIR]):
            if isinstance(event, PhotoKept):
                break
    assert len(place.lines()) == 1 and not read_collection(place.out).searches
    search = place.search(per_combination=3)
    assert search.added == 2 and len(search.kept) == 3 and len(place.lines()) == 3


def test_what_was_reviewed_away_does_not_come_back(place: Place) -> None:
    place.finds(*(place.photo(seed) for seed in range(4)))
    place.collect(per_combination=3)
    manifest = place.out / MANIFEST_FILE
    first, *others = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(others))
    (place.out / json.loads(others[0])["image"]).unlink()
    assert place.collect(per_combination=3) == []
    search = place.search(refill=True, per_combination=3)
    assert search.added == 1 and search.left_out["reviewed away"] == 2
    assert json.loads(first)["origin"] not in [line["origin"] for line in place.lines()]


def test_a_copy_of_what_was_reviewed_away_does_not_come_back_either(place: Place) -> None:
    place.finds(place.photo(1))
    place.collect()
    (place.out / MANIFEST_FILE).write_text("")
    copy = save_photo(place.root / "elsewhere", 1, size=(320, 240))
    place.finds(Find(("a cat and a dog",), path=str(copy)))
    assert dict(place.search(refill=True).left_out) == {"reviewed away": 1}


def test_two_processes_cannot_add_to_one_collection(place: Place) -> None:
    with CollectionFolder(place.out), pytest.raises(UsageError, match="another process is adding"):
        CollectionFolder(place.out)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="is not empty and holds no collection"):
        CollectionFolder(tmp_path)


# --- a search engine that fails -------------------------------------------------------------------------------------


def test_a_search_that_failed_is_asked_again_next_time(place: Place) -> None:
    def fail(query: Query, most: int) -> Sequence[Find]:
        raise Transient("busy")

    place.plan.behaviour = fail
    events = place.collect(keywords=1, give_up_after=5)
    assert sum(isinstance(event, SearchFailed) for event in events) == 2
    assert isinstance(events[-1], CombinationEnded) and not events[-1].search.complete
    place.finds(place.photo(1))
    assert place.search().added == 1


def test_a_search_engine_that_keeps_failing_stops_the_collection_with_nothing_lost(place: Place) -> None:
    photo = place.photo(1)

    def fail(query: Query, most: int) -> Sequence[Find]:
        if len(place.plan.asked) > 2:
            raise Transient("busy")
        return [photo]

    place.plan.behaviour = fail
    with pytest.raises(SystemDown, match="failed 3 times in a row; the last time: busy"):
        place.collect(PAIR, ("car",), ("bus",), keywords=1, per_combination=1)
    assert len(place.lines()) == 1


def test_a_keyword_that_is_refused_counts_and_the_next_one_is_tried(place: Place) -> None:
    photo = place.photo(1)

    def refuse(query: Query, most: int) -> Sequence[Find]:
        if not query.simple:
            raise Refused("the query is too long")
        return [photo]

    place.plan.behaviour = refuse
    search = place.search(keywords=2)
    assert (search.refused, search.added, search.complete) == (2, 1, True)
    assert place.collect(keywords=2) == []


def test_manners_are_no_part_of_what_was_searched_for() -> None:
    settings = CollectSettings()
    polite, hasty = OpenverseSearcher("me@example.org", retries=9), OpenverseSearcher(rate_per_second=5)
    assert settings_digest(polite, settings) == settings_digest(hasty, settings)
    assert settings_digest(polite, settings) != settings_digest(OpenverseSearcher(licences="cc0"), settings)
    assert settings_digest(polite, settings) != settings_digest(polite, CollectSettings(per_keyword=3))
