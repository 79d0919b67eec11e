from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.config import searcher_of
from anamorph.errors import UsageError
from anamorph.model import Query, Term
from anamorph.searchers.local import caption_index
from anamorph.searchers.local.caption_index import CaptionIndex, match_text
from anamorph.searchers.local.searcher import LocalSearcher


def query(*words: str) -> Query:
    return Query(tuple(Term(word, "thing") for word in words))


def names(searcher: LocalSearcher, *words: str, most: int = 20) -> list[str]:
    return [Path(find.place).name for find in searcher.search(query(*words), most)]


@pytest.fixture
def folder(photos: Callable[..., Path]) -> Path:
    root = photos(5)
    captions = ["a man with two dogs", "a dog\na cat and a dog", "mice on a hot dog", "a dog", None]
    for number, caption in enumerate(captions):
        if caption is not None:
            (root / f"{number:04}.txt").write_text(caption)
    return root


def test_photos_are_found_by_all_the_words_of_one_caption(folder: Path) -> None:
    local = LocalSearcher(str(folder))
    assert names(local, "cat", "dog") == ["0001.png"]
    assert names(local, "cat", "man") == []
    assert set(names(local, "dog")) == {"0000.png", "0001.png", "0002.png", "0003.png"}
    local.close()


def test_plurals_are_found_also_those_that_no_stemmer_knows(folder: Path) -> None:
    local = LocalSearcher(str(folder))
    assert names(local, "mouse") == ["0002.png"]
    assert names(local, "hot dog") == ["0002.png"]
    (folder / "0004.txt").write_text("three men")
    fresh = LocalSearcher(str(folder))
    assert set(names(fresh, "man")) == {"0000.png", "0004.png"}


def test_the_caption_that_matched_comes_first_and_the_others_with_it(folder: Path) -> None:
    (find,) = LocalSearcher(str(folder)).search(query("cat"), 5)
    assert find.captions == ("a cat and a dog", "a dog")
    assert (find.width, find.height) == (48, 32) and find.address is None


def test_no_more_is_given_than_asked_for_and_the_order_is_always_the_same(folder: Path) -> None:
    assert len(names(LocalSearcher(str(folder)), "dog", most=2)) == 2
    assert names(LocalSearcher(str(folder)), "dog") == names(LocalSearcher(str(folder)), "dog")


@pytest.mark.parametrize(
    "word", ['"', 'dog" OR "cat', "dog*", "caption:dog", "NEAR(dog cat)", "^dog", "a'b", "\0", "-", "("]
)
def test_words_are_never_operators(folder: Path, word: str) -> None:
    assert "0001.png" not in names(LocalSearcher(str(folder)), word, "zebra")


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=3))
def test_any_text_can_be_searched_for(words: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE captions USING fts5 (caption, tokenize = 'porter unicode61')")
    whole = [word.encode("utf-8", "ignore").decode() or "x" for word in words]
    connection.execute("SELECT * FROM captions WHERE captions MATCH ?", (match_text([[w] for w in whole]),)).fetchall()
    connection.close()


def test_an_index_file_is_built_once_and_anew_when_the_captions_change(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[str] = []
    build = caption_index._build

    def counted(connection: Any, source: str, scenes: Any) -> None:
        builds.append(source)
        build(connection, source, scenes)

    monkeypatch.setattr(caption_index, "_build", counted)
    index = tmp_path / "index.sqlite"
    for _ in range(2):
        local = LocalSearcher(str(folder), index=str(index))
        assert names(local, "cat") == ["0001.png"]
        local.close()
    assert len(builds) == 1
    (folder / "0003.txt").write_text("a cat that came later")
    assert set(names(LocalSearcher(str(folder), index=str(index)), "cat")) == {"0001.png", "0003.png"}
    assert len(builds) == 2 and not list(tmp_path.glob("*.new"))


def test_a_file_that_is_no_index_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "thesis.txt"
    mine.write_text("years of work")
    with pytest.raises(UsageError, match=r"thesis\.txt: exists and is not an index of captions"):
        names(LocalSearcher(str(folder), index=str(mine)), "cat")
    assert mine.read_text() == "years of work"


def test_an_index_that_leads_outside_is_not_followed(folder: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.sqlite"
    names(LocalSearcher(str(folder), index=str(index)), "cat")
    with sqlite3.connect(index) as connection:
        connection.execute("UPDATE photos SET picture = '../../etc/passwd'")
    local = LocalSearcher(str(folder), index=str(index))
    assert names(local, "cat") == [] and "does not lead to a file inside" in local.skipped[0].reason


def test_a_python_without_full_text_search_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = caption_index._TABLES.replace("USING fts5 (", "USING fts5_not_here (")
    monkeypatch.setattr(caption_index, "_TABLES", tables)
    with pytest.raises(UsageError, match=r"has no full-text search \(FTS5\)"):
        CaptionIndex.open(None, "x", [])


def test_a_collection_without_captions_cannot_be_searched(photos: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="no photo with a caption was found there"):
        names(LocalSearcher(str(photos(2))), "cat")


def test_a_captions_file_needs_its_photos() -> None:
    with pytest.raises(UsageError, match="needs images, the folder with its photos"):
        searcher_of("local:captions.json")


def test_photos_of_a_coco_file_bring_their_licence(photos: Callable[..., Path], tmp_path: Path) -> None:
    root = photos(1)
    document = {
        "licenses": [{"id": 4, "name": "Attribution License", "url": "http://licence.example/by"}],
        "images": [
            {"id": 1, "file_name": "0000.png", "width": 48, "height": 32, "license": 4, "flickr_url": "http://f"}
        ],
        "annotations": [{"id": 1, "image_id": 1, "caption": "A dog and a cat."}],
    }
    file = tmp_path / "captions.json"
    file.write_text(json.dumps(document))
    (find,) = searcher_of(f"local:{file},images={root}").search(query("cat", "dog"), 5)
    assert (find.licence, find.licence_url, find.page) == (
        "Attribution License",
        "http://licence.example/by",
        "http://f",
    )


def test_real_photos_are_found_by_their_captions(shared: Path) -> None:
    photos = shared / "photos"
    local = searcher_of(f"local:{photos / 'captions.json'},images={photos / 'images'}")
    found = list(local.search(query("skateboard", "man"), 20))
    assert found and all(Path(find.place).is_file() and find.licence for find in found)
    assert all("skateboard" in find.captions[0].lower() for find in found)
    local.close()
