"""Phrases that an answer denies, and those that claim nothing: "I don't see any dogs", "if there is a dog"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anamorph.language.hedges import GUESSES, MIGHT, looks_like
from anamorph.language.tagging.lexicon import is_animate
from anamorph.language.wordlists import word_list
from anamorph.readers.english.answer.words import ORDINALS, VERBS, Phrase, Sentence, Words

_DENIALS = word_list("answers", "denials")
_DENIAL_ENDS = word_list("answers", "denial_ends")
_SIGNS = word_list("answers", "signs")
_HARMLESS = word_list("answers", "after_harmless_denials")
_NOT_SEEN = word_list("answers", "not_seen")
_OTHERS = ORDINALS | {"other", "more", "additional", "further"}
_INSTEAD = (["rather", "than"], ["instead", "of"])
_NOT_ONLY = (("not", "just"), ("n't", "just"), ("not", "only"), ("n't", "only"))
_FORMERLY = frozenset(("previously", "initially", "earlier", "originally", "mistakenly", "incorrectly"))
_SUBJUNCTIVE = frozenset(("if", "whether", "unless"))
_QUITE = frozenset(("quite", "really", "exactly", "entirely", "completely"))
_SAID = frozenset(("counted", "said", "guessed", "saw"))
_SEEMING = frozenset(("thought", "mistook", "assumed"))
_NUMBERS = frozenset(("number", "count", "total", "amount", "kind", "type"))
_ROOM = frozenset(("room", "space", "spaces", "slots", "capacity", "spots"))
_LIKENESS = frozenset(("like", "as", "resembling", "resembles"))
# What is depicted: by an adjective, by what is said behind it, or by what it is on.
_GENUINE = word_list("claims", "genuine")
_TOYS = word_list("depictions", "toys")
_LIFELESS = word_list("depictions", "lifeless")
_DRAWN = word_list("depictions", "drawn")
_SHOWN_ON = word_list("depictions", "pictures") | word_list("depictions", "screens")
_LIKENESSES = _SHOWN_ON | word_list("depictions", "toy_nouns") | word_list("depictions", "sculptures")
_BE = frozenset(("is", "are", "'s"))
# What makes the number before it one that may be right as well.
_SUPPOSING = frozenset(("if", "counting", "including", "depending", "when"))
_GUESSING = GUESSES | MIGHT | _SUPPOSING
_ALTERNATING = GUESSES | {",", "or", "("}
# A "might" reaches this many words.
_NEAR = 12
_INTENTIONS = frozenset(("count", "counting", "identify", "determine", "locate", "many"))


class Denials:
    """Tells what the phrases of a text claim from what it denies or only mentions."""

    def __init__(self, words: Words, phrases: Sequence[Phrase], asks_others: bool = False) -> None:
        self.asks_others = asks_others
        self.words, self.lowers, self.phrases = words, words.lowers, phrases
        self.guesses = not _GUESSING.isdisjoint(words.lowers)

    def claimed(self, phrase: Phrase) -> Phrase | None:
        """The phrase as it is claimed, with zero where it is denied; None where it claims nothing."""
        if self._is_perhaps(phrase):
            return replace(phrase, least=0)
        return None if self._is_idle(phrase) else self._as_denied(phrase)

    def _is_perhaps(self, phrase: Phrase) -> bool:
        """ "There might be a dog", "possibly a third", "another could be behind the couch"."""
        if not self.guesses or phrase.said not in ("number", "vague", "article", "bare") or phrase.least == 0:
            return False
        sentence = self.words.sentences[phrase.sentence]
        before = self.lowers[max(sentence.first, phrase.first - _NEAR) : phrase.first]
        might = [place for place, word in enumerate(before) if word in MIGHT]
        if might and before[max(0, might[-1] - 1)] == "there" and "be" in before[-3:]:
            return True
        following = self.words.word(phrase.last + 1, sentence)
        if phrase.head is None and following in _SUPPOSING and self.lowers[phrase.first - 1] in _ALTERNATING:
            return True  # "four, five counting the van"
        if phrase.head is None and might and might[-1] == len(before) - 2:
            return True  # "it could be three", "you could count three"
        if phrase.said == "article" and not GUESSES.isdisjoint(before[-1:]):
            return True
        if not self.words.is_more(phrase):
            return False
        return following in MIGHT or bool(might) or not GUESSES.isdisjoint(before[-3:])

    def without_depictions(self, phrases: Sequence[Phrase], denied: bool) -> list[Phrase]:
        """The phrases without what is only depicted beside a denial: "no real dogs, only a dog on the cushion"."""
        denied = denied or any(phrase.said == "none" for phrase in phrases)
        found: list[Phrase] = []
        genuine = False
        for phrase in phrases:
            if phrase.said == "none":
                genuine = genuine or not _GENUINE.isdisjoint(self.lowers[phrase.first : phrase.last])
            elif denied and (genuine or self._is_depicted(phrase)):
                continue
            found.append(phrase)
        return found

    def _is_depicted(self, phrase: Phrase) -> bool:
        inside = self.lowers[phrase.first : phrase.last]
        if not _TOYS.isdisjoint(inside):
            return True
        if phrase.head is not None and not _LIFELESS.isdisjoint(inside) and is_animate(phrase.head):
            return True
        behind = self.lowers[phrase.last + 1 : min(phrase.last + 6, self.words.sentences[phrase.sentence].last)]
        if behind[:1] == ["on"]:
            return not _SHOWN_ON.isdisjoint(behind[1:4])
        return not _DRAWN.isdisjoint(behind[:1]) or (
            not _BE.isdisjoint(behind[:1]) and not (_LIKENESSES | _DRAWN).isdisjoint(behind[1:4])
        )

    def _is_idle(self, phrase: Phrase) -> bool:
        """Whether a phrase claims nothing: a hypothesis, a kind of dog, the dogs that are about to be counted."""
        sentence = self.words.sentences[phrase.sentence]
        before = self.lowers[sentence.first : phrase.first]
        if not _SUBJUNCTIVE.isdisjoint(before[-6:]) or before[-1:] == ["how"]:
            return True
        if before[-1:] == ["for"] and not _ROOM.isdisjoint(before[-3:]):
            return True  # "room for 12 eggs"
        if (not _SEEMING.isdisjoint(before) or before[:2] == ["at", "first"]) and "but" in self.lowers[
            phrase.last + 1 : sentence.last
        ]:
            return True  # "At first I thought there was a knife, but it is a spoon"
        if "if" in before and "," not in before[before.index("if") :]:
            return True  # "if the dark shape by the rock is also a bear"
        if phrase.said in ("number", "vague") and self._is_taken_back(before):
            return True
        if phrase.said == "vague" and not MIGHT.isdisjoint(self.lowers[phrase.last + 1 : phrase.last + 2]):
            return True  # "some might be"
        if phrase.said in ("bare", "definite", "article") and phrase.head is not None:
            if not MIGHT.isdisjoint(before[-3:]) and "be" in before[-2:]:
                return True  # "it might be a toaster or a radio"
            if before[-1:] == ["of"] and not _NUMBERS.isdisjoint(before[-2:-1]):
                return True
            like = not _LIKENESS.isdisjoint(before[-1:]) and not looks_like(self.lowers, phrase.first - 1)
            like = like and before[-3:] != ["as", "well", "as"]
            if like or before[-2:] == ["for", "a"]:
                return True
            if not _INTENTIONS.isdisjoint(before[-5:]):
                return phrase.said != "article"
        return False

    def _is_taken_back(self, before: Sequence[str]) -> bool:
        """ "One bear, not two"; "I first said five"; "all but one"."""
        if (
            tuple(before[-2:]) in _NOT_ONLY
            or before[-1:] == ["not"]
            or before[-2:] in (["all", "but"], ["rather", "than"], ["instead", "of"])
        ):
            return True
        if "first" in before[-6:-1] and before[-1] in _SAID:
            return True
        return not _FORMERLY.isdisjoint(before[-6:]) and "but" not in before[-6:]

    def _as_denied(self, phrase: Phrase) -> Phrase | None:
        if phrase.said == "none":
            return None if self._is_of_others(phrase) else phrase
        one = phrase.head is None and self.lowers[phrase.last] == "one"
        one = one or "single" in self.lowers[phrase.first : phrase.last]  # "I don't see a single dog"
        if (phrase.said != "number" or one) and self._is_denied(phrase):
            if phrase.said == "vague" or self._is_of_others(phrase):
                return None  # "not many" may be some
            return replace(phrase, least=0, most=0, said="none", part=False)
        return phrase

    def _is_of_others(self, phrase: Phrase) -> bool:
        """ "No other dogs", "no one else" leave the first."""
        others = phrase.head is not None and not _OTHERS.isdisjoint(self.lowers[phrase.first : phrase.last])
        return not self.asks_others and (others or self.lowers[phrase.last + 1 : phrase.last + 2] == ["else"])

    def _is_denied(self, phrase: Phrase) -> bool:
        sentence = self.words.sentences[phrase.sentence]
        if phrase.said != "definite" and self._is_denied_before(phrase, sentence):
            return True
        if self.lowers[max(sentence.first, phrase.first - 2) : phrase.first] in _INSTEAD:
            return True
        following = self.lowers[phrase.last + 1 : min(phrase.last + 8, sentence.last)]
        for place, word in enumerate(following):
            if word in (",", "but", ";", "and"):
                return False
            if word in ("absent", "nowhere", "missing"):
                return True
            if word in ("not", "n't", "cannot", "never") and not _NOT_SEEN.isdisjoint(following[place + 1 : place + 4]):
                return True
        return False

    def _is_denied_before(self, phrase: Phrase, sentence: Sentence) -> bool:
        """Whether a "not", a "without" or the like stands before a phrase and reaches it."""
        if phrase.said == "bare" and self.lowers[phrase.first] == "not":
            return True  # "Those are tigers, not lions"
        place = phrase.first - 1
        verbs = False
        while place >= sentence.first:
            word = self.lowers[place]
            if word in _SIGNS and self.words.word(place - 1, sentence) == "no":
                return True
            if word in _DENIALS:
                following = self.words.word(place + 1, sentence)
                harmless = following in _HARMLESS or (
                    following in _QUITE and not self.words.word(place + 2, sentence)[0].isalnum()
                )  # "Not quite: there is a bird"
                return not harmless and not verbs
            if word in _DENIAL_ENDS or (word == "," and phrase.said == "article"):
                return False
            if self.words.tags[place] in VERBS and self._ends_phrase(place - 1):
                verbs = True
            place -= 1
        return False

    def _ends_phrase(self, place: int) -> bool:
        return any(
            phrase.last == place and phrase.head is not None and phrase.said != "none" for phrase in self.phrases
        )
