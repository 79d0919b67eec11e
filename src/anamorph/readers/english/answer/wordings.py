"""The many ways to say yes, no, that it is there, and I do not know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anamorph.language.wordlists import word_list

# What may follow a no that is an answer and not a "no dogs".
_AFTER_NO = word_list("wordings", "after_no")
_OPENERS = "|".join(sorted(word_list("wordings", "openers")))
_PICTURE = r"(?:image|picture|photo|photograph|scene|frame)"
_END = r"(?= [.,!;:\u2013\u2014-]| but | though |$)"
_SEEMS = r"(?:seem|seems|look|looks|appear|appears)"
_TRUE = r"(?:right|correct|true|accurate|so|the case|an accurate statement)"
_OPENING = (
    rf"(?:(?:{_OPENERS}|i am (?:afraid|sorry)(?! not\b| so\b)(?: to say)?(?: (?:, )?but)?"
    rf"|sorry(?! not\b)(?: (?:, )?but)?"
    rf"|in fact|to be honest|(?:as far as|from what) i can (?:see|tell)|i looked carefully and"
    rf"|i (?:would |will )?(?:say|think|guess|believe)(?! so)(?: the answer is| it is| that is)?"
    rf"|(?:i would |i am )?(?:lean|leaning) (?:towards?|to)(?: a)?"
    rf"|(?:(?:my|the) )?(?:best |final |short |educated )?(?:guess|answer|assessment) (?:is|would be)(?: a)?"
    rf"|it is (?:a )?(?:hard|tough|difficult) to (?:say|tell|see) (?:, )?but"
    rf"|(?:based on|looking at|in|from) (?:the|this) {_PICTURE}) (?:, )?(?:and )?)*"
)
_YES = re.compile(
    _OPENING
    + r"(?:"
    + "|".join(
        (
            *sorted(word_list("wordings", "yes_words")),
            r"(?:i )?(?:believe|think|guess|suppose) so",
            rf"(?:it )?(?:certainly |definitely |sure |does )?{_SEEMS} (?:so|like it|that way)",
            rf"i (?:do|can|can see (?:it|one|them)){_END}",
            r"(?:i am )?afraid so",
            r"you (?:are|got it) (?:right|correct)",
            rf"(?:that|this|it) is (?:indeed |absolutely )?{_TRUE}",
            r"of course",
            r"(?:(?:most|very|quite|highly) )?(?:probably|likely|presumably)(?:(?: , )? ?(?:yes|so)\b|(?= [.!]|$))",
            rf"i would say so|i (?:strongly )?suspect so|(?:that|it) is (?:(?:very|quite|most) )?likely{_END}",
            r"(?:that|it) (?:is|would be) a (?:clear |definite )?yes",
            r"agreed",
        )
    )
    + r")(?! not\b)(?= |$)"
)
_NO = re.compile(
    _OPENING
    + r"(?:"
    + "|".join(
        (
            *sorted(word_list("wordings", "no_words")),
            r"(?:of course|certainly|definitely|absolutely|(?:most )?(?:probably|likely)|apparently|presumably) not",
            r"not that i (?:can (?:see|tell)|know)",
            r"(?:(?:most|very|quite|highly) )?(?:probably|likely|presumably) no",
            r"(?:it is |that is )?(?:(?:very|highly|quite|rather|most) )?(?:unlikely|doubtful|improbable)"
            r"(?= [.,!;:\u2013\u2014-]|$| (?:that )?(?:there|he|she|it|they|the))",
            r"(?:it is |that is )?(?:not (?:very |at all )?likely|not probable)",
            r"i (?:would not say so|doubt (?:it|that|there))",
            r"not (?:yet|anymore|any more|currently|exactly|necessarily|entirely)",
            rf"not (?:really|quite|at all|here|{_TRUE}|in (?:the|this) {_PICTURE})",
            r"i (?:do|would) not (?:think|believe) so",
            rf"i (?:do|can) not{_END}",
            rf"(?:it |that )?do(?:es)? not {_SEEMS} (?:like it|so|that way|to be)",
            rf"(?:it )?do(?:es)? not {_SEEMS} (?:like|as if|as though|that) (?:there|any|anyone|anybody|anything)",
            rf"i (?:can|do) not see (?:one|any|it){_END}",
            r"i am not (?:seeing|finding) (?:one|any|it)",
            r"(?:(?:i am )?(?:afraid|sorry)|unfortunately|sadly|regrettably|sorry)(?: ,)?(?: but)? not",
            r"(?:that|it) (?:is|would be) a (?:clear |definite )?no",
            r"nothing (?:of the (?:sort|kind)|like (?:that|it))",
            r"you are (?:wrong|mistaken)",
            rf"(?:that|this|it) is (?:not|in) ?(?:quite |actually )?{_TRUE}",
            r"(?:that|this|it) is (?:incorrect|false|wrong|untrue|inaccurate)",
        )
    )
    + r")(?= |$)"
)
_PLAIN_NO = re.compile(rf"{_OPENING}no(?: (\S+)|$)")
_EXISTS = re.compile(
    rf"(?:^|[,.!;:\u2013\u2014-] |\bbut |\band ){_OPENING}(?:yes |no )?"
    r"(?:(?:there|it|they|he|she|that|these|those) (?:sure |definitely |certainly |indeed |actually )?"
    r"(?:is|are|does|do)( not)?(?: indeed)?"
    r"|(?:sure|certainly|definitely) is)(?= [.,!;:\u2013\u2014-]|$)"
)
# To "Is it false that ...?" and "Is the picture free of ...?"
_IT_IS = re.compile(r"(?:it|that|this) is( not)?(?= [.,!;:\u2013\u2014-]|$)")
_IS_FALSE = re.compile(
    r"(?:(?:(it|the claim|the statement)|that|this) is )?(?:(not) )?"
    r"(?:(false|incorrect|wrong|untrue|inaccurate|a lie)|true|(correct|right))(?= |$)"
)
# Whoever takes back a yes says so.
_TAKEN_BACK = re.compile(
    r"(?:(?<=[.!;:\u2013\u2014-] )actually\b)"
    r"|\b(?:correction|wait|scratch that|on (?:a )?(?:closer|second) (?:look|inspection|thought)|oops|i was wrong|sorry"
    r"|my mistake|upon closer|looking (?:more closely|again|closer))\b"
)
# What an answer ends with: "the dog is black, so no".
_AT_LAST = re.compile(
    r"(?:[,.\u2013\u2014-] |\b(?:so|therefore|thus|hence)(?: ,)? )"
    r"(?:(?:the|my) (?:final )?answer (?:is|would be) |i would say |it is )?(?:most |very )?(?:probably |likely )?"
    r"(yes|no)(?: [.!])?$"
)
# "..., so no, there isn't"
_IN_THE_END = re.compile(r"\b(?:so|therefore|thus|hence)(?: ,)? (yes|no)(?= [,.!;:\u2013\u2014-]|$)")
_NO_WAIT = re.compile(
    r"\b(?:wait|actually|correction|scratch that|oops|sorry)(?: [,:])? (yes|no)(?= [,.!;:\u2013\u2014-]|$)"
)
# Where an answer begins to correct itself.
_CORRECTING = re.compile(
    r"(?:[.!;:\u2013\u2014]|\s-)\s+(?=(?:(?:oh|hmm|but|no|well),?\s+)?(?:actually|correction|wait|scratch\s+that|oops"
    r"|(?:up)?on\s+(?:a\s+)?(?:closer|second)\s+(?:look|inspection|thought|examination|glance)"
    r"|looking\s+(?:more\s+closely|again|closer)|i\s+was\s+(?:wrong|mistaken)|my\s+mistake)\b)",
    re.IGNORECASE,
)
_NOT = r"(?:cannot|can'?t|can\s+not|do(?:es)?\s+not|do(?:es)?n'?t|did\s+not|didn'?t|could\s+not|couldn'?t)"
_SHOW = r"(?:see|find|detect|spot|show|contain|have|include|depict|feature|identify|notice|observe)"
_ABSENT = re.compile(
    rf"""
      \bthere\s+(?:is|are|was|were|appears?\s+to\s+be|seems?\s+to\s+be)\s+(?:absolutely\s+|currently\s+)?
      (?:no\b(?!\s+(?:doubt|more|less|{_PICTURE}s?)\b)|not\s+(?:any|a|an)\b|zero\b|none\b|nothing\b)
    | \bthere\s+(?:is|are|was|were|does|do)(?:n't|\s+not)\s+(?:appear\s+to\s+be\s+|seem\s+to\s+be\s+)?(?:any|a|an)\b
    | \b{_NOT}\s+(?:actually\s+|really\s+|appear\s+to\s+|seem\s+to\s+)?{_SHOW}\s+
      (?:any\b|one\b|an?\s)(?!\s*{_PICTURE}s?\b)
    | \b{_PICTURE}\s+(?:contains?|has|have|shows?|features?|includes?)\s+(?:no|zero)\b
    | \bi\s+(?:can\s+)?see\s+(?:no|zero)\b(?!\s+{_PICTURE})
    | \b(?:is|are)(?:\s+not|n't)\s+(?:present|visible|shown|in\s+(?:the|this)\s+{_PICTURE})
    | \b(?:is|are)\s+absent\b
    | ^\W*(?:no|zero)\s+(?!{_PICTURE}\b)[a-z]+(?:\s+(?:and|or)\s+[a-z]+)?
      (?:\s+(?:in|at|is|are|can|on|visible|present|here)\b.{{0,60}})?\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_KNOW = r"(?:tell|say|determined?|count(?:ed)?|know|sure|certain|confirm|verify|ascertain|make\s+out|be\s+sure)"
_UNSURE = re.compile(
    r"\b(?:not\s+(?:sure|certain|clear|possible\s+to|entirely\s+(?:sure|clear|certain))|unsure|uncertain|unclear|unknown|"
    r"(?:is|are|was)n'?t\s+(?:sure|certain|clear|possible\s+to|entirely\s+(?:sure|clear|certain))|"
    r"no\s+idea|(?:do\s+not|don'?t)\s+know|"
    r"(?:cannot|can'?t|can\s+not|could\s+not|couldn'?t|(?:impossible|hard|difficult|unable|not\s+able)\s+to)\s+"
    rf"(?:be\s+|really\s+|accurately\s+|definitively\s+|quite\s+)?{_KNOW}|"
    r"too\s+(?:dark|blurry|small|grainy|far|pixelated|unclear)\b|"
    r"indeterminate|maybe|perhaps|possibly|it\s+depends)\b",
    re.IGNORECASE,
)
_SPELLED = {
    "n't": "not",
    "'s": "is",
    "'re": "are",
    "'m": "am",
    "'d": "would",
    "can't": "can not",
    "cannot": "can not",
    "\u2019s": "is",
}
_BEGINNING = 24


def absent_at(text: str) -> int | None:
    """Where an answer says that something is not there."""
    found = _ABSENT.search(text.replace("\u2019", "'"))
    return found.start() if found else None


def unsure_at(text: str) -> int | None:
    """Where an answer says that it is not known."""
    found = _UNSURE.search(text.replace("\u2019", "'"))
    return found.start() if found else None


def plain_yes(lowers: Sequence[str]) -> bool | None:
    """The yes or no that an answer begins with, or that it ends with."""
    first = next((place for place, word in enumerate(lowers) if word[0].isalnum()), len(lowers))
    beginning = _spelled(lowers[first : first + _BEGINNING])
    if taken_back := _taken_back(lowers):
        return taken_back == "yes"
    if no := _PLAIN_NO.match(beginning):
        following = no[1] or "."
        return False if not following[0].isalnum() or following in _AFTER_NO else None
    if found := _NO.match(beginning):
        return None if beginning[found.end() :].startswith(" /") else False
    if found := _YES.match(beginning):
        return None if beginning[found.end() :].startswith((" or ", " /")) else True
    last = _AT_LAST.search(_spelled(lowers[-_BEGINNING:])) or _in_the_end(lowers)
    return last[1] == "yes" if last else None


def _in_the_end(lowers: Sequence[str]) -> re.Match[str] | None:
    return _IN_THE_END.search(_spelled(lowers)) if "no" in lowers or "yes" in lowers else None


def corrected(text: str) -> str | None:
    """What an answer says once it begins to correct itself; None where it does not."""
    found = _CORRECTING.search(text)
    return None if found is None else text[found.end() :]


def says_so(lowers: Sequence[str], yes: bool | None, false: bool) -> bool | None:
    """The yes or no to a question that denies; to "Is it false ...?", "It is false" is a yes."""
    said = _spelled(lowers[:_BEGINNING])
    if found := _IT_IS.match(said):
        return found[1] is None
    if not false or (found := _IS_FALSE.match(said)) is None:
        return yes
    if found[4] and not found[2]:
        return True  # "That is correct"
    # "That is false": that it is there, or that it is not?
    return found[2] is None if found[1] and found[3] else None


def _taken_back(lowers: Sequence[str]) -> str | None:
    """The yes or no that an answer ends with, where it takes back the one that it began with."""
    if lowers[0] not in ("yes", "no") or not _TAKEN_BACK.search(said := _spelled(lowers)):
        return None
    last = _AT_LAST.search(_spelled(lowers[-_BEGINNING:])) or _in_the_end(lowers) or _NO_WAIT.search(said)
    return None if last is None else last[1]


def exists(lowers: Sequence[str]) -> bool | None:
    """Whether an answer says that it is there without naming it: "there is", "it does not"."""
    found = _EXISTS.search(_spelled(lowers[:_BEGINNING]))
    return found[1] is None if found else None


def _spelled(words: Sequence[str]) -> str:
    return " ".join([_SPELLED.get(word, word) for word in words])
