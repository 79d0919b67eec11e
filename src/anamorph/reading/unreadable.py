"""Texts that do not answer: empty ones, refusals, and what is not English."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.reading.cues import cues_of
from anamorph.reading.tokens import Tokens, tokenize
from anamorph.reading.wordlists import CLOSED, has_any, word_list, word_order

_REFUSALS = cues_of("refusals")
_UNSURE = cues_of("claims", "unsure", "contrast")
# Only the beginning counts: a long caption may well say what cannot be seen in the photo.
_BEGINNING, _WORDS = 240, 60
# "I really do not know": an answer says so in its first words.
_LEAD = 3
# No refusal is without one of these, and most captions are.
_HINTS = word_list("unreadable", "hints")
# The same for a text that is not cut into words: every refusal has one of these in it; the hyphens stand for spaces.
_SIGNS = tuple(sign.replace("-", " ") for sign in word_order("unreadable", "signs"))
_NOT_APPLICABLE = word_list("unreadable", "not_applicable")

# The small words of other languages in Latin letters that are no English words.
_FOREIGN = word_list("unreadable", "foreign")


def why_unreadable(text: str, tokens: Tokens) -> str | None:
    """Why a text has no meaning to read; None if it may have."""
    if not tokens.texts or not any(word[0].isalnum() for word in tokens.texts):
        return "the answer has no words" if text.strip() else "the answer is empty"
    if refuses(text, tokens):
        return "the system refuses to answer"
    if not_english(text, tokens):
        return "the answer is not in English"
    return None


def refuses(text: str, tokens: Tokens) -> bool:
    """Whether a text says that the system will not or cannot answer."""
    lowers = tokens.lowers[:_WORDS]
    return not _HINTS.isdisjoint(lowers) and (_refused(lowers, tokens) or text.strip(" .").lower() in _NOT_APPLICABLE)


def _refused(lowers: Sequence[str], tokens: Tokens) -> bool:
    words = [place for place, word in enumerate(tokens.lowers) if word[0].isalnum()]
    for cue in _REFUSALS.find(lowers):
        if tokens.starts[cue.first] >= _BEGINNING or (cue.first and lowers[cue.first - 1] in ("'", '"')):
            continue
        begins = bool(words) and cue.first == words[0]
        if cue.kind == "refuse" or (begins and (cue.kind == "begin" or cue.last >= words[-1])):
            return True
    return False


def says_no(text: str) -> bool:
    """Whether a text that was not cut into words refuses; for readers that take a text as it stands."""
    beginning = text[:_BEGINNING]
    if not has_any(_SIGNS, beginning.lower().replace("\u2019", "'")):
        return False
    tokens = tokenize(beginning)
    return _refused(tokens.lowers, tokens)


def does_not_know(text: str) -> bool:
    """Whether an answer to a question only says that it is not known."""
    lowers = tokenize(text[:_BEGINNING]).lowers
    found = _UNSURE.find(lowers)
    unsure = any(cue.kind == "unsure" and cue.first <= _LEAD for cue in found)
    return unsure and not any(cue.kind == "contrast" for cue in found)


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
