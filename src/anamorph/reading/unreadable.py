"""Texts that do not answer: empty ones, refusals, and what is not English."""

from __future__ import annotations

import functools
import re

from anamorph.reading.tokens import Tokens
from anamorph.reading.wordlists import CLOSED, has_any, word_list, word_order

_DEED = (
    r"(?:help|assist|provide|describe|process|identify|caption|analy[sz]e|comply|fulfil|fulfill|complete|generate|create|"
    r"answer|discuss|continue|offer|give|recogni[sz]e|interpret|comment|engage|support|perform|respond|do|fetch|load|"
    r"display|proceed)\b"
)
# "I cannot see any image" refuses; "I cannot see any dog in the image" answers.
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|attachments?|files?|urls?|links?|visuals?)\b"
_SIGHT = (
    r"(?:see|view|access|open|look\s+at|read|load|find|display)\s+"
    r"(?:(?:the|an?|any|this|that|these|your|attached|actual|uploaded|provided|external|directly)\s+)*" + _PICTURE
)
_CANNOT = (
    r"(?:cannot|can\s*not|can'?t|could\s+not|couldn'?t|unable\s+to|"
    r"(?:am|are|was|be|'m|'re)\s+(?:unable|not\s+able)\s+to)"
)
# Only the beginning counts: a long caption may well say what cannot be seen in the photo.
# Compiled when it is first needed: that takes a fortieth of a second.
_refusal = functools.cache(
    functools.partial(
        re.compile,
        rf"""
      \b(?:i|we)(?:\s+am|\s+are|'m|'re)?\s+(?:really\s+|very\s+|so\s+)?(?:sorry|afraid)\b
    | \b(?:i|we)\s+(?:apologi[sz]e|decline|refuse|won'?t|will\s+not)\b
    | \b(?:i|we)\s+(?:must|have\s+to|need\s+to)\s+(?:decline|refuse|refrain)\b
    | \b(?:i|we)(?:\s+am|\s+are|'m|'re|\s+do|\s+don't)?\s*(?:not\s+)?(?:feel\s+)?(?:un)?comfortable\s+
      (?:with\s+)?\w+ing\b
    | \b(?:i|we)(?:\s+am|\s+are|'m|'re)\s+not\s+(?:allowed|permitted|willing|designed|going)\s+to\b
    | \b(?:guidelines?|polic(?:y|ies)|rules)\s+(?:do\s+not|don't|does\s+not|doesn't)\s+(?:let|allow|permit)\b
    | \b(?:guidelines?|polic(?:y|ies)|rules)\s+(?:prevent|prohibit|forbid)s?\b
    | \b{_CANNOT}\s+(?:\w+\s+)?(?:{_DEED}|{_SIGHT})
    | \bas\s+an?\s+(?:ai|artificial\s+intelligence|(?:large\s+)?language\s+model|text-based)\b
    | \b(?:do\s+not|don'?t)\s+(?:see|have|find)\s+(?:an?|any|the|access\s+to)\s+(?:\w+\s+)?(?:{_PICTURE}|ability\b)
    | (?<!['"])\bno\s+(?:image|picture|photo|caption|description)\s+(?:was\s+|is\s+|has\s+been\s+)?
      (?:provided|given|attached|available|uploaded|generated|found|here|shown|showing|
      to\s+(?:provide|describe|caption|see|show|view|display))\b
    | ^\W*(?:there\s+is\s+)?(?:no\s+(?:image|picture|photo|caption)|
      (?:image|picture|photo)\s+(?:not\s+(?:available|found|loaded|shown)|unavailable|missing))\W*$
    | \b(?:image|picture|photo|caption)(?:\s+(?:is|was|has|did|could|can))?(?:\s+not|n't)\s+
      (?:been\s+)?(?:provided|attached|available|load(?:ed)?|be\s+\w+|uploaded|visible\s+to\s+me|come\s+through|appear)\b
    | \b(?:image|picture|photo)\s+failed\s+to\s+(?:load|upload)\b
    | \b(?:forgot|forgotten|failed)\s+to\s+(?:attach|upload|include|share)\b
    | \b(?:please|kindly)\s+(?:upload|provide|attach|share|re-?upload)\b
    | \bi\s+{_CANNOT}\s+see\s+(?:it|this|that|anything)\b
    | \b(?:if|when|once)\s+you\s+(?:can\s+)?(?:re-?)?(?:upload|attach)\b
    | \b(?:violates?|against)\s+(?:\w+\s+){{0,4}}(?:policy|policies|guidelines)\b
    | ^\W*(?:sorry|unfortunately|error|content\s+(?:filtered|blocked)|
      request\s+(?:failed|blocked))\b\W*(?:$|[,.!:]\s*(?:i|we|but|the\s+image|no)\b)
    """,
        re.VERBOSE | re.IGNORECASE,
    )
)
# Whole answers of programs that had none to give; "none" is one to a question.
_NOTHING = re.compile(r"^\W*(?:n/a|none|null|nan|undefined)\W*$", re.IGNORECASE)
# An answer that is nothing but "I do not know"; "I'm not sure, but it looks red" says something.
_UNKNOWING = re.compile(
    r"""^\W*(?:(?:sorry|unfortunately|hmm+|well)\W+)?(?:(?:i\s+am|i'm|it\s+is|it's|that\s+is|that's|i)\s+)?
    (?:(?:really|honestly|just)\s+)?
    (?: do(?:n't|\s+not)\s+(?:really\s+)?know | not\s+(?:\w+\s+)?(?:sure|certain|clear)
      | (?:cannot|can't|can\s+not|could\s+not|impossible\s+to|hard\s+to|difficult\s+to|unable\s+to|not\s+possible\s+to)
        \s+(?:really\s+)?(?:tell|say|know|determine|be\s+(?:sure|determined))
      | unsure | uncertain | unclear | unknown | no\s+idea | have\s+no\s+idea | idk | indeterminate
    )\b(?!.*\b(?:but|however|though)\b)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_BEGINNING = 240
# No refusal is without one of these, and most captions are.
_HINTS = word_list("unreadable", "hints")
# The same for a text that is not cut into words: every refusal has one of these in it; the hyphens stand for spaces.
_SIGNS = tuple(sign.replace("-", " ") for sign in word_order("unreadable", "signs"))

# The small words of other languages in Latin letters that are no English words.
_FOREIGN = word_list("unreadable", "foreign")


def why_unreadable(text: str, tokens: Tokens) -> str | None:
    """Why a text has no meaning to read; None if it may have."""
    if not tokens.texts or not any(word[0].isalnum() for word in tokens.texts):
        return "the answer has no words" if text.strip() else "the answer is empty"
    if refuses(text, tokens) or _NOTHING.match(text):
        return "the system refuses to answer"
    if not_english(text, tokens):
        return "the answer is not in English"
    return None


def refuses(text: str, tokens: Tokens) -> bool:
    """Whether a text says that the system will not or cannot answer."""
    if _HINTS.isdisjoint(tokens.lowers[:_BEGINNING]):
        return False
    return _refusal().search(text[:_BEGINNING].replace("\u2019", "'")) is not None


def says_no(text: str) -> bool:
    """Whether a text that was not cut into words refuses; for readers that take a text as it stands."""
    beginning = text[:_BEGINNING].replace("\u2019", "'")
    return has_any(_SIGNS, beginning.lower()) and _refusal().search(beginning) is not None


def does_not_know(text: str) -> bool:
    """Whether an answer to a question only says that it is not known."""
    return _UNKNOWING.match(text[:_BEGINNING].replace("\u2019", "'")) is not None


def not_english(text: str, tokens: Tokens) -> bool:
    """Whether most letters are of another script, or small words of another language outnumber the English ones."""
    if not text.isascii():
        words = [word for word in tokens.texts if word[0].isalpha()]
        latin = sum(len(word) for word in words if word[0] < "\u0250")
        if latin * 2 < sum(map(len, words)):
            return True
    if _FOREIGN.isdisjoint(tokens.lowers):
        return False
    foreign = sum(word in _FOREIGN for word in tokens.lowers)
    return foreign >= 2 and foreign > sum(word in CLOSED for word in tokens.lowers)
