from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import Grade, Relation
from anamorph.relations.keeps_all import KeepsAll
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.verdicts.ledger import Change, KnownClass, Ledger, disjoint, stated_by
from tests.relations.readings import read


def conflicts(
    *texts: str,
    changes: tuple[Change, ...] = (),
    known: tuple[KnownClass, ...] | None = None,
    required: tuple[str, ...] = (),
) -> list[tuple[str, Grade, str, tuple[int, ...]]]:
    ledger = Ledger([read(text) for text in texts], changes, known, "coco" if known is not None else None, required)
    return [(each.label, each.grade, each.what, each.probes) for each in ledger.conflicts()]


@pytest.mark.parametrize(
    ("text", "hard", "soft"),
    [
        ("There are three dogs in the image.", (3, 3), (3, 3)),
        ("Only three dogs are here.", (3, 3), (3, 3)),
        ("Three dogs playing.", (3, None), (3, 3)),
        ("Several dogs.", (2, None), (2, None)),
        ("A dog.", (1, None), (1, 1)),
        ("No dogs.", (0, 0), (0, 0)),
        ("A cat.", (0, None), (0, 0)),
    ],
)
def test_a_caption_states_what_the_table_of_verdicts_says(text: str, hard: object, soft: object) -> None:
    statement = stated_by(0, read(text), "dog")
    assert (statement.hard, statement.soft) == (hard, soft)


def test_statements_about_an_edited_image_are_shifted_back() -> None:
    assert stated_by(1, read("Two dogs."), "dog", -1).soft == (3, 3)
    assert stated_by(1, read("Two dogs."), "dog", 1).soft == (1, 1)
    # How many were removed is not known: at least one.
    assert stated_by(1, read("Two dogs."), "dog", None).soft == (3, None)


@pytest.mark.parametrize(
    ("source", "follow_up", "grade", "what"),
    [
        ("Only two dogs.", "Three dogs.", "contradiction", "number"),
        ("No dogs here.", "A dog.", "contradiction", "number"),
        ("Two dogs.", "Three dogs.", "miscount", "number"),
        ("A dog.", "Two dogs.", "miscount", "number"),
        ("A dog.", "A tree.", "omission", "lost"),
        ("A tree.", "A dog.", "omission", "gained"),
    ],
)
def test_answers_that_disagree_have_the_grade_of_the_weakest_assumption(
    source: str, follow_up: str, grade: Grade, what: str
) -> None:
    assert conflicts(source, follow_up) == [("dog", grade, what, (0, 1))]


@pytest.mark.parametrize(
    ("source", "follow_up"),
    [("A dog.", "A dog and a tree."), ("Dogs.", "Two dogs."), ("Several dogs.", "Four dogs."), ("A tree.", "Grass.")],
)
def test_answers_that_can_all_be_true_are_in_no_conflict(source: str, follow_up: str) -> None:
    assert conflicts(source, follow_up) == []


def test_a_number_must_fall_by_what_was_removed() -> None:
    removed = (Change("dog", -1),)
    assert conflicts("Three dogs.", "Two dogs.", changes=removed) == []
    assert conflicts("Two dogs.", "Two dogs.", changes=removed) == [("dog", "miscount", "number", (0, 1))]
    assert conflicts("A dog.", "A tree.", changes=removed) == []
    assert conflicts("Two dogs.", "Two dogs.", changes=(Change("dog"),)) == [("dog", "miscount", "number", (0, 1))]
    assert conflicts("Three dogs.", "A dog.", changes=(Change("dog"),)) == []


def test_what_was_inserted_must_be_named() -> None:
    inserted = (Change("dog", 1),)
    assert conflicts("A tree.", "A dog.", changes=inserted) == []
    assert conflicts("A tree.", "A tree.", changes=inserted) == [("dog", "omission", "missing", (1,))]
    assert conflicts("A tree.", "No dogs.", changes=inserted) == [("dog", "contradiction", "missing", (1,))]
    assert conflicts("A dog.", "A dog.", changes=inserted) == [("dog", "miscount", "number", (0, 1))]


