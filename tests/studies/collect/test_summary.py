from __future__ import annotations

from anamorph.methods.atom.combinations import Combination
from anamorph.scenes.collection.manifest import ManifestLine
from anamorph.studies.collect.folder import CollectionContents, Search
from anamorph.studies.collect.summary import share_of_common, summarise_collection
from anamorph.studies.relevance.votes import Judgement, relevant_photos
from tests.scenes.collections import entry

COMBINATIONS: list[Combination] = [("cat",), ("dog",), ("cat", "dog")]


def contents() -> CollectionContents:
    searches: dict[Combination, list[Search]] = {
        ("cat",): [Search(("cat",), "s", "local", 1, 5, 2, (), {"duplicate": 2, "label missing": 1})],
        ("dog",): [Search(("dog",), "s", "local", 26, 1, 0, (), {"label missing": 1})],
    }
    entries: dict[Combination, list[ManifestLine]] = {("cat",): [entry("a.png", ("cat",)), entry("b.png", ("cat",))]}
    return CollectionContents(entries, searches, [])


def test_common_and_rare_combinations_are_told_apart_from_those_not_searched() -> None:
    record = summarise_collection(contents(), COMBINATIONS, ("cat", "dog")).record()
    assert record["per_k"] == [
        {"k": 1, "combinations": 2, "common": 1, "rare": 1, "found": 6, "images": 2},
        {"k": 2, "combinations": 1, "common": 0, "rare": 0, "found": 0, "images": 0},
    ]
    assert [each["images"] for each in record["combinations"]] == [2, 0, 0]
    assert [each["searched"] for each in record["combinations"]] == [True, True, False]
    assert record["left_out"] == {"duplicate": 2, "label missing": 2}


def test_coverage_is_part_of_the_summary() -> None:
    summary = summarise_collection(contents(), COMBINATIONS, ("cat", "dog"), [("cat", "dog"), ("dog",)])
    one, two = summary.record()["coverage"]
    assert (one["possible"], one["covered"], one["data_set"]["covered"]) == (2, 1, 2)
    assert (two["possible"], two["covered"], two["data_set"]["only_data_set"]) == (1, 0, 1)
    assert share_of_common(summary) == "1 of 3 combinations (33.3%) have at least one photo"


def test_only_relevant_photos_count_for_figure_four_where_people_judged_them() -> None:
    labels = ("cat",)
    judgements = [
        Judgement("a.png", labels, "ann", "irrelevant"),
        Judgement("b", labels, "ann", "weak"),
    ]
    relevant = relevant_photos(judgements)
    assert relevant == {("b", labels)}
    summary = summarise_collection(contents(), COMBINATIONS, ("cat", "dog"), None, relevant)
    assert (summary.coverage[0].covered, summary.coverage[0].photos) == (1, 1)
    assert summarise_collection(contents(), COMBINATIONS, ("cat", "dog"), None, frozenset()).coverage[0].covered == 0
    assert any(table.title == "Coverage of label combinations, relevant photos only" for table in summary.tables())
    # The rest of the summary is of all photos.
    assert summary.record()["images"] == 2


def test_the_tables_name_the_best_served_and_the_rare() -> None:
    tables = {table.title: table for table in summarise_collection(contents(), COMBINATIONS, ("cat", "dog")).tables()}
    assert tables["Left out because"].rows == (("duplicate", 2), ("label missing", 2))
    assert tables["Combinations, at most 20"].rows[0][:3] == ("cat", 2, 5)
    assert tables["Rare: 1 have no photo; at most 20 are shown"].rows == (("dog", 1),)
