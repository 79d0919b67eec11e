"""The answer reader: what an answer says of what was asked for, as an interval, and whether there is any."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from anamorph.language.amounts import find_amounts
from anamorph.language.mentions.finding import find_mentions
from anamorph.language.morphology import plural_of
from anamorph.language.naming import Namer, namer_of
from anamorph.language.tokens import Tokens, tokenize
from anamorph.language.unreadable import why_unreadable
from anamorph.language.wordlists import COLOURS, word_list
from anamorph.language.wrapping import unwrapped
from anamorph.model import LabelSpace, Unreadable
from anamorph.model.reading import AnswerReading
from anamorph.readers.english.answer.claims import claimed, claimed_of_each
from anamorph.readers.english.answer.options import chosen, without_options
from anamorph.readers.english.answer.phrases import find_phrases
from anamorph.readers.english.answer.question import Question, tagger, understood
from anamorph.readers.english.answer.structured import conclusion, from_json, plain_text, said_in
from anamorph.readers.english.answer.sums import CONTRADICTION, TWO_NUMBERS
from anamorph.readers.english.answer.whether import affirmed, is_another, restated
from anamorph.readers.english.answer.wordings import absent_at, corrected, exists, plain_yes, says_so, unsure_at
from anamorph.readers.english.answer.words import Phrase, Sentence, UndecidedError, Words

# A longer answer says what it says at its beginning.
_BEGINNING = 2000
# Shorter answers with an amount are no refusals: "none", "no dogs".
_TERSE = 4
# So is a short yes or no: "I'm afraid not."
_SHORT = 6
_CONTRADICTIONS = (CONTRADICTION, TWO_NUMBERS)
_NOTHING_ASKED = Question(None, ())
_BULLET = re.compile(r"^[ \t]*(?:[-*\u2022\u2023\u25cf]|\(?\d{1,2}[.):])[ \t]+", re.MULTILINE)
# A line is a sentence, unless it goes on in the next.
_LINE = re.compile(
    r"(?<=[\w)*_%\u201d])[ \t]*(?=[ \t]*\n[ \t]*(?:\n|[-*\u2022\u2023\u25cf]|\(?\d{1,2}[.):]|[*_#]*[A-Z]))"
)
# Whoever cannot say exactly, is sorry for a slip or says so politely may well answer.
_EXACTLY = re.compile(
    r"\b(?:(?:can(?:not|\s+not|['\u2019]?t)|(?:am|['\u2019]m)?\s*(?:unable|not\s+able)\s+to|hard\s+to|difficult\s+to|impossible\s+to|could(?:n't|\s+not))\s+"
    r"(?:\w+\s+){0,2}?(?:an?\s+|the\s+|their\s+)?(?:exact(?:ly)?|precise(?:ly)?|accurate(?:ly)?|definite(?:ly)?|definitive|specific|total)"
    r"(?:\s+(?:count|number|total|figure|tally|amount))?"
    r"|(?:i(?:'m|\s+am)\s+sorry|(?:i\s+)?apologi[sz]e|my\s+apologies|sorry)\s+(?:for|about)\s+(?:the|my|that|any)\s+"
    r"(?:\w+\s+)?(?:mistake|confusion|error|oversight|mix-?up|miscount)"
    r"|(?<=,\s)i(?:['\u2019]m|\s+am)\s+(?:afraid|sorry)(?=\s*[.!,;])"
    r"|(?:i(?:['\u2019]m|\s+am)\s+(?:afraid|sorry)|sorry|unfortunately)(?:,?\s+but|\s+to\s+say)?[,:]?\s+(?:that\s+)?"
    r"(?=(?:so|not|no|yes|nope|none"
    r"|(?:there|it|he|she|they)\s*(?:(?:is|are|does|do|has)(?:n['\u2019]t)?|['\u2019](?:s|re))"
    r"|(?:that|this)(?:\s+is|['\u2019]s)\s+(?:an?|actually|just)|i\s+(?:can\s+)?(?:only|just)\s+see"
    r"|i\s+(?:do\s+not|don['\u2019]t)\s+see\s+(?:one|any|it|them))\b))"
    r"\b",
    re.IGNORECASE,
)
# What is hidden is not visible, unless only in part.
_HIDDEN = re.compile(
    r"\b(?:is|are)\s+(?:(?:completely|fully|entirely|mostly)\s+)?(?:hidden|obscured|blocked|out\s+of\s+(?:frame|view|sight))\b",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\W*(?:yes and no\b|(?:yes\W*(?:or)?\W*no|no\W*(?:or|and)?\W*yes)\W*$)", re.IGNORECASE)


class AnswerReader:
    """Reads an answer to a question as an interval of numbers, and as whether what was asked for is there."""

    def __init__(self, space: LabelSpace) -> None:
        self._namer = namer_of(space)

    def understood(self, question: str) -> Question:
        """What a question asks for."""
        return understood(question, self._namer)

    def read_text(self, text: str, question: str | None = None) -> AnswerReading | Unreadable:
        """What an answer says; where a question is given, only what it asks for counts."""
        options: dict[str, str] = {}
        if question:
            question, options = without_options(question)
        asked = understood(question, self._namer) if question else _NOTHING_ASKED
        message = chosen(plain_text(text), options)
        value = from_json(message)
        if value is not None:
            return _of_json(text, value, asked, self._namer)
        if question and _letters(message) == _letters(question):
            return Unreadable(text, "it repeats the question")
        last = conclusion(message)
        if last is not None and last.strip() != message.strip():
            found = _Interpreter(text, last[:_BEGINNING], asked, self._namer).reading()
            if isinstance(found, AnswerReading):
                return found
        message = message.strip()[:_BEGINNING]
        reading = _Interpreter(text, message, asked, self._namer).reading()
        if isinstance(reading, Unreadable) and reading.reason in _CONTRADICTIONS:
            rest = corrected(message)
            if rest is not None and "?" not in rest:  # "... Or is it three?"
                return _Interpreter(text, rest, asked, self._namer).reading()
        return reading


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _of_json(text: str, value: Any, asked: Question, namer: Namer) -> AnswerReading | Unreadable:
    said = said_in(value, (lambda name: _names(name, asked, namer)) if asked.targets else None)
    if isinstance(said, bool):
        return _of_yes(text, said, asked)
    if isinstance(said, int) and said >= 0:
        return AnswerReading(text, said, said)
    if isinstance(said, str):
        return _Interpreter(text, said, asked, namer).reading()
    return Unreadable(text, "its JSON says neither how many nor yes or no")


def _names(text: str, asked: Question, namer: Namer) -> bool:
    """Whether a label or a key names what was asked for."""
    tokens = tokenize(text)
    found = find_mentions(text, tokens, tagger().tag(tokens), namer)
    return any(asked.target(mention.head, mention.label) is not None for mention in found)


def _of_yes(text: str, yes: bool, asked: Question) -> AnswerReading | Unreadable:
    if asked.asks == "how-many":
        return AnswerReading(text, 0, 0, yes=False) if not yes else Unreadable(text, "it does not say how many")
    whether = asked.bounds is not None or asked.both or bool(asked.whether)
    there = yes != (asked.asks == "is-there-no" or asked.negated)
    least, most = (1, None) if there else (0, 0)
    return AnswerReading(text, least, most, yes=yes, assumed=asked.asks is None, whether=whether)


class _Interpreter:
    """What one answer says."""

    def __init__(self, whole: str, text: str, asked: Question, namer: Namer) -> None:
        self.whole, self.asked, self.namer = whole, asked, namer
        # Who knows what was asked in unknown words? Only what names nothing answers it.
        self.strict = asked is not _NOTHING_ASKED and not asked.targets
        text = _LINE.sub(" .", text)
        bullets = [found.start() for found in _BULLET.finditer(text)]
        self.bullets = bullets if len(bullets) > 1 else []
        blanked = _BULLET.sub(lambda found: " " * len(found[0]), text) if self.bullets else text
        self.raw = text
        self.text = unwrapped(blanked, answer=True)
        self.tokens: Tokens = tokenize(self.text)
        self.lowers = self.tokens.lowers

    def reading(self) -> AnswerReading | Unreadable:
        asked = self.asked
        spoken = [word for word in self.lowers if word[0].isalnum()]
        if not spoken or _EITHER.match(self.text):
            return self._unreadable()
        if len(spoken) == 1 and spoken[0] in ("a", "an"):
            return AnswerReading(self.whole, 1, 1)
        if why_unreadable(self.text, self.tokens) and self._refuses():
            # Whoever cannot say exactly may still answer.
            refusal = why_unreadable(_EXACTLY.sub("", self.text), self.tokens)
            if refusal:
                return Unreadable(self.whole, refusal)
        tags = self._tags()
        words = Words(self.tokens, tags, self._sentences())
        phrases = find_phrases(words, find_mentions(self.text, self.tokens, tags, self.namer), asked, self.namer)
        if self.strict:
            phrases = [phrase for phrase in phrases if phrase.head is None]
        yes = plain_yes(self.lowers)
        if asked.denies:
            yes = says_so(self.lowers, yes, asked.false)
        if yes is None and self._is_unsure(phrases):
            return Unreadable(self.whole, "the system does not know")
        if asked.both:
            return self._both(words, phrases, yes)
        try:
            claim = claimed(words, phrases, asked, yes)
        except UndecidedError as error:
            if not asked.whether or yes is None:
                return Unreadable(self.whole, str(error))
            claim = None
        if asked.bounds is not None:
            return self._bounded(claim, yes)
        return self._whether(claim, yes, words, phrases) if asked.whether else self._decided(claim, yes)

    def _so(self, so: bool | None, yes: bool | None) -> AnswerReading | Unreadable:
        """The reading where nothing is counted: whether it is so."""
        if so is None:
            return self._unreadable()
        least, most = (1, None) if so else (0, 0)
        answer = yes if yes is not None else so != self.asked.negated
        return AnswerReading(self.whole, least, most, yes=answer, whether=True)

    def _both(self, words: Words, phrases: Sequence[Phrase], yes: bool | None) -> AnswerReading | Unreadable:
        """What an answer says to "Are there both a dog and a cat?"."""
        if yes is not None:
            return self._so(yes, yes)
        try:
            found = claimed_of_each(words, phrases, self.asked, yes)
        except UndecidedError as error:
            return Unreadable(self.whole, str(error))
        if any(each is not None and each[1] == 0 for each in found):
            return self._so(False, yes)
        if all(each is not None and each[0] > 0 for each in found):
            return self._so(True, yes)
        named = any(each is not None and each[0] > 0 for each in found)
        only = not {"only", "just"}.isdisjoint(self.lowers)
        return self._so(False if named and only else exists(self.lowers), yes)

    def _bounded(self, claim: tuple[int, int | None] | None, yes: bool | None) -> AnswerReading | Unreadable:
        """What an answer says to a question with a number: "Are there more than two boats?"."""
        low, high = self.asked.bounds or (1, None)
        answer, yes = yes, yes if yes is None or not self.asked.negated else not yes
        so: bool | None = None
        if claim is not None:
            least, most = claim
            if least >= low and (high is None or (most is not None and most <= high)):
                so = True
            elif (most is not None and most < low) or (high is not None and least > high):
                so = False
        if None not in (yes, so) and yes != so:
            return Unreadable(self.whole, CONTRADICTION)
        found = so if yes is None else yes
        return self._so(self._exists(yes) if found is None and claim is None else found, answer)

    def _exists(self, yes: bool | None) -> bool | None:
        """Whether it is there without being named; "Yes, it is" says that it is false, if that was asked."""
        return None if self.asked.denies and yes is not None else exists(self.lowers)

    def _compared(self, words: Words, phrases: Sequence[Phrase]) -> bool | None:
        """Whether there are more of the first kind than of the second, or fewer, or as many."""
        said = " ".join(self.lowers)
        first, second = [plural_of(target.head) for target in self.asked.targets]
        compares = self.asked.compares
        if found := re.search(rf"\b(more|fewer|less) (?:[a-z]+ )?({first}|{second})\b", said):
            more = (found[1] == "more") == (found[2] == first)
            return False if compares == "same" else more == (compares == "more")
        if re.search(r"\b(?:the same (?:number|amount)|equal(?:ly)?|as many)\b", said) and "not" not in self.lowers:
            return compares == "same"
        try:
            one, other = claimed_of_each(words, phrases, self.asked, None)
        except UndecidedError:
            return None
        if one is None or other is None:
            return None
        if compares == "same":
            exact = one[0] == one[1] and other[0] == other[1]
            return one == other if exact else None
        if compares == "fewer":
            one, other = other, one
        if other[1] is not None and one[0] > other[1]:
            return True
        return False if one[1] is not None and one[1] <= other[0] else None

    def _whether(
        self, claim: tuple[int, int | None] | None, yes: bool | None, words: Words, phrases: Sequence[Phrase]
    ) -> AnswerReading | Unreadable:
        """What an answer says to a question whether something is so."""
        if self.asked.negated:
            so = self._exists(yes)
            if so is None:
                so = affirmed(self.lowers, self.asked.whether, [target.head for target in self.asked.targets])
            return self._so(so if so is not None or yes is None else not yes, yes)
        if yes is None and self.asked.compares:
            return self._so(self._compared(words, phrases), None)
        if yes is None:
            yes = exists(self.lowers)
        subjects = [noun for target in self.asked.targets for noun in target.nouns]
        if yes is None:
            yes = affirmed(self.lowers, self.asked.whether, subjects)
        if yes is None:
            yes = restated(self.lowers, self.asked.whether, subjects)
        if (
            yes is None
            and claim is not None
            and " or " not in self.asked.whether
            and any(not target.plain for target in self.asked.targets)
        ):
            # Only a denial is sure: "The sky is grey" says nothing of whether it is cloudy.
            yes = False if claim[1] == 0 else None
        if yes is None:
            return self._unreadable()
        if claim is None or (claim[0] > 0) != yes:
            claim = (1, None) if yes else (0, 0)
        return AnswerReading(self.whole, *claim, yes=yes, whether=True)

    def _tags(self) -> list[str]:
        """The parts of speech; what the question asks for is a noun in the answer, too, even if it could be a verb."""
        tags = list(tagger().tag(self.tokens))
        for place in range(1, len(tags)):
            if tags[place] == "NNS" and self.lowers[place][-1] == "s":
                before = self.lowers[place - 1]
                before = self.lowers[place - 2] if before == "more" and place > 1 else before
                following = tags[place + 1 : place + 2]
                if before in ("one", "another") and following in _AFTER_VERBS:
                    tags[place] = "VBZ"  # "one more stands in the corner"
                elif before == "1" and self.lowers[place] in _DEEDS and following in _AFTER_VERBS:
                    tags[place] = "VBZ"  # "1 wears a black jacket"
            elif tags[place] == "NN" and tags[place - 1] == "CD" and self.lowers[place] in _DEEDS_OF_MANY:
                tags[place] = "VBP"  # "the first two carry backpacks"
        for head in {target.head for target in self.asked.targets}:
            for form, tag in ((head, "NN"), (_plural_of(head), "NNS")):
                if form not in self.lowers:
                    continue
                for place, word in enumerate(self.lowers):
                    before = tags[place - 1] if place else "DT"
                    if (
                        word == form
                        and tags[place][:2] == "VB"
                        and (
                            before in _BEFORE_NOUNS
                            or (before == "NN" and self.lowers[place - 1] in COLOURS)  # "one orange bottles"
                            or (self.lowers[place - 1] == "not" and tags[place] != "VBG")
                        )
                    ):
                        tags[place] = tag
                    elif word == head and tags[place : place + 3] in _NOUNS_IN and self.lowers[place + 1][-1] == "s":
                        tags[place + 1] = "VBZ"  # "one banana remains in the bowl"
        return tags

    def _decided(self, claim: tuple[int, int | None] | None, yes: bool | None) -> AnswerReading | Unreadable:
        asked = self.asked
        if claim is not None and yes is False and claim[0] > 0 and not asked.targets:
            claim = None  # Whatever was asked for, it is something else that is there.
        if claim is None and (there := self._exists(yes)) is not None and asked.asks != "how-many":
            claim = (1, None) if there else (0, 0)
            yes = there if yes is None else yes
        if claim is None and yes is None and asked.asks == "is-there" and len(asked.targets) == 1:
            target = asked.targets[0]
            if not target.plain and is_another(self.lowers, target.head, target.attributes):
                claim = (0, 0)
        if claim is None:
            return self._unreadable() if yes is None else _of_yes(self.whole, yes, asked)
        if asked.visible and yes is None and _HIDDEN.search(self.text):
            claim = (0, 0)
        least, most = claim
        if asked.asks == "is-there-no" and yes and least > 0 and any(t.attributes for t in asked.targets):
            return AnswerReading(self.whole, 0, 0, yes=yes)  # "That is right; the only horse is brown"
        if yes is not None and asked.asks is not None and asked.asks != "how-many" and least == 0 != most:
            least, most = (1, None) if yes == (asked.asks == "is-there") else (0, 0)  # "Yes, a mug"
        if yes is not None and asked.asks == "is-there" and asked.bounds is None and yes == (most == 0):
            return Unreadable(self.whole, CONTRADICTION)
        if (least, most) == (0, None):
            return Unreadable(self.whole, "it leaves open whether there is any")
        return AnswerReading(self.whole, least, most, yes=yes)

    def _refuses(self) -> bool:
        """ "No dogs" and "I don't see any dogs" are no refusals, whatever words they share with them."""
        terse = len(self.lowers) < _TERSE and any(amount.kind != "article" for amount in find_amounts(self.lowers))
        answers = len(self.lowers) <= _SHORT and plain_yes(self.lowers) is not None
        return not terse and not answers and absent_at(self.text) is None

    def _is_unsure(self, phrases: Sequence[Phrase]) -> bool:
        """ "I am not sure, but there are three" says three after all; so does "Three, but it is hard to tell"."""
        at = unsure_at(self.text)
        if at is None:
            return False
        said = [
            self.tokens.starts[phrase.first]
            for phrase in phrases
            if _is_said(phrase) and self.lowers[max(0, phrase.first - 2) : phrase.first] not in _MIGHT_BE
        ]
        if any(place < at for place in said):
            return False
        return not any(re.search(r"\b(?:but|however|though|still)\b|[;.]", self.text[at:place], re.I) for place in said)

    def _unreadable(self) -> Unreadable:
        reason = why_unreadable(self.text, self.tokens)
        if reason is None:
            if unsure_at(self.text) is not None:
                reason = "the system does not know"
            elif self.asked.asks is not None and len(self.lowers) > _TERSE:
                reason = "it looks like a caption, not like an answer to the question"
            else:
                reason = "it says neither how many nor yes or no"
        return Unreadable(self.whole, reason)

    def _sentences(self) -> list[Sentence]:
        """The sentences and lines of the text."""
        found: list[Sentence] = []
        starts = set(self.bullets)
        first, listed = 0, False
        for place, word in enumerate(self.lowers):
            begins = self.tokens.starts[place]
            before = self.tokens.ends[place - 1] if place else 0
            gap = self.raw[before:begins]
            if place > first and "\n" in gap:
                found.append(Sentence(first, place, listed))
                first = place
            if "\n" in gap or place == 0:
                listed = any(start in starts for start in range(before, begins + 1))
            if word in _ENDS:
                found.append(Sentence(first, place + 1, listed))
                first = place + 1
        if first < len(self.lowers):
            found.append(Sentence(first, len(self.lowers), listed))
        return found


_plural_of = functools.lru_cache(maxsize=4096)(plural_of)


def _is_said(phrase: Phrase) -> bool:
    return phrase.said in ("number", "vague", "none") or (phrase.said == "bare" and phrase.target is not None)


_BEFORE_NOUNS = frozenset(("DT", "CD", "JJ", "PRP$"))
_MIGHT_BE = (["might", "be"], ["may", "be"], ["could", "be"])
_AFTER_VERBS = (["IN"], ["DT"], ["PRP$"], ["TO"], ["RP"])
_DEEDS, _DEEDS_OF_MANY = word_list("answers", "deeds_of_one"), word_list("answers", "deeds_of_many")
_NOUNS_IN = (["NN", "NN", "IN"], ["NN", "NNS", "IN"])
_ENDS = frozenset((".", "!", "?", ";"))