def test_what_nobody_knows_to_be_there_is_an_invention_wherever_it_is_named() -> None:
    known = (KnownClass("cat", 1, 1),)
    assert conflicts("A cat and a dog.", "A cat.", known=known) == [("dog", "invention", "invented", (0,))]
    assert conflicts("A cat.", "A cat and a dog.", known=known) == [("dog", "invention", "invented", (1,))]
    # A class that annotators know nothing of is no invention.
    ledger = Ledger([read("A cat and a dog.")] * 2, (), known, None)
    assert ledger.conflicts() == ()


def test_a_class_is_gone_with_its_last_object() -> None:
    known, removed = (KnownClass("dog", 1, 1),), (Change("dog", -1),)
    assert conflicts("A dog.", "A dog.", changes=removed, known=known) == [("dog", "invention", "gone", (1,))]
    assert conflicts("A dog.", "A tree.", changes=removed, known=known) == []


def test_numbers_are_held_against_what_is_known_and_silence_is_not() -> None:
    known = (KnownClass("dog", 3, 3),)
    assert conflicts("Two dogs.", "Two dogs.", known=known) == [
        ("dog", "miscount", "number", (0,)),
        ("dog", "miscount", "number", (1,)),
    ]
    assert conflicts("A cat.", "A cat.", known=(*known, KnownClass("cat", 1, 1))) == []
    # "A dog" may be one of several, unless people name several of them.
    assert conflicts("A dog.", "A dog.", known=known) == []
    plural = (KnownClass("dog", 3, 3, plural=True),)
    assert [grade for _, grade, *_ in conflicts("A dog.", "A dog.", known=plural)] == ["miscount", "miscount"]


def test_a_case_is_wrong_anyway_where_the_source_contradicts_what_is_known() -> None:
    known = (KnownClass("dog", 1, 1), KnownClass("cat", 1, 1))
    relation = OnlyLoses(("dog",), None, (("dog", 1),), ledger=True, known=known, complete="coco")
    assert relation.judge([read("A dog and a bus."), read("A cat.")]).wrong_anyway is True
    assert relation.judge([read("A dog."), read("A dog.")]).wrong_anyway is False
    assert OnlyLoses(("dog",), ledger=True).judge([read("A dog and a cat."), read("A bus.")]).wrong_anyway is None
    # The one caption of a transcript is that of the follow-up.
    alone = KeepsAll((("dog", 1),), ledger=True, known=known[:1], complete="coco").judge([read("A bus.")])
    assert alone.outcome == "violated" and alone.wrong_anyway is None


def test_required_classes_must_be_named() -> None:
    known = (KnownClass("dog", 1, 1),)
    assert conflicts("A dog.", "A tree.", known=known, required=("dog",)) == [("dog", "omission", "missing", (1,))]
    assert conflicts("A tree.", known=known, required=("dog",)) == [("dog", "omission", "missing", (0,))]


def test_a_relation_says_by_how_much_its_edit_is_meant_to_change_each_class() -> None:
    assert tuple(OnlyGains("dog", ledger=True).changes()) == (("dog", 1),)
    assert tuple(KeepsAll((("dog", 2),), ledger=True).changes()) == ()
    melted = OnlyLoses(("dog", "cat"), (), (("dog", 2), ("cat", 1)), ledger=True)
    assert tuple(melted.changes()) == (("dog", -2), ("cat", -1))
    # Of an older plan nobody knows how many were removed, only that it was at least one.
    assert tuple(OnlyLoses(("dog",), ledger=True).changes()) == (("dog", None),)


WORDS = (
    "a dog",
    "two dogs",
    "three dogs",
    "dogs",
    "a cat",
    "two cats",
    "no dogs",
    "a person",
    "several people",
    "grass",
)
CAPTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" and ".join)


@given(CAPTIONS, CAPTIONS, st.sampled_from(["dog", "cat"]))
def test_the_ledger_reports_all_that_the_published_relations_report(one: str, other: str, label: str) -> None:
    pair = [read(one), read(other)]
    published: list[Relation] = [
        OnlyLoses((label,), ()),
        OnlyGains(label),
        KeepsAll((("dog", 2), ("cat", 1)), ground_truth="self"),
    ]
    own: list[Relation] = [
        OnlyLoses((label,), (), ((label, 1),), ledger=True),
        OnlyGains(label, ledger=True),
        KeepsAll((("dog", 2), ("cat", 1)), ground_truth="self", ledger=True),
    ]
    for before, after in zip(published, own, strict=True):
        if before.judge(pair).outcome == "violated":
            verdict = after.judge(pair)
            assert verdict.outcome == "violated" and verdict.grade is not None and verdict.conflicts


