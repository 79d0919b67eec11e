"""The many ways to say yes, no, none, many and I do not know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anamorph.language.wordlists import word_list, word_order

YES_WORDS = word_list("wordings", "yes_words")
NO_WORDS = word_list("wordings", "no_words")
ZERO_WORDS = word_list("wordings", "zero_words")
# What may stand around an answer without changing it.
FILLERS = word_list("wordings", "fillers")
# What may follow a no that is an answer and not a "no dogs".
AFTER_NO = word_list("wordings", "after_no")
# Whole answers that are neither a word for yes nor one for no.
PLAIN_ANSWERS = {
    "there is": True,
    "there are": True,
    "there are some": True,
    "it is": True,
    "it does": True,
    "there is not": False,
    "there are not": False,
    "there is not any": False,
    "there are not any": False,
    "it is not": False,
    "it does not": False,
    "of course": True,
    "of course not": False,
}
# What an answer may begin with when it agrees or disagrees.
AGREEMENT = re.compile(r"(?:that|this|it) is (not )?(?:(correct|right|true)|(incorrect|false|wrong))\b")
OPENERS = word_list("wordings", "openers")
# Not things that are counted.
PICTURES = word_list("wordings", "pictures")
INEXACT = word_list("wordings", "inexact")
# Whole wordings; the hyphens stand for spaces.
VAGUE_WORDS: dict[str, None] = dict.fromkeys(words.replace("-", " ") for words in word_order("wordings", "vague"))

_PICTURE = r"(?:image|picture|photo|photograph|scene|frame)"
_NOT = r"(?:cannot|can'?t|can\s+not|do(?:es)?\s+not|do(?:es)?n'?t|did\s+not|didn'?t|could\s+not|couldn'?t)"
_SHOW = r"(?:see|find|detect|spot|show|contain|have|include|depict|feature|identify|notice|observe)"
_ABSENT = re.compile(
    rf"""
      \bthere\s+(?:is|are|was|were|appears?\s+to\s+be|seems?\s+to\s+be)\s+(?:absolutely\s+|currently\s+)?
      (?:no\b(?!\s+(?:doubt|more|less|{_PICTURE}s?)\b)|not\s+(?:any|a|an)\b|zero\b|none\b|nothing\b)
    | \bthere\s+(?:is|are|was|were|does|do)(?:n't|\s+not)\s+(?:appear\s+to\s+be\s+|seem\s+to\s+be\s+)?(?:any|a|an)\b
    | \b{_NOT}\s+(?:actually\s+|really\s+|appear\s+to\s+|seem\s+to\s+)?{_SHOW}\s+(?:any|an?)\s+(?!{_PICTURE}s?\b)
    | \b{_PICTURE}\s+(?:contains?|has|have|shows?|features?|includes?)\s+(?:no|zero)\b
    | \bi\s+(?:can\s+)?see\s+(?:no|zero)\b
    | \b(?:is|are)(?:\s+not|n't)\s+(?:present|visible|shown|in\s+(?:the|this)\s+{_PICTURE})
    | \b(?:is|are)\s+absent\b
    | ^\W*(?:no|zero)\s+(?!{_PICTURE}\b)[a-z]+(?:\s+(?:and|or)\s+[a-z]+)?
      (?:\s+(?:in|at|is|are|can|on|visible|present|here)\b.{{0,60}})?\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:not\s+(?:sure|certain|clear|possible\s+to)|unsure|uncertain|unclear|unknown|no\s+idea|(?:do\s+not|don'?t)\s+know|"
    r"(?:cannot|can'?t|can\s+not|could\s+not|impossible\s+to|hard\s+to|difficult\s+to|unable\s+to|not\s+able\s+to)\s+"
    r"(?:be\s+|really\s+|accurately\s+|definitively\s+)?(?:tell|say|determined?|count(?:ed)?|know|sure|certain|confirm|verify|ascertain)|"
    r"indeterminate|maybe|perhaps|it\s+depends)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:there(?:'s|\s+(?:is|are|was|were|appears?\s+to\s+be|seems?\s+to\s+be))|i\s+(?:can\s+)?(?:see|count|counted|find|spot)|"
    rf"(?:{_PICTURE}|it|answer|number|count|total)\s+(?:[\w-]+\s+){{0,7}}?(?:shows?|contains?|has|features?|depicts?|includes?|is|are)|"
    r"total\s+of|answer\s*:)\s",
    re.IGNORECASE,
)


_TOTAL = re.compile(r"\btotal\s+of\s", re.IGNORECASE)


_ASSENT = re.compile(
    r"^\W*(?:(?:well|unfortunately|sadly|actually|honestly|in fact|so)\W+)*(?:((?:i )?(?:believe|think|guess|suppose) so|"
    r"(?:it )?(?:seems|looks|appears) (?:so|like it|that way)|i (?:do|can|can see (?:it|one|them))|you (?:are|'re) right|(?:that|this|it)(?:'s| is) (?:right|correct|true|accurate)|"
    r"right|correct|exactly|agreed|indeed)|"
    r"(not that i can see|no(?=\s*[.!,]?\s*$)|(?:it |that )?(?:doesn't|does not) (?:look|seem|appear) (?:like it|so|to be)|i do not think so|i don't think so|i (?:do not|don't)(?=\W*$|\s*[,.!])|i can't see (?:one|any|it)|not really|not quite|"
    r"(?:that|this|it)(?:'s| is) (?:not|in)\s?(?:right|correct|true|accurate)|not at all))\b(?=\W|$)",
    re.IGNORECASE,
)


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def absent_at(text: str) -> int | None:
    """Where an answer says that something is not there."""
    found = _ABSENT.search(_straight(text))
    return found.start() if found else None


def says_unsure(text: str) -> bool:
    """Whether an answer says that it is not known."""
    return _UNSURE.search(_straight(text)) is not None


def unsure_at(text: str) -> int | None:
    """Where an answer says that it is not known."""
    found = _UNSURE.search(_straight(text))
    return found.start() if found else None


def begins_to_tell(text: str) -> int:
    """Where an answer begins to say what there is: after "there are" and the like, else at its beginning."""
    text = _straight(text)
    found = _TELLS.search(text)
    if found is None:
        return 0
    again = _TOTAL.search(text)
    return again.end() if again else found.end()


def plain_yes(lowers: Sequence[str]) -> bool | None:
    """The yes or no that an answer begins with."""
    assent = _ASSENT.match(" ".join(lowers[:12]).replace(" n't", "n't").replace(" '", "'").replace(" ,", ","))
    if assent is not None and not (assent[1] and assent[1].lower() in ("i do", "i can") and _goes_on(lowers)):
        return assent[2] is None
    first = next((place for place, word in enumerate(lowers) if word[0].isalnum() and word not in OPENERS), None)
    if first is None:
        return None
    word = lowers[first]
    following = lowers[first + 1] if first + 1 < len(lowers) else "."
    if following in ("or", "/"):
        return None
    if word == "no":
        return False if not following[0].isalnum() or following in AFTER_NO else None
    if word in NO_WORDS:
        return False
    if word == "not":
        return False if following in ("really", "at", ".") else None
    if word in YES_WORDS:
        return following != "not"
    whole = " ".join(w for w in lowers[first : first + 8] if w[0].isalnum() or w in ("n't", "'s"))
    whole = whole.replace(" n't", " not").replace(" 's", " is")
    agreement = AGREEMENT.match(whole)
    if agreement:
        return bool(agreement[2]) != bool(agreement[1])
    return PLAIN_ANSWERS.get(whole)


def _goes_on(lowers: Sequence[str]) -> bool:
    """ "I do not see any", "I can see two dogs" say more than yes or no."""
    following = lowers[2] if len(lowers) > 2 else "."
    return following[0].isalnum() or following == "n't"
