from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.methods.atom.scores import LabelTally
from anamorph.relations.stable_labels import image_group

CAT, BOTH = frozenset({"cat"}), frozenset({"cat", "dog"})


def tally(*images: tuple[tuple[str, ...], list[frozenset[str]]]) -> LabelTally:
    counted = LabelTally()
    for labels, outputs in images:
        counted.add(labels, outputs, image_group(labels, outputs))
    return counted


def test_the_papers_example_of_equation_1_scores_ten_of_sixteen() -> None:
    labels = ("cat", "dog")
    summary = tally((labels, [BOTH] * 8), (labels, [BOTH] * 2 + [CAT] * 6)).summary()
    (combination,) = summary.combinations
    assert combination.score == 0.625
    assert (summary.confident, summary.label_error, summary.unspecific, summary.none) == (1, 1, 0, 0)


def test_a_combination_may_be_confident_and_vulnerable() -> None:
    images = [(("cat", "dog"), [BOTH] * 2), (("dog", "cat"), [BOTH, CAT]), (("cat",), [BOTH, BOTH])]
    summary = tally(*images).summary()
    assert len(summary.combinations) == 2
    assert summary.confident_percent == 100.0 and summary.vulnerable_percent == 50.0


def test_a_combination_with_neither_has_no_score_but_counts() -> None:
    summary = tally((("dog",), [CAT] * 8), (("cat",), [BOTH, CAT])).summary()
    assert [each.score for each in summary.combinations] == [None, None]
    assert (summary.unspecific, summary.none) == (1, 1)
    assert summary.confident_percent == summary.vulnerable_percent == 0.0


def test_no_image_is_no_error() -> None:
    assert LabelTally().summary().confident_percent == 0.0


@given(st.lists(st.lists(st.sampled_from([CAT, BOTH, frozenset[str]()]), min_size=2, max_size=8), max_size=6))
def test_the_score_is_equation_1(images: list[list[frozenset[str]]]) -> None:
    labels = ("cat", "dog")
    summary = tally(*((labels, outputs) for outputs in images)).summary()
    used = [outputs for outputs in images if image_group(labels, outputs) in ("confident", "label-error")]
    seen = [set(labels) <= output for outputs in used for output in outputs]
    score = summary.combinations[0].score if summary.combinations else None
    assert score == (pytest.approx(sum(seen) / len(seen)) if seen else None)
    assert summary.confident + summary.label_error + summary.unspecific + summary.none == len(images)
