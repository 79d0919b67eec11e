"""Caption metrics against values worked out by hand from their definitions."""

from __future__ import annotations

import math
import sys

import pytest

from anamorph.errors import MissingExtra
from anamorph.studies.metrics.metrics import CaptionedPhoto, Cider, Words, bleu, rouge_l


def words(text: str) -> Words:
    return tuple(text.split())


def item(caption: str, *references: str, photo: str = "1") -> CaptionedPhoto:
    return CaptionedPhoto(photo, words(caption), tuple(map(words, references)))


def test_bleu_is_the_geometric_mean_of_precisions_times_the_penalty_for_brevity() -> None:
    pytest.importorskip("sacrebleu", reason="BLEU needs sacrebleu: pip install 'anamorph[metrics]'")
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 runs of four are in the reference, which is as long.
    found = bleu([item("a b c d x f", "a b c d e f")])
    precisions = (5 / 6, 3 / 5, 2 / 4, 1 / 3)
    expected = [math.prod(precisions[:order]) ** (1 / order) for order in (1, 2, 3, 4)]
    assert found == pytest.approx(expected, abs=1e-9)
    # Shorter than the closest reference by 2 of 6 words: exp(1 - 6/4).
    assert bleu([item("a b c d", "a b c d e f", "a b c d e f g h")]) == pytest.approx([math.exp(-0.5)] * 4, abs=1e-9)


def test_bleu_counts_over_the_whole_corpus_and_a_word_no_more_often_than_a_reference_has_it() -> None:
    pytest.importorskip("sacrebleu", reason="BLEU needs sacrebleu: pip install 'anamorph[metrics]'")
    # Papineni's example: "the" counts twice. 2 of 7 and 1 of 1 words. Numbers of references may differ.
    found = bleu([item("the the the the the the the", "the cat is on the mat", "there is a cat"), item("dog", "dog")])
    assert found[0] == pytest.approx(3 / 8, abs=1e-9)
    assert found[3] == 0
    # An empty caption adds nothing but the length of its reference.
    assert bleu([item("a b", "a b"), item("", "c d")])[0] == pytest.approx(math.exp(1 - 4 / 2), abs=1e-9)


def test_bleu_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(MissingExtra, match=r"pip install 'anamorph\[metrics\]'"):
        bleu([item("a dog", "a dog")])


def test_rouge_l_weighs_the_recall_of_the_longest_common_subsequence() -> None:
    # Common to "a dog runs fast" and "a big dog quickly runs": a dog runs. Precision 3/4, recall 3/5.
    by_hand = (1 + 1.44) * 0.75 * 0.6 / (0.6 + 1.44 * 0.75)
    assert rouge_l(words("a dog runs fast"), [words("a big dog quickly runs")]) == pytest.approx(by_hand)
    # The best precision and the best recall may be of two references: 3/4 of the first, 1/1 of the second.
    by_hand = (1 + 1.44) * 0.75 * 1.0 / (1.0 + 1.44 * 0.75)
    both = [words("a big dog quickly runs"), words("dog")]
    assert rouge_l(words("a dog runs fast"), both) == pytest.approx(by_hand)
    assert rouge_l(words("a cat"), [words("two dogs")]) == rouge_l((), [words("two dogs")]) == 0
    assert rouge_l(words("two dogs"), [words("two dogs")]) == pytest.approx(1)


def test_cider_of_identical_captions_with_words_of_their_own_is_ten() -> None:
    references = {"1": [words("a b c d e")], "2": [words("f g h i j")], "3": [words("k l m n o")]}
    cider = Cider.over(references)
    assert cider.score(words("a b c d e"), references["1"]) == pytest.approx(10)
    # Twice the same reference, or one that shares nothing beside it.
    assert cider.score(words("a b c d e"), references["1"] * 2) == pytest.approx(10)
    assert cider.score(words("a b c d e"), [*references["1"], *references["2"]]) == pytest.approx(5)
    assert cider.score(words("k l m n o"), references["1"]) == cider.score((), references["1"]) == 0


def test_cider_gives_no_weight_to_what_every_photo_has_and_a_penalty_to_other_lengths() -> None:
    cider = Cider.over({"1": [words("a dog")], "2": [words("a cat")]})
    # "a" is in both photos' references and weighs 0; one word and one pair agree, of four lengths.
    assert cider.score(words("a dog"), [words("a dog")]) == pytest.approx(5)
    # "the dog": "the" is in no reference, so it weighs as much as "dog": cosine 1/sqrt(2), no pair agrees.
    assert cider.score(words("the dog"), [words("a dog")]) == pytest.approx(10 / 4 / math.sqrt(2))
    # "dog" alone is one word shorter: exp(-1 / 72).
    assert cider.score(words("dog"), [words("a dog")]) == pytest.approx(10 / 4 * math.exp(-1 / 72))
    # "dog dog" counts once: min(2w, w) w / (2w w).
    assert cider.score(words("dog dog"), [words("a dog")]) == pytest.approx(10 / 4 / 2)
