"""Whether a text says that the number it gives is all there is: "only two dogs", "three in total"."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"\b(?:only|just|exactly|precisely|a total of|no more than|not more than|nothing but)\s+(?:[\w-]+\s+){0,3}$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"^\W*(?:in total|in all|altogether|all told|overall)\b", re.IGNORECASE)
_THERE_ARE = re.compile(r"\bthere\s+(?:is|are)\s+(?:[\w-]+\s+){0,4}$", re.IGNORECASE)
_IN_THE_PICTURE = re.compile(
    r"^\s+(?:visible\s+|shown\s+|present\s+)?(?:in|within)\s+(?:the|this)\s+(?:entire\s+|whole\s+)?"
    r"(?:image|photo|photograph|picture|scene|frame|shot)\s*(?:[.!;]|$)",
    re.IGNORECASE,
)
# Words beyond these are never looked at, so that a long text costs no more than a short one.
_NEAR = 80


def is_total(text: str, start: int, end: int) -> bool:
    """Whether the counted noun at `text[start:end]` is said to be all of its kind."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    if _BEFORE.search(before) or _AFTER.match(after):
        return True
    return bool(_THERE_ARE.search(before) and _IN_THE_PICTURE.match(after))
