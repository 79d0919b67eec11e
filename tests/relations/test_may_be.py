"""Words that may mean a class excuse, and never accuse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from anamorph.model import CaptionReading, Mention
from anamorph.relations.keeps_all import KeepsAll
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.same_objects import SameObjects
from anamorph.relations.verdicts.ledger import Change, KnownClass, Ledger
from tests.relations.readings import read

CLASSES = ("tv", "dog")


@st.composite
def mentions(draw: st.DrawFn, perhaps: str | None = None) -> Mention:
    count = draw(st.none() | st.integers(0, 3))
    least = count if count is not None else draw(st.integers(1, 3))
    most = count if count is not None else draw(st.none() | st.integers(least, 4))
    unclaimed = draw(st.sampled_from(("", "", "picture")))
    one = count == 1 or (count is None and most == 1)
    label = None if perhaps else draw(st.sampled_from(CLASSES))
    return Mention(
        "x", 0, 1, "x", label, "singular" if one else "plural", count, False, least, most, unclaimed,
        (perhaps,) if perhaps else (),
    )  # fmt: skip


captions = st.builds(lambda found: CaptionReading("There are things.", tuple(found)), st.lists(mentions(), max_size=3))
counts = st.integers(0, 3)


@st.composite
def known_classes(draw: st.DrawFn) -> KnownClass:
    least = draw(counts)
    most = draw(st.none() | st.integers(least, 4))
    return KnownClass(draw(st.sampled_from(CLASSES)), least, most, draw(st.booleans()))


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    changes = tuple(Change("tv", by) for by in draw(st.lists(st.none() | st.integers(-2, 2), max_size=1)))
    known = draw(st.none() | st.lists(known_classes(), max_size=2, unique_by=lambda each: each.label))
    complete = draw(st.sampled_from((None, "coco")))
    required = draw(st.sampled_from(((), ("tv",))))
    texts = draw(st.lists(captions, min_size=1, max_size=3))
    return Ledger(texts, changes, known, complete, required, postures=draw(st.booleans()))  # type: ignore[arg-type]


def with_perhaps(draw: st.DataObject, texts: list[CaptionReading]) -> list[CaptionReading]:
    place = draw.draw(st.integers(0, len(texts) - 1))
    more = draw.draw(mentions(perhaps="tv"))
    texts[place] = replace(texts[place], mentions=(*texts[place].mentions, more))
    return texts


@settings(max_examples=300, deadline=None)
@given(ledgers(), st.data())
def test_something_that_may_be_of_a_class_never_adds_a_conflict_about_it(ledger: Ledger, data: st.DataObject) -> None:
    before = {each for each in ledger.conflicts() if each.label == "tv"}
    after = replace(ledger, captions=with_perhaps(data, list(ledger.captions)))
    found = {each for each in after.conflicts() if each.label == "tv"}
    assert len(found) <= len(before)
    assert {(each.what, each.probes) for each in found} <= {(each.what, each.probes) for each in before}


RELATIONS = (
    SameObjects(),
    OnlyLoses(("tv",)),
    OnlyLoses(("dog",)),
    OnlyLoses(("tv",), ledger=True, melted=(("tv", 1),)),
    OnlyLoses(("tv",), ("tv",), ledger=True),
    OnlyGains("tv"),
    OnlyGains("dog"),
    OnlyGains("dog", mr2_only_if_mr1_holds=True),
    OnlyGains("tv", ledger=True, required=("dog",)),
    OnlyGains("dog", ledger=True, required=("tv",)),
    KeepsAll((("tv", 2), ("dog", 1))),
    KeepsAll((("tv", 2), ("dog", 1)), ledger=True),
    KeepsAll((("tv", 2),), ground_truth="self"),
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(RELATIONS), captions, captions, st.data())
def test_no_relation_is_violated_for_something_that_may_be_of_a_class(
    relation: SameObjects | OnlyLoses | OnlyGains | KeepsAll,
    source: CaptionReading,
    follow_up: CaptionReading,
    data: st.DataObject,
) -> None:
    # About the class alone: what is said of others decides nothing here.
    texts = [replace(each, mentions=tuple(m for m in each.mentions if m.label == "tv")) for each in (source, follow_up)]
    before = relation.judge(texts)
    after = relation.judge(with_perhaps(data, list(texts)))
    if after.outcome == "violated":
        assert before.outcome == "violated"
        assert set(after.violated) <= set(before.violated)


@pytest.mark.parametrize(
    ("source", "follow_up"),
    [
        ("A TV stands on a shelf.", "A monitor stands on a shelf."),
        ("A shelf stands by a wall.", "A monitor stands by a wall."),
        ("Three TVs hang on a wall.", "Two monitors hang on a wall."),
        ("Two TVs and a monitor hang on a wall.", "Three TVs hang on a wall."),
        ("A couch.", "A couch and a coffee table."),
        ("A couch and a table.", "A couch and a coffee table."),
        ("A man with a bike.", "A man with a motorcycle and a bike."),
    ],
)
def test_another_word_that_may_mean_the_same_is_no_conflict(source: str, follow_up: str) -> None:
    texts = [read(source), read(follow_up)]
    assert SameObjects().judge(texts).outcome == "holds"
    assert not Ledger(texts).conflicts()


def test_what_may_be_there_is_never_invented() -> None:
    known = [KnownClass("couch", 1, 1)]
    assert not Ledger([read("A couch and a coffee table.")], known=known, complete="coco").conflicts()
    (invented,) = Ledger([read("A couch and a table.")], known=known, complete="coco").conflicts()
    assert (invented.label, invented.grade) == ("dining table", "invention")


def test_what_must_be_named_is_named_by_what_may_be_it() -> None:
    claim = KeepsAll((("tv", 1),), ledger=True)
    assert claim.judge([read("A monitor on a shelf."), read("A monitor on a shelf.")]).outcome == "holds"
    assert claim.judge([read("A shelf."), read("A shelf.")]).outcome == "violated"


def test_captions_that_only_perhaps_name_a_class_say_something() -> None:
    assert not SameObjects().judge([read("a mug"), read("a mug")]).vacuous
    assert SameObjects().judge([read("a wall"), read("a wall")]).vacuous
