from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from anamorph.engine.gate import GateResult
from anamorph.model import GRADES, Grade
from anamorph.report.cause_words import ShownPattern
from anamorph.report.headline import cause_sentence, grade_lines, headline, percent, story_sentence
from anamorph.report.issues import read_clearest
from anamorph.report.numbers import GradeCounts, MethodStory, OutcomeCounts, PhotoCounts, RunNumbers, read_numbers
from anamorph.statistics.blame import CauseKind, Pattern
from tests.report.fixtures import HandmadeRun
from tests.report.test_cause_words import three_causes


@pytest.fixture
def empty(run: HandmadeRun) -> RunNumbers:
    run.judge()
    return read_numbers(run.store, run.config)


def pattern(what: CauseKind, label: str, grade: Grade | None, cases: int) -> ShownPattern:
    return ShownPattern(Pattern(what, label, grade, cases, cases, cases, 0.1, None, None, None, 1), "ab" * 16)


def numbers_of(
    empty: RunNumbers, holds: int = 0, undecided: int = 0, vacuous: int = 0, outcome: str = "failed", **changes: Any
) -> RunNumbers:
    """A run with the given number of issues of each grade, named as in `GRADES`, or `ungraded`."""
    violated = {grade: changes.pop(grade, 0) for grade in (*GRADES, "ungraded")}
    total = sum(violated.values())
    decided = holds + total
    grades = tuple(
        GradeCounts(None if name == "ungraded" else name, count, count / decided if decided else None, (0.28, 0.45))  # type: ignore[arg-type]
        for name, count in violated.items()
    )
    counts = OutcomeCounts(holds, total, undecided, (0.0, 0.019), vacuous)
    gate = GateResult(outcome, "")  # type: ignore[arg-type]
    photos = PhotoCounts(60, 12, tuple((each.grade, 12) for each in grades))
    return replace(
        empty, counts=counts, grades=grades, gate=gate, photos=photos, **{"answers_with": "caption", **changes}
    )


DOGS = (pattern("invented", "dog", "invention", 30), pattern("invented", "cat", "invention", 9))
WHOLE = "the pieces of a photo add up to the whole"
REMOVED = "removed 1 to 3 objects from 62 photos"
STORIES = (
    MethodStory("metavqa", "asked", ((WHOLE, 41), ("the answer stays", 8)), OutcomeCounts(10, 49, 0)),
    MethodStory("deeptest", "changed", (("the answer stays the same", 3),), OutcomeCounts(10, 3, 0)),
)


@pytest.mark.parametrize(
    ("run_of", "sentence"),
    [
        (
            {"holds": 122, "invention": 69, "patterns": DOGS},
            "This captioner names objects that are not there in 12 of 60 photos (69 of 191 cases, 36%, 28 to "
            "45%): most often a dog",
        ),
        (
            {"holds": 91, "contradiction": 1, "invention": 60, "omission": 40, "patterns": DOGS},
            "This captioner names objects that are not there in 12 of 60 photos (60 of 192 cases, 31%, 28 to "
            "45%): most often a dog",
        ),
        (
            {"holds": 91, "contradiction": 50, "invention": 60},
            "This captioner contradicts itself in 12 of 60 photos (50 of 201 cases, 25%, 28 to 45%)",
        ),
        (
            {"holds": 60, "omission": 40, "patterns": (pattern("lost", "person", "omission", 12),)},
            "This captioner leaves out objects in 12 of 60 photos (40 of 100 cases, 40%, 28 to 45%): most often "
            "a person",
        ),
        (
            {"holds": 60, "miscount": 40, "patterns": (pattern("number", "bus", "miscount", 12),)},
            "This captioner miscounts objects in 12 of 60 photos (40 of 100 cases, 40%, 28 to 45%): most often buses",
        ),
        (
            {
                "holds": 60,
                "omission": 40,
                "answers_with": "labels",
                "patterns": (pattern("lost", "oven", "omission", 9),),
            },
            "This tagger's labels come and go in 12 of 60 photos (40 of 100 cases, 40%, 28 to 45%): most often "
            "\u201coven\u201d",
        ),
        (
            {"holds": 1000, "contradiction": 70, "answers_with": "answer", "stories": STORIES},
            "This question answerer contradicts itself in 12 of 60 photos (70 of 1,070 cases, 7%, 28 to 45%): "
            "most often it breaks the "
            f"rule that {WHOLE}",
        ),
        (
            {"holds": 2, "invention": 3, "patterns": DOGS[1:]},
            "This captioner names objects that are not there in 12 of 60 photos (3 of 5 cases), too few to say "
            "how often in general: "
            "most often a cat",
        ),
        (
            {"omission": 12, "answers_with": None},
            "This system leaves out objects in 12 of 60 photos (all 12 cases, 100%, 28 to 45%)",
        ),
        (
            {"contradiction": 1},
            "This captioner contradicts itself in 12 of 60 photos (the one case that could be decided)",
        ),
        (
            {"holds": 8, "ungraded": 8},
            "This captioner breaks the rule of its cases in 12 of 60 photos (8 of 16 cases, 50%, 28 to 45%)",
        ),
        (
            {"holds": 200, "outcome": "passed"},
            "This captioner passed all 200 cases of 60 photos: at most 2% of such cases fail",
        ),
        (
            {"holds": 5, "outcome": "passed"},
            "This captioner passed all 5 cases of 60 photos, which are too few to say more",
        ),
        ({"holds": 1, "outcome": "passed"}, "This captioner passed the one case of 60 photos, which says little"),
        (
            {"holds": 20, "undecided": 80, "outcome": "inconclusive"},
            "This captioner passed all 20 cases of 60 photos that could be decided, but 80 of 100 could not be",
        ),
        (
            {"holds": 20, "vacuous": 18, "outcome": "inconclusive"},
            "This captioner passed all 20 cases of 60 photos, but in 18 of them it named nothing that could be wrong",
        ),
        (
            {"holds": 20, "outcome": "inconclusive"},
            "This captioner passed all 20 cases of 60 photos, but the run shows too little to trust that",
        ),
        ({"undecided": 3, "outcome": "inconclusive"}, "No case could be decided"),
        ({"undecided": 3, "outcome": "broken"}, "This captioner gives too few answers to be tested"),
        ({"state": "unjudged"}, "This run has no verdicts yet"),
        ({}, "This run has no cases"),
    ],
)
def test_the_first_sentence_says_what_fails_how_often_and_how_sure(
    empty: RunNumbers, run_of: dict[str, Any], sentence: str
) -> None:
    assert headline(numbers_of(empty, **run_of)) == sentence


