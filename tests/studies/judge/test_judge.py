from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph import catalog
from anamorph.catalog import CATALOG
from anamorph.errors import UsageError
from anamorph.methods.metavqa.relations import BY_NAME
from anamorph.model.protocols import MethodOptions
from anamorph.studies.judge.files import BadLine, RecordedLine
from anamorph.studies.judge.judge import JudgedRow
from anamorph.studies.judge.rows import RelationRow
from anamorph.studies.judge.summary import TranscriptSummary
from tests.studies.judge.judging import JUDGE, judging, problem, verdict as judge

# A method that plans in rounds has no rows of its own; its relations can be named in any row.
FOUND = [MethodOptions.recorded.of(catalog.find("methods", name)) for name in CATALOG["methods"]]
ROWS: list[Any] = [RelationRow, *(row for row in FOUND if row is not None)]

ROME = {"method": "rome", "ancestor": "a dog and a cat", "descendant": "a cat", "removed": ["dog"]}


def test_a_rome_pair_is_judged_with_the_keys_that_are_promised() -> None:
    assert judge(ROME) == {
        "id": "x",
        "outcome": "holds",
        "violated": [],
        "categories": [],
        "reason": "The caption loses only 'dog', which was removed.",
    }


def test_gone_says_which_class_has_no_object_left() -> None:
    row = {**ROME, "descendant": "a dog and a cat"}
    assert judge({**row, "gone": []})["outcome"] == "holds"
    assert judge({**row, "gone": ["dog"]})["violated"] == ["mr2"]
    assert judge({**row, "ancestor": "dogs and a cat", "gone": ["dog"]})["violated"] == ["mr2"]


def test_without_gone_nobody_guesses_whether_any_is_left_unless_the_paper_does() -> None:
    row = {**ROME, "descendant": "a dog and a cat"}
    assert judge(row)["outcome"] == "undecided"
    assert judge({**row, "descendant": "a cat"})["outcome"] == "holds"
    assert judge(row, judging("paper"))["violated"] == ["mr2"]


def test_objects_say_what_is_gone_and_how_many_there_are() -> None:
    row = {**ROME, "descendant": "a dog and a cat"}
    assert judge({**row, "objects": {"dog": 1, "cat": 1}})["grade"] == "invention"
    assert judge({**row, "objects": {"dog": 2, "cat": 1}})["outcome"] == "holds"
    two = {**row, "ancestor": "two dogs and a cat", "descendant": "two dogs and a cat"}
    assert judge({**two, "objects": {"dog": 2, "cat": 1}})["violated"] == ["quantity"]
    assert "objects.dog: must be at least 1, as many as were removed" in problem({**row, "objects": {"cat": 1}})


def test_classes_may_be_spelled_as_the_published_lists_do() -> None:
    row = {"method": "rome", "ancestor": "hot dogs on a grill", "descendant": "a grill", "removed": ["hot_dog"]}
    assert judge(row)["outcome"] == "holds"
    assert judge({**row, "removed": "Hot dog"})["outcome"] == "holds"


def test_references_that_do_not_name_what_both_captions_name_are_shown() -> None:
    row = {**ROME, "references": ["a kitten sits", "a bird sits"], "descendant": "a cat sits"}
    references = judge(row)["references"]
    assert references == {"invariant": ["cat"], "unnamed": [], "unnamed_by": [[], ["cat"]]}
    lifted = {"method": "metaic", "background": "a dog", "generated": "a dog and a car", "inserted": "car"}
    assert judge({**lifted, "references": ["a cat"]})["references"]["unnamed"] == []


def test_a_metaic_pair_evaluates_both_relations_unless_the_released_tool_is_replayed() -> None:
    row = {"method": "metaic", "background": "a cat", "generated": "two cats", "inserted": "dog"}
    assert judge(row)["violated"] == ["mr1", "mr2"]
    assert judge(row, judging("released"))["violated"] == ["mr1"]


def test_the_released_profile_knows_class_words_only() -> None:
    row = {"method": "metaic", "background": "an elephant", "generated": "an elephant and a parrot", "inserted": "bird"}
    assert judge(row)["outcome"] == "holds"
    assert judge(row, judging("released"))["violated"] == ["mr1"]


def test_another_label_space_is_a_setting_of_the_reader() -> None:
    row = {"method": "rome", "ancestor": "a sofa", "descendant": "a sofa", "removed": ["sofa"]}
    assert "'sofa' is not a class of the label space coco." in problem(row)
    assert judge({**row, "gone": ["sofa"]}, judging(caption={"labels": "voc"}))["violated"] == ["mr2"]


SPOLRE = {
    "method": "spolre",
    "references": ["two dogs on a couch", "dogs and a sofa"],
    "objects": {"dog": 2, "couch": 1, "tv": 1},
    "generated": "two dogs on a couch",
}


