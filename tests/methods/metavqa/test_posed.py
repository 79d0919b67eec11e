"""Questions that scenes bring: what is understood of them, and which cases they make."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from anamorph.edits.insert import Insert
from anamorph.edits.patch import Patch
from anamorph.methods.metavqa.method import NOTHING_ASKED, MetaVqa
from anamorph.methods.metavqa.posed import NOT_UNDERSTOOD, PosedQuestion, Understanding
from anamorph.methods.metavqa.questions import PropertyChoices, Target
from anamorph.model import Box, Question, Scene, Skip, Table, Tally, Thing
from anamorph.pools.folder import Pool
from anamorph.reading.questions import ACTIONS, COLOURS
from tests.methods.asking import planned, toybox

CHOICES = PropertyChoices(("person", "man", "woman"), ACTIONS, COLOURS)
THINGS = (
    Thing("1", "cat", Box(0, 0, 40, 40)),
    Thing("2", "dog", Box(60, 0, 40, 40)),
    Thing("3", "dog", Box(60, 60, 40, 40)),
)


def asking(*texts: str, things: tuple[Thing, ...] = THINGS) -> Scene:
    return Scene("s", "s.jpg", 100, 100, things, questions=tuple(map(Question, texts)))


def understood(text: str, *space: str) -> PosedQuestion | Skip:
    (found,) = Understanding(space, CHOICES).of(asking(text))
    return found


# --- what is understood ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asks", "targets"),
    [
        ("How many dogs are there?", "how-many", (Target("dog"),)),
        ("how many cats are in the picture", "how-many", (Target("cat"),)),
        ("Is there a zebra in the photo?", "is-there", (Target("zebra"),)),
        ("Are there any dogs?", "is-there", (Target("dog"),)),
        ("How many black dogs are there?", "how-many", (Target("dog", "black"),)),
        ("How many cats and dogs are there?", "how-many", (Target("cat"), Target("dog"))),
    ],
)
def test_questions_of_how_many_and_of_existence_are_understood(
    text: str, asks: str, targets: tuple[Target, ...]
) -> None:
    found = understood(text, "zebra")
    assert isinstance(found, PosedQuestion)
    assert (found.text, found.asks, found.targets) == (text, asks, targets)


@pytest.mark.parametrize(
    "text", ["What color is the cat?", "How many yaks are there?", "How many dogs are on the bed?"]
)
def test_other_questions_are_skips(text: str) -> None:
    assert understood(text) == Skip(f"s: {text}", NOT_UNDERSTOOD, "question")


@pytest.mark.parametrize(
    ("text", "exchanged"),
    [
        ("How many cats and dogs are there?", "How many dogs and cats are there?"),
        ("How many cats and dogs are in the picture?", "How many dogs and cats are in the picture?"),
        ("How many black dogs and white dogs are there?", "How many white dogs and black dogs are there?"),
        ("How many dogs are there?", None),
        ("Is there a cat or a dog?", None),
    ],
)
def test_two_kinds_are_exchanged_in_the_words_of_the_question(text: str, exchanged: str | None) -> None:
    found = understood(text)
    assert (found.reordered if isinstance(found, PosedQuestion) else None) == exchanged


def test_a_class_concerns_a_question_about_itself_about_people_and_about_its_kind() -> None:
    understanding = Understanding((), CHOICES)
    assert understanding.concerns("dog", [Target("cat"), Target("dog")])
    assert understanding.concerns("man", [Target("woman")])
    assert understanding.concerns("puppy", [Target("dog")]) and understanding.concerns("dog", [Target("puppy")])
    assert not understanding.concerns("cat", [Target("dog")])


# --- the cases -------------------------------------------------------------------------------------------------------


def test_the_questions_of_a_scene_make_cases_of_the_image_relations_and_of_reordering() -> None:
    scene = asking("How many dogs are there?", "Is there a cat?", "How many cats and dogs are there?", "Why?")
    method = MetaVqa(questions="scenes", insertion=False)
    cases = planned(method, [scene])
    assert all(case.tags["questions"] == "scenes" for case in cases)
    assert {case.relation.kind for case in cases} == {
        "pieces-add-up",
        "unaffected-by-removal",
        "removal-takes-one",
        "order-does-not-matter",
    }
    for case in cases:
        for edit in case.follow_ups[0].edits:
            if isinstance(edit, Patch):
                label = scene.thing(edit.objects[0]).label
                named = label in (case.source.question or "")
                assert named == (case.relation.kind == "removal-takes-one")
    assert Counter(skip.reason for skip in method.plan([scene], Random(0)) if isinstance(skip, Skip)) == {
        NOT_UNDERSTOOD: 1
    }


def test_nothing_is_removed_that_may_be_one_of_those_asked_for() -> None:
    people = (Thing("1", "man", Box(0, 0, 40, 40)), Thing("2", "woman", Box(60, 60, 40, 40)))
    scene = asking("How many women are there?", things=people)
    cases = planned(MetaVqa(questions="scenes"), [scene])
    removals = [case for case in cases if case.relation.kind.startswith(("unaffected", "removal"))]
    assert [(case.relation.kind, case.follow_ups[0].edits) for case in removals] == [
        ("removal-takes-one", (Patch(("2",)),))
    ]


def test_a_count_of_kinds_that_overlap_is_not_expected_to_lose_exactly_one() -> None:
    people = (Thing("1", "man", Box(0, 0, 40, 40)), Thing("2", "person", Box(60, 60, 40, 40)))
    scene = asking("How many men and people are there?", things=people)
    cases = planned(MetaVqa(questions="scenes"), [scene])
    assert "removal-takes-one" not in {case.relation.kind for case in cases}


def test_the_setting_says_where_questions_come_from() -> None:
    scene = asking("How many dogs are there?")
    own, scenes, both = (planned(MetaVqa(questions=which), [scene]) for which in ("own", "scenes", "both"))
    assert own == planned(MetaVqa(), [replace(scene, questions=())])
    assert {case.source.question for case in scenes} == {"How many dogs are there?"}
    assert [case for case in both if "questions" not in case.tags] == own
    assert {case.digest for case in scenes} == {case.digest for case in both if "questions" in case.tags}


def test_a_scene_without_questions_is_left_out_where_only_those_of_scenes_are_asked() -> None:
    skips = list(MetaVqa(questions="scenes").plan([asking()], Random(0)))
    assert skips == [Skip("s", NOTHING_ASKED, "scene")]


def test_a_question_that_the_method_would_ask_itself_is_asked_once() -> None:
    scene = asking("Is there any cat in the image?", "Is there any dog in the image?")
    cases = planned(MetaVqa(existences=2, absent_share=0), [scene])
    assert not [case for case in cases if "questions" in case.tags]


def test_nothing_is_inserted_that_a_question_names(pool: Path) -> None:
    entries = Pool.open(pool)
    names = sorted(entries.labels())
    scenes = [replace(scene, questions=tuple(Question(f"Is there a {n}?") for n in names)) for scene in toybox(20)]
    asked = 0
    for case in planned(MetaVqa(questions="scenes", pool=str(pool)), scenes):
        for edit in case.follow_ups[0].edits:
            if isinstance(edit, Insert):
                asked += 1
                assert f" {entries.entry(edit.cutout).label}?" not in (case.source.question or "")
    assert asked > 20


def test_the_summary_separates_questions_of_scenes_from_the_methods_own() -> None:
    tallies = [
        Tally("metavqa", "pieces-add-up", {"axis": "x", "asks": "how-many"}, 3, 1, 0),
        Tally("metavqa", "pieces-add-up", {"axis": "x", "asks": "how-many", "questions": "scenes"}, 1, 1, 0),
    ]
    tables = [each for each in MetaVqa().summarise(tallies) if isinstance(each, Table)]
    assert tables[-1].title == "By the origin of questions"
    assert [row[:3] for row in tables[-1].rows] == [("MetaVQA's own", 4, 1), ("from the scenes", 2, 1)]
