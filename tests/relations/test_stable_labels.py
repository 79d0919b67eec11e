from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from anamorph import catalog
from anamorph.model import LabelSet, Verdict, canonical_json, decode, encode
from anamorph.model.protocols import RelationOptions
from anamorph.relations.stable_labels import StableLabels, image_group

sets = st.frozensets(st.sampled_from("abcd"), max_size=4)


def judge(labels: str, *outputs: str) -> Verdict:
    return StableLabels(tuple(labels)).judge([LabelSet(frozenset(output)) for output in outputs])


def test_stable_with_all_labels_is_confident() -> None:
    assert judge("ab", "abc", "abc").outcome == "holds"
    assert image_group("ab", [frozenset("abc")] * 8) == "confident"


def test_stable_without_a_label_is_in_none_of_the_three_and_no_violation() -> None:
    verdict = judge("ab", "ac", "ac")
    assert verdict.outcome == "holds" and verdict.reason == "All outputs agree, but none has 'b'."
    assert image_group("ab", [frozenset("ac")] * 2) == "none"


def test_a_label_that_comes_and_goes_is_a_label_error() -> None:
    verdict = judge("ab", "a", "ab", "a")
    assert verdict.violated == ("stable-labels",) and verdict.categories == ("label-error",)
    assert verdict.reason == "1 of 2 follow-ups have other labels than the source, and 'b' comes and goes."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(1, "b")]


def test_the_papers_cat_that_becomes_a_dog_is_a_label_error() -> None:
    """Section III-C2: the source says {cat}, all follow-ups say {dog}."""
    outputs = [frozenset({"cat"}), *[frozenset({"dog"})] * 7]
    assert image_group(("cat", "dog"), outputs) == "label-error"


def test_another_label_that_changes_is_unspecific() -> None:
    assert judge("ab", "abc", "ab").categories == ("unspecific",)
    assert judge("ab", "abc", "ab").reason.endswith("but all have 'a' and 'b'.")
    assert judge("ab", "ac", "a").categories == ("unspecific",)
    assert judge("ab", "ac", "a").reason.endswith("but no output has 'b'.")


@given(sets, st.integers(2, 8), st.sets(st.sampled_from("abcd"), min_size=1))
def test_outputs_that_agree_never_violate(output: frozenset[str], count: int, labels: set[str]) -> None:
    readings = [LabelSet(output)] * count
    assert StableLabels(tuple(sorted(labels))).judge(readings).outcome == "holds"


@given(st.lists(sets, min_size=2, max_size=8), st.sets(st.sampled_from("abcd"), min_size=1))
def test_it_is_algorithm_1_of_the_paper(outputs: list[frozenset[str]], labels: set[str]) -> None:
    if all(outputs[0] == output for output in outputs[1:]):
        expected = "confident" if labels.issubset(outputs[0]) else "none"
    else:
        anywhere = {label for output in outputs for label in output}
        everywhere = {label for label in anywhere if all(label in output for output in outputs)}
        expected = "label-error" if labels <= anywhere and not labels <= everywhere else "unspecific"
    assert image_group(tuple(labels), outputs) == expected
    verdict = StableLabels(tuple(sorted(labels))).judge([LabelSet(output) for output in outputs])
    assert verdict.categories == ("incomplete" if expected == "none" else expected,)
    shares = {"confident": 1.0, "label-error": sum(labels <= output for output in outputs) / len(outputs)}
    assert verdict.score == shares.get(expected)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_evidence_is_in_the_order_of_the_labels(order: tuple[int, int]) -> None:
    outputs = ("abd", "")
    verdict = judge("a", outputs[order[0]], outputs[order[1]])
    assert [e.text for e in verdict.evidence] == ["a", "b", "d"]


def test_outputs_without_any_label_hold_vacuously() -> None:
    assert judge("ab", "", "").outcome == "holds" and judge("ab", "", "").vacuous
    assert not judge("ab", "ac", "ac").vacuous


def test_labels_that_change_are_omissions_one_for_each_follow_up_and_label() -> None:
    verdict = judge("ab", "ac", "ab", "ac")
    assert verdict.grade == "omission"
    assert [(each.label, each.what, each.probes) for each in verdict.conflicts] == [
        ("c", "lost", (0, 1)),
        ("b", "gained", (0, 1)),
    ]


def test_as_published_every_change_counts_and_nothing_is_to_be_proved() -> None:
    outputs = [LabelSet(frozenset(output)) for output in ("ac", "ab", "ac")]
    own, published = StableLabels(("a", "b")), StableLabels(("a", "b"), published=True)
    ours, theirs = own.judge(outputs), published.judge(outputs)
    assert ours.conflicts and ours.grade == RelationOptions.grade.of(own) == "omission"
    assert theirs.conflicts == () and theirs.grade is None and RelationOptions.grade.of(published) is None
    # Nothing else is judged otherwise.
    assert replace(ours, conflicts=(), grade=None) == theirs


@given(st.lists(sets, min_size=2, max_size=8), st.sets(st.sampled_from("abcd")))
def test_as_published_or_not_the_same_images_are_violated(outputs: list[frozenset[str]], labels: set[str]) -> None:
    readings = [LabelSet(output) for output in outputs]
    relation = StableLabels(tuple(sorted(labels)))
    ours, theirs = relation.judge(readings), replace(relation, published=True).judge(readings)
    assert (ours.outcome, ours.categories, ours.score) == (theirs.outcome, theirs.categories, theirs.score)
    # What is not published is a suspicion about a class, whenever it is violated.
    assert bool(ours.conflicts) == (ours.outcome == "violated")


def test_it_is_stored_with_whether_it_judges_as_published() -> None:
    for relation in (StableLabels(("a",)), StableLabels(("a",), published=True)):
        assert decode(StableLabels, json.loads(canonical_json(encode(relation))), catalog.find) == relation
    # Plans of older versions do not say, and were graded.
    assert decode(StableLabels, {"labels": ["a"]}, catalog.find) == StableLabels(("a",))


def test_without_a_combination_only_a_change_counts() -> None:
    assert (judge("", "ab", "ab").outcome, judge("", "ab", "ab").reason) == ("holds", "All outputs agree.")
    changed = judge("", "ab", "a")
    assert (changed.outcome, changed.categories) == ("violated", ("unspecific",))
    assert changed.reason == "1 of 1 follow-ups have other labels than the source."
