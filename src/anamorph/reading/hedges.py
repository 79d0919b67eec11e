"""Which hedges still claim what they hedge, and which only guess at it; captions and answers are read alike.

"There appears to be a dog", "what looks like a dog" and "probably a dog" claim a dog; "possibly a dog" and "it might be
a dog" only guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.reading.wordlists import word_list

# What follows is only a guess.
GUESSES, MIGHT = word_list("hedges", "guesses"), word_list("hedges", "might")
# What follows is claimed, except for the kind of what was just named: "a dog, probably a beagle".
PROBABLY = word_list("hedges", "probably")
_LOOKS, _LOOK = word_list("hedges", "looks"), word_list("hedges", "look")
_SUBJECTS = word_list("hedges", "subjects")
_ANYTHING = (["something", "that"], ["something", "which"], ["someone", "who"])


def looks_like(lowers: Sequence[str], place: int) -> bool:
    """Whether the "like" at a place claims what follows: "it looks like two", not "a cloud looks like a dog"."""
    if place < 1 or lowers[place] != "like":
        return False
    before = lowers[place - 2] if place > 1 else "."
    if lowers[place - 1] in _LOOK:
        return before == "what"  # not "it makes them look like two"
    if lowers[place - 1] not in _LOOKS:
        return False
    return before in _SUBJECTS or not before[0].isalnum() or lowers[max(0, place - 3) : place - 1] in _ANYTHING
