"""Questions with lettered options, and answers that name one of them: "(B)", "A: Yes", "The answer is C"."""

from __future__ import annotations

import re

_OPTION = re.compile(r"(?:^|[\s,;?(])\(?([A-H])\s*[).:]\s+(?=\S)")
_HEADING = re.compile(r"\s*\b(?:options|choices|answer choices)\s*:\s*$", re.IGNORECASE)
_LETTER = re.compile(
    r"\W*(?i:(?:the\s+)?(?:correct\s+|right\s+|best\s+|final\s+)?(?:answer|option|choice)(?:\s+is)?\s*:?\s*)?"
    r"(?i:option\s+|choice\s+)?[*_(\[]*([A-Ha-h])[*_]*(?:\s*[).:\]][*_]*(?=\s|$)|\W*$)"
)
# "Q: Is there a dog? A: Yes"
_TURNS = re.compile(r"\s*(?:q(?:uestion)?\s*:[^\n?]*\?\s*)?[*_]*(?:a|ans)[*_]*\s*:[*_]*\s+(?=\S)", re.IGNORECASE)


def without_options(question: str) -> tuple[str, dict[str, str]]:
    """A question without its lettered options, and what these say."""
    found = list(_OPTION.finditer(question))
    letters = [each[1] for each in found]
    if len(found) < 2 or letters != [chr(ord("A") + place) for place in range(len(found))]:
        return question, {}
    ends = [*(each.start() for each in found[1:]), len(question)]
    options = {
        each[1]: question[each.end() : end].split("\n")[0].strip(" \t\n,;.(")
        for each, end in zip(found, ends, strict=True)
    }
    return _HEADING.sub("", question[: found[0].start()].rstrip(" (")), options


def chosen(answer: str, options: dict[str, str]) -> str:
    """An answer with the option that its letter stands for in place of the letter; without the "A:" of a dialogue."""
    if options and (letter := _LETTER.match(answer)) is not None:
        said = options.get(letter[1].upper())
        if said is not None:
            return said
    found = _TURNS.match(answer)
    return answer[found.end() :] if found else answer
