"""Configurations and stored runs of older versions: a label space for each method and reader, and `ask.confirm`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamorph.config import read_toml, resolve, with_preset
from anamorph.config.older import up_to_date
from anamorph.engine.run import carry_out, config_of, rejudge, start
from anamorph.errors import BadRecord, UsageError
from anamorph.methods.rome.released import ReleasedReader
from anamorph.readers.english.reader import EnglishReader
from anamorph.store.run import RunStore
from anamorph.store.signing import sign

# What an older file says -> what it says now.
OLDER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "rome.labels": ({"rome": {"labels": "voc", "max_depth": 1}}, {"labels": "voc", "rome": {"max_depth": 1}}),
    "rome.melt.max_at_edge": (
        {"rome": {"melt": {"max_at_edge": 0.02, "max_area": 0.1}}},
        {"rome": {"melt": {"max_area": 0.1}}},
    ),
    "spolre.melt.max_alike": (
        {"spolre": {"melt": {"max_alike": 0.2, "apart": False}}},
        {"spolre": {"melt": {"apart": False}}},
    ),
    "melt_check.busy": ({"melt_check": {"busy": 1.1, "seam": 2.0}}, {"melt_check": {"seam": 2.0}}),
    "spolre.labels": ({"spolre": {"labels": "voc"}}, {"labels": "voc", "spolre": {}}),
    "metaic.labels": ({"metaic": {"labels": "voc"}}, {"labels": "voc", "metaic": {}}),
    "atom.caption_space": ({"atom": {"caption_space": "voc", "k": 1}}, {"labels": "voc", "atom": {"k": 1}}),
    "readers.caption.labels": ({"readers": {"caption": {"labels": "voc"}}}, {"labels": "voc", "readers": {}}),
    "readers.tags.labels": ({"readers": {"tags": {"labels": "voc"}}}, {"labels": "voc", "readers": {}}),
    "readers.tags.labels, free": (
        {"readers": {"tags": {"labels": ""}}},
        {"readers": {"english": {"free_tags": True}}},
    ),
    "readers.tags.threshold": (
        {"readers": {"tags": {"threshold": 0.3}}},
        {"readers": {"english": {"threshold": 0.3}}},
    ),
    "readers.plain.threshold": (
        {"readers": {"plain": {"threshold": 0.3}}},
        {"readers": {"english": {"threshold": 0.3}}},
    ),
    "readers.caption.depicted": (
        {"readers": {"caption": {"depicted": ["toy"]}}},
        {"readers": {"english": {"depicted": ["toy"]}}},
    ),
    "readers.caption.tagger": (
        # The readers of released tools followed the reader of captions.
        {"readers": {"caption": {"tagger": "spacy"}}},
        {
            "readers": {
                "english": {"tagger": "spacy"},
                "released-metaic": {"tagger": "spacy"},
                "released-metaic-rerun": {"tagger": "spacy"},
                "released-rome": {"tagger": "spacy"},
            }
        },
    ),
    "readers.caption.depth": ({"readers": {"caption": {"depth": 3}}}, {"readers": {}}),
    "readers.caption.profile": ({"readers": {"caption": {"profile": "default"}}}, {"readers": {}}),
    "readers.answer": ({"readers": {"answer": {}}}, {"readers": {}}),
    "readers.released-rome.labels": (
        {"readers": {"released-rome": {"labels": "voc", "tagger": "rules"}}},
        {"labels": "voc", "readers": {"released-rome": {"tagger": "rules"}}},
    ),
    "the same space several times": (
        {"labels": "voc", "rome": {"labels": "voc"}, "readers": {"caption": {"labels": "voc"}}},
        {"labels": "voc", "rome": {}, "readers": {}},
    ),
    "ask.confirm": (
        {"ask": {"confirm": False, "retries": 1}},
        {"ask": {"retries": 1}, "prove": {"enabled": False}},
    ),
    "ask.confirm, true": ({"ask": {"confirm": True}}, {"ask": {}, "prove": {"enabled": True}}),
    "ask.confirm beside other settings of prove": (
        {"ask": {"confirm": False}, "prove": {"again": 3}},
        {"ask": {}, "prove": {"enabled": False, "again": 3}},
    ),
    "ask.confirm beside what took its place": (
        {"ask": {"confirm": False}, "prove": {"enabled": True}},
        {"ask": {}, "prove": {"enabled": True}},
    ),
}


@pytest.mark.parametrize("name", OLDER)
def test_what_an_older_file_says_is_taken_for_what_it_says_now(name: str) -> None:
    older, now = OLDER[name]
    before = json.dumps(older)
    assert up_to_date(older) == now
    assert json.dumps(older) == before, "what was given stays as it was"
    assert up_to_date(now) == now


@pytest.mark.parametrize(
    "now",
    [
        {},
        {"labels": "coco", "methods": ["rome"], "rome": {"max_depth": 1}},
        {"readers": {"caption": "english", "labels": "mine", "english": {"threshold": 0.3}}},
        {"atom": {"labels": ["dog", "cat"]}},  # atom's own labels are those to combine
        {"readers": {"released-rome": {"tagger": "rules"}}},
        {"ask": {"retries": 1}, "prove": {"enabled": False}, "confirm_with": "toybox:answerer"},
    ],
)
def test_a_file_of_today_stays_as_it_is(now: dict[str, Any]) -> None:
    assert up_to_date(now) == now


@pytest.mark.parametrize(
    "several",
    [
        {"labels": "coco", "rome": {"labels": "voc"}},
        {"labels": "coco", "readers": {"caption": {"labels": "voc"}}},
        {"labels": "voc", "atom": {"caption_space": "coco"}},
    ],
    ids=str,
)
def test_a_label_space_beside_another_of_an_older_key_is_refused_with_both_names(
    several: dict[str, Any],
) -> None:
    with pytest.raises(BadRecord, match="a run has one label space, and this one names several") as caught:
        up_to_date(several)
    assert caught.value.path == "labels"
    assert "'coco'" in str(caught.value) and "'voc'" in str(caught.value)


@pytest.mark.parametrize(
    ("several", "labels"),
    [
        ({"rome": {"labels": "coco"}, "readers": {"caption": {"labels": "voc"}}}, "voc"),
        ({"readers": {"caption": {"labels": "coco"}, "tags": {"labels": "voc"}}}, "coco"),
        ({"rome": {"labels": "voc"}, "spolre": {"labels": "coco"}}, "voc"),
    ],
    ids=str,
)
def test_of_several_older_keys_the_caption_readers_counts_so_that_old_runs_open(
    several: dict[str, Any], labels: str
) -> None:
    assert up_to_date(several)["labels"] == labels


def test_an_older_profile_of_the_caption_reader_says_what_to_use() -> None:
    with pytest.raises(BadRecord, match="methods have a setting `profile`"):
        up_to_date({"readers": {"caption": {"profile": "released"}}})


def test_the_complaint_names_the_file_or_the_flag(tmp_path: Path) -> None:
    file = tmp_path / "anamorph.toml"
    file.write_text('labels = "coco"\n[rome]\nlabels = "voc"\n')
    with pytest.raises(
        UsageError, match=r"anamorph\.toml: labels: a run has one .* labels = 'coco', rome.labels = 'voc'"
    ):
        resolve(read_toml(file), str(file))
    with pytest.raises(UsageError, match=r"^--set labels: a run has one label space"):
        resolve({"labels": "coco", "rome": {"labels": "voc"}}, "", ["labels"])


def test_issues_that_were_confirmed_are_proved_and_where_they_were_not_captions_decide() -> None:
    assert resolve({"ask": {"confirm": False}}).settings.prove.enabled is False
    assert resolve({"ask": {"confirm": True}}).settings.prove.enabled is True
    assert resolve({}).settings.prove.enabled is None
    assert "confirm" not in resolve({"ask": {"confirm": True}}).plain["ask"]
    with pytest.raises(UsageError, match=r"^prove\.enabled: expected true or false"):
        resolve({"ask": {"confirm": "perhaps"}})


def test_what_the_new_table_says_counts_for_more_than_what_an_older_one_says() -> None:
    both = {"readers": {"plain": {"threshold": 0.3}, "english": {"threshold": 0.6}}}
    assert resolve(both).readers().reader("english") == EnglishReader(threshold=0.6)


def test_settings_of_older_tables_are_checked_as_those_of_today() -> None:
    with pytest.raises(UsageError, match=r"readers\.english\.threshold: must be at most 1, got 2"):
        resolve({"readers": {"plain": {"threshold": 2}}})
    with pytest.raises(UsageError, match=r"readers\.english\.nonsense: unknown key"):
        resolve({"readers": {"caption": {"nonsense": 1}}})


@pytest.mark.parametrize(
    "odd", [{"readers": 5}, {"readers": {"caption": 5}}, {"rome": "x"}, {"readers": {"english": 5, "plain": {}}}]
)
def test_what_is_no_table_is_left_to_the_checks_of_today(odd: dict[str, Any]) -> None:
    assert up_to_date(odd) == {**odd, **({"readers": {"english": 5}} if "plain" in str(odd) else {})}
    if odd != {"rome": "x"}:
        with pytest.raises(UsageError, match=r"^readers"):
            resolve(odd)


def test_another_label_space_goes_with_a_preset() -> None:
    assert resolve(with_preset("rome-paper", {})).settings.labels == "coco"
    assert resolve(with_preset("rome-paper", {"labels": "voc"})).settings.labels == "voc"


def test_a_stored_run_of_an_older_version_is_judged_in_its_label_space_and_goes_on(tmp_path: Path) -> None:
    plain: dict[str, Any] = {
        "methods": ["rome"],
        "scenes": {"kind": "toybox", "count": 2},
        "system": {"kind": "toybox", "model": "captioner"},
        "rome": {"pairs_per_scene": 2},
    }
    config = resolve(plain)
    with start(config, tmp_path / "run") as store:
        list(carry_out(store, config))
        assert (config.plain.get("labels"), config.settings.labels) == (None, "coco")
        older = {
            **plain,
            "rome": {**plain["rome"], "labels": "voc"},
            "readers": {"caption": {"labels": "voc", "depth": 3}, "plain": {"threshold": 0.3}},
        }
        store.set_fact("config", older)
        sign(store)
    with RunStore.open(tmp_path / "run") as store:
        stored = config_of(store)
        assert stored.trusted and stored.settings.labels == stored.readers().space.name == "voc"
        assert stored.readers().reader("english") == EnglishReader(threshold=0.3)
        assert stored.readers().reader("released-rome") == ReleasedReader()
        assert stored.plain["rome"] == {"pairs_per_scene": 2} and stored.plain["readers"] == {
            "english": {"threshold": 0.3}
        }
        list(rejudge(store, stored))
        list(carry_out(store, stored))


def test_a_label_space_that_is_an_endless_number_is_refused_in_words() -> None:
    with pytest.raises(BadRecord, match="names several"):
        up_to_date(
            {
                "labels": "coco",
                "rome": {"labels": 10**5000},
                "readers": {"english": {"labels": "x"}},
                "spolre": {"labels": "y"},
            }
        )