@given(*[st.tuples(st.integers(0, 6), st.none() | st.integers(0, 3))] * 2)
def test_intervals_are_disjoint_if_no_number_is_in_both(
    one: tuple[int, int | None], other: tuple[int, int | None]
) -> None:
    spans = [(least, None if extra is None else least + extra) for least, extra in (one, other)]
    common = [n for n in range(20) if all(least <= n and (most is None or n <= most) for least, most in spans)]
    assert disjoint(*spans) == (not common)


def looks(*texts: str, changes: tuple[Change, ...] = (), known: tuple[KnownClass, ...] | None = None) -> list[object]:
    ledger = Ledger([read(text) for text in texts], changes, known, "coco" if known else None, postures=True)
    return [(each.label, each.grade, each.probes) for each in ledger.conflicts() if each.what == "described"]


def test_a_colour_or_deed_that_nothing_of_the_class_is_known_to_have_is_an_invention() -> None:
    known = (KnownClass("boat", 1, 1, attributes=("red",)), KnownClass("person", 1, 1, attributes=("walking",)))
    assert looks("A blue boat.", "A boat.", known=known) == [("boat", "invention", (0,))]
    assert looks("A boat.", "A man sitting.", known=known) == [("person", "invention", (1,))]
    assert looks("A red boat and a man walking.", "A boat and a man.", known=known) == []
    # Annotations that do not have them all say nothing.
    assert looks("A blue boat.", "A boat.", known=(KnownClass("boat", 1, 1),)) == []


def test_an_inserted_object_may_look_like_itself_or_like_those_that_were_there() -> None:
    known = (KnownClass("dog", 1, 1, attributes=("brown",)),)
    white, unknown = (Change("dog", 1, ("white",)),), (Change("dog", 1),)
    assert looks("A brown dog.", "A brown dog and a white dog.", changes=white, known=known) == []
    assert looks("A brown dog.", "A brown dog and a black dog.", changes=white, known=known) == [
        ("dog", "invention", (1,))
    ]
    assert looks("A brown dog.", "A brown dog and a black dog.", changes=unknown, known=known) == []
    waving = (Change("person", 1, ("waving",)),)
    assert looks("A brown dog.", "A dog and a man sitting.", changes=waving, known=known) == [
        ("person", "invention", (1,))
    ]


def test_the_only_one_of_a_class_does_not_sit_here_and_stand_there() -> None:
    assert looks("A man sitting on a bench.", "A man standing near a bench.") == [("person", "miscount", (0, 1))]
    assert looks("A man sitting.", "Two people, one standing.") == []
    assert looks("A man and a woman sitting.", "A man standing and a woman.") == []
    # Where people were removed or inserted, it may be another one, and so may it where the chair was removed.
    assert looks("A man sitting.", "A man standing.", changes=(Change("person", -1),)) == []
    removed = Ledger([read("A man sitting."), read("A man standing.")])
    assert [each for each in removed.conflicts() if each.what == "described"] == []


def test_a_wrong_description_is_reported_in_words() -> None:
    relation = KeepsAll((("boat", 1),), ledger=True, known=(KnownClass("boat", 1, 1, attributes=("red",)),))
    verdict = relation.judge([read("A red boat."), read("A blue boat.")])
    assert verdict.reason == "'boat' is blue in the follow-up, and no such boat is known to be there."
    assert (verdict.grade, verdict.categories, verdict.violated) == ("invention", ("attribute",), ("description",))
    moved = KeepsAll((("person", 1),), ledger=True).judge([read("A man sitting."), read("A man standing.")])
    assert moved.reason == (
        "'person' is sitting in the source and standing in the follow-up although every object is still there."
    )
    assert moved.grade == "miscount"
    painted = KeepsAll((("person", 1),), ledger=True, painted=True)
    assert painted.judge([read("A man sitting."), read("A man standing.")]).outcome == "holds"
