"""What chat models put around a caption or an answer: thoughts, markup, "Here is a caption:", offers of more."""

from __future__ import annotations

import re

from anamorph.reading.wordlists import has_any

_PICTURE = r"(?:image|picture|photo|photograph|scene)"
_TEXT = r"(?:captions?|descriptions?|alt(?:ernative)?[- ]?texts?|sentences?|summary|answers?)"
_OF_PICTURE = rf"(?:\s+(?:for|of|to|that\s+\w+)\s+(?:[\w-]+\s+){{0,3}}(?:{_PICTURE}|question|it))?"

# Nearly every text has none of these, and is read as it is.
_MARKS = re.compile(r"[*`#<>{:_\n\u2022]")
_CUES = (
    "answer is",
    "as an ",
    "as a ",
    " but ",
    "however",
    "instead",
    "let me",
    "feel free",
    "hope",
    " you",
    "anything",
)
_THOUGHTS = re.compile(r"^(?:\s*<(think(?:ing)?|reasoning|thought)>.*?(?:</\1>|$)|.*</think(?:ing)?>)", re.S | re.I)
_MARKUP = re.compile(
    r"^[ \t]*```[\w-]*[ \t]*$|```|`|\*+|(?<!\w)__(?=\w)|(?<=[\w.!?])__(?!\w)"
    r"|^[ \t]*(?:#{1,6}|>+|[-\u2022])[ \t]+|</?[A-Za-z][\w-]{0,30}>",
    re.MULTILINE,
)
_FIRST_OF_LIST = re.compile(r"^\s*1[.)]\s+(?=\S*[A-Za-z])")
_KEY = re.compile(r"^\s*\{\s*\"[\w -]{1,30}\"\s*:|\}\s*$")
_OPENING = re.compile(
    rf"""^\s*
    (?: (?:sure|certainly|of\s+course|absolutely|okay|ok|great|happy\s+to\s+help)(?:\s+thing)?\s*[,!.:]\s* )?
    (?: here(?:'s|\s+is|\s+are)\s+(?:[\w-]+\s+){{0,5}}?{_TEXT}{_OF_PICTURE}\s*[:\n]
      | (?:(?:the|a|an|my|one|two|three)\s+)?(?:[\w-]+\s+){{0,2}}?{_TEXT}{_OF_PICTURE}\s*(?:is\s*)?:
      | (?:the|my)\s+(?:[\w-]+\s+)?answer(?:\s+to\s+(?:[\w-]+\s+){{1,3}}?)?\s+is\b\s*:?
      | (?:caption|description|answer|alt[- ]?text)\s*\n
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = re.compile(
    r"""(?:^|(?<=[.!?"'\u201d)\s]))\s*
    (?: (?:please\s+)?(?:let\s+me\s+know|feel\s+free)\b
      | i\s+hope\s+(?:this|that|it)\b | hope\s+(?:this|that)\s+helps
      | (?:would|do)\s+you\s+(?:like|want|need)\b
      | if\s+you(?:'d|\s+would)?\s+(?:like|want|need)\b
      | is\s+there\s+anything\s+else\b
    )[^\n]*\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_SELF = re.compile(
    r"\bas\s+an?\s+(?:(?:ai|artificial\s+intelligence|(?:large\s+)?(?:visual\s+|vision\s+)?language)\b)"
    r"(?:\s+(?:language|vision|visual|model|assistant|system))*\s*,?",
    re.IGNORECASE,
)
# "I can't say who this is, but the photo shows a man on a horse" answers; what comes before is not part of it.
_THING = r"(?:a|an|the|two|three|four|several|some|one)\s+(?:[\w-]+\s+){1,3}"
_YET = re.compile(
    rf"""^[^\n]{{0,200}}?(?:\b(?:can't|cannot|can\s+not|unable|not\s+able|won't|don't|do\s+not|sorry)\b)[^\n]{{0,160}}?
    \b(?:but|however|instead)\b,?\s*
    (?= (?:the|this)\s+{_PICTURE}\s+(?:shows?|depicts?|features?|contains?|captures?)\b
      | there\s+(?:is|are)\s+(?!no\b|nothing\b|not\b|an?\s+(?:error|issue|problem)\b)
      | i\s+can\s+(?:clearly\s+)?see\s+(?!no\b|that\s+no\b)
      | {_THING}(?:is|are|in|on|with|stands?|sits?|holds?|wears?|rides?|walks?|lies?)\b
      | it\s+(?:shows|depicts|features)\b
    )
    | ^[^\n]{{0,200}}?\b(?:can't|cannot|unable|not\s+able)\b[^\n]{{0,160}}?\b(?:but|however)\b,?\s*
      i\s+can\s+(?:still\s+)?(?:describe|tell|say|share)\b[^.:!?\n]{{0,60}}[:.]\s+
      (?=(?:the|a|an|it|this|there|in|two|three|one)\b(?!\s+(?:if|when)))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_END = 400
_STRAIGHT = str.maketrans("\u2018\u2019", "''")


def unwrapped(text: str, *, answer: bool = False) -> str:
    """The text with all that is around its message blanked out, so that every place in it stays where it is.

    To a question, "1. It is red." and "I can't see a dog, but there is a cat" say what they say from the beginning.
    """
    if not _MARKS.search(text) and not text.startswith(("-", "1", " ")) and not has_any(_CUES, text.lower()):
        return text
    found = text.translate(_STRAIGHT)
    found = _blank(_THOUGHTS, found)
    found = _blank(_MARKUP, found)
    found = _blank(_KEY, found)
    found = _blank(_OPENING, found)
    if not answer:
        found = _blank(_FIRST_OF_LIST, found)
    found = found[:-_END] + _blank(_CLOSING, found[-_END:])
    if not answer:
        found = _blank(_YET, found)
    found = _SELF.sub(_without_excuse, found)
    # The marks that were straightened for the patterns keep their own form.
    return "".join([" " if now == " " else was for was, now in zip(text, found, strict=True)])


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)


_EXCUSE = re.compile(r"[^.!?\n]{0,80}?\b(?:\w+n't|not|cannot|unable|never|without|no)\b", re.IGNORECASE)


def _without_excuse(match: re.Match[str]) -> str:
    """Drop "as an AI" before what it sees; keep it before what it cannot or will not, where it is part of a refusal."""
    return match[0] if _EXCUSE.match(match.string, match.end()) else " " * len(match[0])