@pytest.mark.parametrize(
    ("generated", "categories"),
    [
        ("two dogs on a couch", []),
        ("dogs on a couch", []),
        ("three dogs on a couch", ["quantity"]),
        ("a couch and a tv", ["omission"]),
        ("two cats on a couch", ["misclassification"]),
    ],
)
def test_spolre_expects_what_is_segmented_and_named_by_a_reference(generated: str, categories: list[str]) -> None:
    assert judge({**SPOLRE, "generated": generated})["categories"] == categories


@pytest.mark.parametrize(
    ("references", "guarded"),
    [
        (["two dogs on a couch", "dogs and a sofa"], ["quantity"]),
        (["two dogs on a couch", "a sofa"], ["quantity"]),
        (["two dogs on a couch", "a sofa", "a couch"], []),
        (["two dogs on a couch", "dogs", "a dog on a couch"], []),
    ],
)
def test_spolre_takes_a_bare_singular_for_one_as_its_released_code_or_where_references_have_a_plural(
    references: list[str], guarded: list[str]
) -> None:
    row = {**SPOLRE, "references": references, "generated": "a dog on a couch"}
    assert judge(row, judging("paper"))["violated"] == []
    assert judge(row, judging("released"))["violated"] == ["quantity"]
    assert judge(row, judging("released-guarded"))["violated"] == guarded
    assert "grade" not in judge(row, judging("released"))


def test_rows_of_a_method_without_the_profile_are_judged_by_default() -> None:
    row = {"method": "metaic", "background": "an elephant", "generated": "an elephant and a parrot", "inserted": "bird"}
    assert judge(row, judging("released-guarded"))["outcome"] == "holds"
    assert judge({"relation": "same-answer", "answers": ["a", "b"]}, judging("released"))["outcome"] == "violated"


def test_an_unknown_profile_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="default, paper, released, released-guarded, released-rerun, got 'relased'"):
        judging("relased")


def test_spolre_without_references_expects_all_objects() -> None:
    assert judge({**SPOLRE, "references": []})["categories"] == ["omission"]
    assert judge({**SPOLRE, "references": ["a hill"]})["outcome"] == "undecided"


@pytest.mark.parametrize(
    ("relation", "answers", "violated"),
    [
        ("object-partition", ["5", "two", 3], []),
        ("property partition", ["5", "two", "two"], ["property-partition"]),
        ("reordering", ["There are two dogs.", "3"], ["reordering"]),
        ("reversion", ["yes", "yes"], ["reversion"]),
        ("cutting", ["4", "1", "3"], []),
        ("Insertion", [True, False], ["insertion"]),
        ("removal", ["many", "2"], []),
        ("removal+", ["0", "0"], ["removal+"]),
        ("removal_plus", ["1", "none"], []),
        ("pieces-add-up", ["4", "1", "1"], ["cutting"]),
    ],
)
def test_metavqa_relations_go_by_the_names_of_the_paper(relation: str, answers: list[Any], violated: list[str]) -> None:
    judged = judge({"method": "metavqa", "relation": relation, "answers": answers})
    assert judged["violated"] == judged["categories"] == violated


def test_the_negated_question_of_a_cut_can_be_told() -> None:
    row = {"method": "metavqa", "relation": "cutting", "answers": ["no", "yes", "no"]}
    assert judge(row)["outcome"] == "violated"
    assert judge({**row, "asks": "is-there-no"})["outcome"] == "holds"


def test_atom_tells_the_group_of_the_image() -> None:
    row = {"method": "atom", "labels": ["cat", "dog"], "outputs": [["cat", "dog"], ["cat", "dog"]]}
    assert judge(row)["image"] == "confident"
    judged = judge({**row, "outputs": [["cat", "dog"], ["cat"]]})
    assert (judged["image"], judged["outcome"], judged["categories"]) == ("label-error", "violated", ["label-error"])
    scored = {**row, "outputs": [{"cat": 0.9, "dog": 0.8}, {"cat": 0.9, "dog": 0.1}]}
    assert judge(scored)["image"] == "label-error"


def test_deeptest_compares_captions_and_label_sets() -> None:
    assert judge({"method": "deeptest", "source": "A dog.", "follow_up": "a dog"})["outcome"] == "holds"
    assert judge({"method": "deeptest", "source": "A dog.", "follow_up": "a cat"})["outcome"] == "violated"
    assert judge({"method": "deeptest", "source": ["a", "b"], "follow_up": ["b", "a"]})["outcome"] == "holds"


