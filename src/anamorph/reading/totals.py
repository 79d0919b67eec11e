"""Whether a text says that the number it gives is all there is: "only two dogs", "three in total"."""

from __future__ import annotations

from anamorph.reading.cues import cues_of
from anamorph.reading.tokens import tokenize

_CUES = cues_of("totals")
# Words beyond these are never looked at, so that a long text costs no more than a short one.
_NEAR = 80
# How many words may stand between a cue and the noun.
_REACH = {"only": 3, "there": 4}


def is_total(text: str, start: int, end: int) -> bool:
    """Whether the counted noun at `text[start:end]` is said to be all of its kind."""
    before = tokenize(text[max(0, start - _NEAR) : start]).lowers
    after = tokenize(text[end : end + _NEAR]).lowers
    led = {
        cue.kind
        for cue in _CUES.find(before)
        if len(before) - 1 - cue.last <= _REACH.get(cue.kind, -1)
        and all(word[0].isalnum() for word in before[cue.last + 1 :])
    }
    first = next((place for place, word in enumerate(after) if word[0].isalnum()), 0)
    behind = {cue.kind: cue for cue in _CUES.at(after, first)}
    if "only" in led or "in_total" in behind:
        return True
    picture = behind.get("in_picture")
    return (
        "there" in led
        and picture is not None
        and not first
        and after[picture.last + 1 :][:1] in ([], ["."], ["!"], [";"])
    )
