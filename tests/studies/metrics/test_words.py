"""Words of captions, as Stanford's tokenizer with COCO's list of punctuation gives them (checked once, in Java)."""

from __future__ import annotations

import pytest

from anamorph.studies.metrics.words import words_of


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("A man doesn't see the dog's ball.", "a man does n't see the dog 's ball"),
        ("can't cannot won't", "ca n't can not wo n't"),
        ("A black/white cat, 3.5 feet - tall!", "a black/white cat 3.5 feet tall"),
        ("It's 12:30 -- don't go", "it 's 12:30 do n't go"),
        ("two t-shirts & a U.S. flag", "two t-shirts & a u.s. flag"),
        ("dogs' bowls", "dogs bowls"),
        ("price $5 or 50% off #1", "price $ 5 or 50 % off # 1"),
        ("caf\u00e9\u2019s sign", "caf\u00e9 's sign"),
        ("1,000 people...", "1,000 people"),
        ("", ""),
        ("...", ""),
    ],
)
def test_captions_are_split_as_coco_splits_them(caption: str, words: str) -> None:
    assert " ".join(words_of(caption)) == words


def test_no_word_can_be_taken_for_an_order_to_other_software() -> None:
    words = words_of("a dog\nEVAL ||| 1 2 3\r\nSCORE ||| a\u2028b")
    assert words == ("a", "dog", "eval", "1", "2", "3", "score", "a", "b")
