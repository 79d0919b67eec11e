"""Which colours and deeds a text gives to a thing that it names: "a red bus", "a woman who is sitting"."""

from __future__ import annotations

import re

from anamorph.reading.wordlists import word_list, word_table

COLOURS, DEEDS = word_list("attribute_groups", "colours"), word_list("descriptions", "deeds")
_LOOKS = COLOURS | DEEDS
_SAME: dict[str, str] = word_table("attributes", "same")
_UPRIGHT, _SEATED, _LYING = (word_list("descriptions", name) for name in ("upright", "seated", "lying"))
_ADJECTIVE = re.compile(rf"\b({'|'.join(sorted(COLOURS))})(?:,? and|,)?[ -]$")
# Not "people reading books".
_PARTICIPLE = re.compile(rf"\b(?:an?|the|one|two|three|four|{'|'.join(sorted(COLOURS))}) ({'|'.join(sorted(DEEDS))}) $")
_VERB = re.compile(
    r"(?:,? (?:who|that|which))?(?: (?:is|are|was|were|appears to be|seems to be))?"
    r"(?: (?:also|currently|both))? ([a-z]+)\b"
)
_MORE = re.compile(r"(?:,| and|, and) ([a-z]+)\b")
# Words beyond these are never looked at, so that a long text costs no more than a short one.
_NEAR = 60


def described_as(text: str, start: int, end: int) -> frozenset[str]:
    """The colours and deeds that are said of the noun at `text[start:end]`, each in one spelling."""
    found = set()
    before, after = text[max(0, start - _NEAR) : start].lower(), text[end : end + _NEAR].lower()
    while (adjective := _ADJECTIVE.search(before)) is not None:
        found.add(adjective[1])
        before = before[: adjective.start(1)]
    participle = _PARTICIPLE.search(before)
    if participle is not None:
        found.add(participle[1])
    verb = _VERB.match(after)
    while verb is not None and verb[1] in _LOOKS:
        found.add(verb[1])
        verb = _MORE.match(after, verb.end())
    return frozenset(_SAME.get(word, word) for word in found)


def exclude_each_other(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether nothing can be as both say at once: nobody sits and stands."""
    return any(
        (one & (_SEATED | _LYING) and not one & _UPRIGHT and other & _UPRIGHT and not other & (_SEATED | _LYING))
        for one, other in ((some, others), (others, some))
    )
