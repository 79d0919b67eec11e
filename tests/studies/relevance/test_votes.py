from __future__ import annotations

import itertools

import pytest

from anamorph.studies.relevance.votes import Judgement, Relevance, RelevanceCounts, sum_up, vote

LETTERS: dict[str, Relevance] = {"s": "strong", "w": "weak", "i": "irrelevant"}


def judged(image: str, labels: str, choices: str) -> list[Judgement]:
    names = ("ann", "bob", "eve")
    pairs = zip(names, choices, strict=False)
    return [
        Judgement(image, tuple(labels.split("+")), name, LETTERS[choice]) for name, choice in pairs if choice != "-"
    ]


@pytest.mark.parametrize(
    ("choices", "expected", "tied"),
    [
        *(("s", "strong", False), ("sss", "strong", False), ("ssi", "strong", False), ("wwi", "weak", False)),
        # The paper: "if the three results differ from each other, then the image is annotated as Weak-Relevant".
        *(("swi", "weak", True), ("si", "weak", True), ("sw", "weak", True), ("ssii", "weak", True)),
    ],
)
def test_most_votes_win_and_a_tie_is_weak(choices: str, expected: str, tied: bool) -> None:
    for order in itertools.permutations(choices):
        assert vote([LETTERS[each] for each in order]) == (expected, tied)


def test_ri_and_rlc_are_those_of_the_papers_table_3() -> None:
    # VOC, k = 2: 898 photos, 600 strong, 180 weak, 118 irrelevant: RI 86.9 %; RLC 98.4 % of 188 combinations.
    row = RelevanceCounts(2, 188, 185, 600, 180, 118)
    assert row.images == 898
    assert round(100 * row.relevant_images_share, 1) == 86.9 and round(100 * row.relevant_combinations_share, 1) == 98.4


def test_photos_are_counted_per_combination_and_combinations_by_their_best_photo() -> None:
    summary = sum_up(
        [
            *judged("1", "cat+dog", "sss"),
            *judged("2", "dog+cat", "iis"),
            *judged("3", "car+cat", "iii"),
            *judged("1", "cat", "www"),
        ]
    )
    one, two = summary.per_size
    assert (one.size, one.combinations, one.weak, one.relevant_images_share) == (1, 1, 1, 1.0)
    assert (two.combinations, two.relevant_combinations, two.strong, two.irrelevant) == (2, 1, 1, 2)
    assert two.relevant_images_share == 1 / 3 and two.relevant_combinations_share == 0.5
    assert [each.labels for each in summary.votes if each.image == "2"] == [("cat", "dog")]


def test_the_later_judgement_of_one_person_stands() -> None:
    summary = sum_up([*judged("1", "cat", "i"), *judged("1", "cat", "s")])
    assert (summary.judgements, summary.revised) == (1, 1)
    assert summary.votes[0].relevance == "strong" and summary.agreement.pairs == {}


def test_agreement_is_over_pairs_and_over_what_everybody_judged() -> None:
    rows = ["sss", "www", "iii", "ssw", "s-s"]
    summary = sum_up(each for number, row in enumerate(rows) for each in judged(str(number), "cat", row))
    agreement = summary.agreement
    assert agreement.annotators == ("ann", "bob", "eve") and agreement.judged_by_all == 4
    assert agreement.pairs["ann", "bob"] == 1.0
    # ann and eve: 4 of 5 alike; by chance (3 * 2 + 1 * 2 + 1 * 1) / 25.
    assert agreement.pairs["ann", "eve"] == pytest.approx((0.8 - 0.36) / 0.64)
    # Fleiss: observed (1 + 1 + 1 + 1/3) / 4; strong 5, weak 4, irrelevant 3 of 12.
    expected = (25 + 16 + 9) / 144
    assert agreement.fleiss == pytest.approx((10 / 12 - expected) / (1 - expected))
    assert agreement.mean == pytest.approx(sum(filter(None, agreement.pairs.values())) / 3)


@pytest.mark.parametrize("fields", [{"image": ""}, {"annotator": ""}, {"labels": ()}, {"labels": ("cat", "cat")}])
def test_a_judgement_without_its_parts_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"a judgement names|a combination has"):
        Judgement(**{"image": "1", "labels": ("cat",), "annotator": "ann", "relevance": "weak", **fields})  # type: ignore[arg-type]


def test_reasons_of_weak_relevance_are_counted_by_the_judgement_that_stands() -> None:
    weak = Judgement("a", ("cat",), "ann", "weak", reason="merging")
    found = sum_up([Judgement("a", ("cat",), "ann", "weak", reason="blur"), weak, *judged("b", "cat", "ws")])
    assert found.reasons == {"blur": 0, "incompleteness": 0, "merging": 1, "abstraction": 0, "not said": 1}
    assert sum_up([weak, Judgement("a", ("cat",), "ann", "strong")]).reasons == {}
    with pytest.raises(ValueError, match="only weak relevance has a reason"):
        Judgement("a", ("cat",), "ann", "strong", reason="blur")
