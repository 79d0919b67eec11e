"""How many: number words, digits, and the words that stand for more than one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anamorph.reading.wordlists import word_list, word_order, word_table

UNITS = {word: value for value, word in enumerate(word_order("quantity", "units"))}
TENS = {word: 10 * place for place, word in enumerate(word_order("quantity", "tens"), start=2)}
SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,9}")

# Quantifying nouns before "of", with the number they say; None where they say only "more than one".
COLLECTIVES: dict[str, int | None] = {
    **dict.fromkeys(word_order("quantity", "collectives")),
    **word_table("quantity", "counted_collectives"),
}
# These also go before what cannot be counted: "a lot of grass".
MASSES = word_list("quantity", "masses")
# "kinds of dogs" are dogs; how many dogs is not said.
KINDS = word_list("quantity", "kinds")

# Nouns with one form for both numbers that are food as often as animals.
EDIBLE = word_list("quantity", "edible")

MANY = word_list("quantity", "many")
ONE = word_list("quantity", "one")
# What sets a thing apart from one named before.
OTHERS = word_list("quantity", "others")


def number_of(words: Sequence[str]) -> int | None:
    """The number that words in lower case say ("two", "twenty-one", "one hundred", "3"); None if they say none."""
    total = current = 0
    room = 1_000_000_000  # the next part must be smaller: "twenty one" is a number, "two three" is not
    seen = False
    for word in words:
        for part in word.split("-"):
            if part in SCALES:
                current = (current or 1) * SCALES[part]
                if SCALES[part] >= 1000:
                    total, current = total + current, 0
                room = SCALES[part]
            elif part == "and" and seen:
                continue
            else:
                value = UNITS.get(part, TENS.get(part))
                if value is None:
                    if not (part.isascii() and _DIGITS.fullmatch(part)) or (seen and room < 100):
                        return None
                    value = int(part.replace(",", ""))
                if value >= room:
                    return None
                current += value
                room = 10 if part in TENS else 1
            seen = True
    return total + current if seen else None
