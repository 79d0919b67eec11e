"""Replays of what MetaIC and ROME published, with oracles written here from METHODS.md."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from anamorph.model.reading import CaptionReading, released_count, released_rome_pair
from anamorph.readers.caption import CaptionReader

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "recorded"


def recorded(name: str) -> tuple[list[dict[str, Any]], set[str]]:
    if not RECORDED.is_dir():
        pytest.skip(f"{RECORDED} is not there: what the systems answered is not part of the project")
    rows = [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return rows, set(json.loads((RECORDED / f"{name}.expected.json").read_text())["violated"])


def metaic() -> CaptionReader:
    return CaptionReader(profile="released-metaic")


def rome() -> CaptionReader:
    return CaptionReader(profile="released-rome")


def read(reader: CaptionReader, text: str) -> CaptionReading:
    reading = reader.read_text(text)
    assert isinstance(reading, CaptionReading)
    return reading


def test_metaic_reads_single_class_words_only() -> None:
    reading = read(metaic(), "a man and a dog with a hot dog, donuts, a bus stop and two Cats")
    assert [(m.label, m.number) for m in reading.mentions] == [
        ("dog", "singular"),
        ("dog", "singular"),
        ("bus", "singular"),
        ("cat", "plural"),
    ]
    assert reading.number_of("dog") == "plural"


def test_metaic_takes_the_number_of_sheep_from_the_tag() -> None:
    assert read(metaic(), "a sheep in a field").number_of("sheep") == "singular"
    assert read(metaic(), "a group of sheep").number_of("sheep") == "plural"
    assert read(metaic(), "a pair of scissors").number_of("scissors") == "plural"


def test_rome_keeps_class_chunks_whole_and_drops_the_first_of_two_nouns() -> None:
    reading = read(rome(), "a hot dog and a bowl sink")
    assert [(m.text, m.label) for m in reading.mentions] == [("hot dog", "hot dog"), ("sink", "sink")]


def test_rome_maps_a_word_onto_a_class_word_of_either_caption() -> None:
    ancestor, descendant = read(rome(), "a man on a bench"), read(rome(), "a person on a bench")
    left, right = released_rome_pair(ancestor, descendant)
    assert left.labels == right.labels == ("person", "bench")
    alone, _ = released_rome_pair(ancestor, read(rome(), "a bench"))
    assert alone.labels == ("bench",)
    assert released_count(released_rome_pair(read(rome(), "two men"), descendant)[0], "person") == 2


def test_metaics_published_reports_are_reproduced() -> None:
    rows, expected = recorded("metaic-azure-0")
    reader, reported = metaic(), set()
    for row in rows:
        before, after, inserted = read(reader, row["background"]), read(reader, row["generated"]), row["inserted"]
        wanted = "plural" if before.names(inserted) else "singular"
        same = all(before.number_of(x) == after.number_of(x) for x in before.labels if x != inserted)
        if {*after.labels} != {*before.labels, inserted} or not same or after.number_of(inserted) != wanted:
            reported.add(row["id"])
    assert len(reported & expected) / len(reported) >= 0.99
    assert len(reported & expected) / len(expected) >= 0.99


def test_romes_published_reports_are_reproduced() -> None:
    rows, expected = recorded("rome-azure")
    read_once = functools.cache(functools.partial(read, rome()))
    reported = set()
    for row in rows:
        ancestor, descendant = released_rome_pair(read_once(row["ancestor"]), read_once(row["descendant"]))
        removed = {name.replace("_", " ") for name in row["removed"]}
        before, after = {*ancestor.labels}, {*descendant.labels}
        gone = any(released_count(ancestor, name) == 1 and name in after for name in removed)
        if not after <= before or not before - after <= removed or gone:
            reported.add(row["id"])
    assert len(reported & expected) / len(reported) >= 0.97
    assert len(reported & expected) / len(expected) >= 0.97