@pytest.mark.parametrize(
    "row",
    [
        {**ROME, "descendant": None},
        {**ROME, "ancestor": ""},
        {"method": "metaic", "background": "a dog", "generated": "I cannot describe this image.", "inserted": "dog"},
        {**SPOLRE, "generated": None},
        {"method": "metavqa", "relation": "reversion", "answers": ["yes", None]},
        {"method": "atom", "labels": ["a"], "outputs": [["a"], None]},
        {"method": "deeptest", "source": " ", "follow_up": "a dog"},
    ],
)
def test_a_missing_or_unreadable_answer_is_undecided(row: dict[str, Any]) -> None:
    assert judge(row)["outcome"] == "undecided"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({}, 'method: is missing. A row names a method, or a relation with "answers".'),
        ({"method": "rom"}, "Unknown method 'rom'. Did you mean 'rome'?"),
        ({"method": "rome", "ancestor": "a", "descendant": "b"}, "removed: is missing."),
        ({**ROME, "removed": [3]}, "removed[0]: expected a string, got 3."),
        ({**ROME, "removed": ["dogg"]}, "removed: 'dogg' is not a class of the label space coco. Did you mean 'dog'?"),
        ({**ROME, "ancestor": 3}, "ancestor: expected a string"),
        ({**ROME, "gon": ["dog"]}, "gon: unknown key. Did you mean 'gone'?"),
        ({**ROME, "id": [1]}, "id: expected a string or a whole number"),
        ({**SPOLRE, "objects": {"dog": -1}}, "objects.dog: must be at least 0, got -1."),
        ({"method": "metavqa", "relation": "cuting", "answers": ["1", "1"]}, "Did you mean 'cutting'?"),
        ({"method": "metavqa", "relation": "cutting", "answers": ["1"]}, "cutting needs the source's answer and"),
        ({"method": "metavqa", "relation": "removal+", "answers": ["1", "0", "0"]}, "removal+ needs two answers"),
        ({"method": "metavqa", "relation": "reversion", "answers": ["1", "0"], "asks": "is-there"}, "leave it out."),
        ({"method": "atom", "labels": [], "outputs": [["a"], ["a"]]}, "labels: needs at least one label."),
        ({"method": "atom", "labels": ["a"], "outputs": [["a"]]}, "outputs: needs the source's labels"),
        ({"method": "atom", "labels": ["a"], "outputs": [[1], ["a"]]}, "outputs[0]"),
        ({"method": "deeptest", "source": "a dog"}, "follow_up: is missing."),
    ],
)
def test_a_bad_row_says_what_is_wrong(row: dict[str, Any], complaint: str) -> None:
    assert complaint in problem(row)


def test_keys_of_the_users_own_are_let_be() -> None:
    assert judge({**ROME, "image": "0001.jpg", "note": "blurred"})["outcome"] == "holds"


def test_the_summary_counts_methods_parts_kinds_and_reasons() -> None:
    summary = TranscriptSummary()
    given_rows = [{**ROME, "id": 1}, {**ROME, "id": 2, "descendant": "a bird"}, {**ROME, "id": 3, "descendant": ""}]
    for row in JUDGE.judge_all([*(RecordedLine(n, row) for n, row in enumerate(given_rows, 1)), BadLine(9, "no.")]):
        summary.add(row)
    record = summary.record()
    assert (record["judged"], record["holds"], record["violated"], record["undecided"]) == (3, 1, 1, 1)
    assert record["bad_lines"] == 1 and record["bad"] == [{"line": 9, "problem": "no."}]
    rome = record["methods"]["rome"]
    assert rome["violated_parts"] == {"mr1": 1} and rome["categories"] == {"newly named": 1, "omission": 1}
    assert list(rome["undecided_reasons"].values()) == [1]
    assert "atom" not in record


@given(
    st.dictionaries(
        st.sampled_from(sorted({"id", "method", *(name for cls in ROWS for name in cls.__slots__)})),
        st.sampled_from([*CATALOG["methods"], *CATALOG["relations"], *BY_NAME])
        | st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
            max_leaves=4,
        ),
    )
)
def test_any_row_is_judged_or_named_as_bad(plain: dict[str, Any]) -> None:
    judged = JUDGE.judge(RecordedLine(1, plain))
    assert isinstance(judged, JudgedRow | BadLine)
    if isinstance(judged, BadLine):
        assert judged.problem.endswith(".")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_pair_of_texts_is_judged(one: str, other: str) -> None:
    for by in (JUDGE, RELEASED):
        assert judge({"method": "rome", "ancestor": one, "descendant": other, "removed": ["dog"]}, by)["reason"]
        assert judge({"method": "metaic", "background": one, "generated": other, "inserted": "dog"}, by)["reason"]
    assert judge({"method": "metavqa", "relation": "reversion", "answers": [one, other]})["reason"]


RELEASED = judging("released")