def test_a_class_that_came_up_once_among_many_is_not_said_to_be_the_commonest(empty: RunNumbers) -> None:
    once = (pattern("invented", "dog", "invention", 1), pattern("invented", "cat", "invention", 1))
    sentence = headline(numbers_of(empty, holds=60, invention=40, patterns=once))
    assert sentence.endswith("(40 of 100 cases, 40%, 28 to 45%)")


def test_a_hostile_label_is_cut_and_made_visible(empty: RunNumbers) -> None:
    evil = (pattern("lost", "\u202e" + "x" * 500, "omission", 5),)
    sentence = headline(numbers_of(empty, holds=60, omission=40, answers_with="labels", patterns=evil))
    assert "\u202e" not in sentence and len(sentence) < 200


def test_issues_of_several_grades_are_told_apart(empty: RunNumbers) -> None:
    some = grade_lines(numbers_of(empty, holds=4, invention=5, miscount=1, omission=2))
    assert [line.words for line in some] == [
        "5 name something that is not there", "1 miscounts", "2 leave something out",
    ]  # fmt: skip
    assert grade_lines(numbers_of(empty, holds=4, invention=5)) == []


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0%"), (0.001, "under 1%"), (0.364, "36%"), (0.999, "over 99%"), (1, "100%")]
)
def test_a_share_never_looks_like_none_or_all(share: float, words: str) -> None:
    assert percent(share) == words


@pytest.mark.parametrize(
    ("claims", "counts", "sentence"),
    [
        (
            (("the caption loses only what was removed", 160),),
            OutcomeCounts(31, 160, 4),
            f"{REMOVED} and checked that the caption loses only what was removed: 160 of 191 cases broken.",
        ),
        (
            ((WHOLE, 4), ("the answer stays", 1)),
            OutcomeCounts(5, 5, 0),
            f"{REMOVED}: 5 of 10 cases broken, most often the rule that {WHOLE} (4).",
        ),
        (((WHOLE, 0),), OutcomeCounts(5, 0), f"{REMOVED} and checked that {WHOLE}: no case broken."),
        (((WHOLE, 0),), OutcomeCounts(5, 0, leads=2), f"{REMOVED} and checked that {WHOLE}: nothing proved."),
        (((WHOLE, 0),), OutcomeCounts(0, 0, 3), f"{REMOVED}, but none of its 3 cases could be decided."),
    ],
)  # fmt: skip
def test_a_method_says_what_it_did(claims: Any, counts: OutcomeCounts, sentence: str) -> None:
    assert story_sentence(MethodStory("rome", REMOVED, claims, counts)) == sentence


def test_a_run_tells_what_its_methods_did(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a dog", "a dog")
    run.case(run.scene("lake"), "a dog", "a cat", method="of somebody else")
    run.judge()
    numbers = read_numbers(run.store, run.config)
    assert numbers.answers_with == "caption"
    assert [story_sentence(story) for story in numbers.stories] == [
        "changed 1 photo slightly (blur, brightness, contrast, shear) and checked that the answer stays the same: "
        "no case broken.",
        "tested 1 photo and checked that the answer stays the same: 1 of 1 case broken.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "question", "kind"),
    [
        (("a dog", "a cat"), None, "caption"),
        (("2", "3"), "How many?", "answer"),
        (({"dog": 0.9}, {"cat": 0.9}), None, "labels"),
    ],
)
def test_a_system_is_known_by_its_answers(
    run: HandmadeRun, answers: tuple[Any, Any], question: str | None, kind: str
) -> None:
    run.case(run.scene("park"), *answers, question=question)
    run.judge()
    assert read_numbers(run.store, run.config).answers_with == kind


def test_the_clearest_causes_are_of_different_scenes_and_classes(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run()
    cases = three_causes(run)
    numbers = read_numbers(run.store, run.config)
    found = read_clearest(run.store, None, 1, 2)
    assert [(cause.label, cause.scene) for cause, _ in found] == [("book", "desk"), ("person", "street")]
    assert [issue.digest for _, issue in found] == [cases[0], cases[3]]
    assert [cause_sentence(cause, issue, numbers) for cause, issue in found] == [
        "Names a book that is not there", "Stops naming a person after the change",
    ]  # fmt: skip
    assert len(read_clearest(run.store, None, 1, 3)) == 3
