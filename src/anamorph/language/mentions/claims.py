"""What a text names without saying that it is there: toys, pictures, words on signs, guesses, and what is denied."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from anamorph.language.mentions.finding import NOUNS, Phrase
from anamorph.language.mentions.passage import FINITE, Passage
from anamorph.language.naming import Namer
from anamorph.language.tagging.lexicon import is_animate
from anamorph.language.wordlists import word_list

# What a depicted thing is.
Depiction: TypeAlias = Literal["toy", "sculpture", "picture", "screen", "costume", "shape"]

_KINDS = {
    word: kind for kind in ("picture", "sculpture", "toy", "costume", "screen") for word in word_list("claims", kind)
}
_IMAGES = word_list("claims", "images")
_IMAGE_OF = word_list("claims", "image_of")
_FRAMED = word_list("claims", "framed")
_OF = word_list("claims", "of")
_SHOWS = word_list("claims", "shows")
_PLACING = word_list("claims", "placing")
_TOYS = word_list("claims", "toys")
_TOYS_THEMSELVES = frozenset(name.replace("-", " ") for name in word_list("claims", "toys_themselves"))
_MODELS = word_list("claims", "models")
_LIFELESS = word_list("claims", "lifeless")
_MADE, _MADE_OF = word_list("claims", "made"), word_list("claims", "made_of")
_LIKE_VERBS, _RESEMBLES = word_list("claims", "like_verbs"), word_list("claims", "resembles")
_DRAWN = word_list("claims", "drawn")
_PRINTED_WITH, _DECORATED_WITH = word_list("claims", "printed_with"), word_list("claims", "decorated_with")
_WORN = word_list("claims", "worn")
_SURFACES, _ON_ITSELF = word_list("claims", "surfaces"), word_list("claims", "on_itself")
_SAYS = word_list("claims", "says")
_NOT, _LACKS, _NO_OF = word_list("claims", "not"), word_list("claims", "lacks"), word_list("claims", "no_of")
_IN_PLACE_OF, _AWAY = word_list("claims", "in_place_of"), word_list("claims", "away")
_UNSEEN, _HAS, _STILL = word_list("claims", "unseen"), word_list("claims", "has"), word_list("claims", "still")
_NOBODY = word_list("claims", "nobody")
_GUESSES, _MIGHT = word_list("claims", "guesses"), word_list("claims", "might")
_EXPECTING, _EXPECTING_FOR = word_list("claims", "expecting"), word_list("claims", "expecting_for")
_EXPECTING_ALONE = word_list("claims", "expecting_alone")
_BODY = word_list("claims", "body")
_TAKING = word_list("claims", "taking")
_PROPER, _FORKED = word_list("claims", "proper"), word_list("claims", "forked")
_CONFECTED = word_list("claims", "confected")
_CRAFTED, _VEHICLES = word_list("claims", "crafted"), word_list("claims", "vehicles")
_CHESSMEN = word_list("claims", "chessmen")
_BODIES = word_list("claims", "bodies")
GENUINE = word_list("claims", "genuine")
_BE = frozenset("is are was were be been being 's 're".split())
_COLONS = frozenset(":\u2014\u2013-(\"\u201c'\u2018[*")
_AFFILIATED = frozenset(("from", "of", "for", "on"))
_QUOTED_WORDS = 12


def mark_claims(passage: Passage, namer: Namer, counted: frozenset[str] = frozenset()) -> None:
    """Mark every noun group of a passage that is not claimed to be there, or is denied; `counted` depictions are."""
    for phrase in passage.phrases:
        _mark_name(passage, phrase, namer)
    for place, word in enumerate(passage.lowers):
        cues = _CUES.get(word)
        if cues is not None:
            for cue in cues:
                cue(passage, place)
    for phrase in passage.phrases:
        if phrase.mention.label is not None and not phrase.unclaimed:
            _mark_modified(passage, phrase)
            _mark_owner(passage, phrase)
        if phrase.unclaimed in counted:
            phrase.unclaimed = ""


def _mark(passage: Passage, low: int, high: int, kind: str) -> None:
    for phrase in passage.between(low, high):
        phrase.unclaimed = phrase.unclaimed or kind


def lives(phrase: Phrase) -> bool:
    """Whether a noun group names a person or an animal."""
    mention = phrase.mention
    return is_animate(mention.head.rpartition(" ")[2]) or (mention.label is not None and is_animate(mention.label))


# --- depictions ------------------------------------------------------------------------------------------------------


def _depiction(passage: Passage, place: int) -> None:
    """ "A poster of a dog", "its cover shows a man", "a TV showing a match"."""
    word = passage.lowers[place]
    if passage.tags[place] not in NOUNS or passage.tag(place + 1) in NOUNS or _is_the_image(passage, place):
        return
    kind = _KINDS[word]
    following = passage.word(place + 1)
    if word in _IMAGES and not _TAKING.isdisjoint(passage.lowers[max(0, place - 5) : place]):
        return  # "taking a picture of a giraffe"
    if following in _OF and not (following == "of" and kind == "screen"):
        _mark(passage, place + 2, _depiction_end(passage, place + 2), kind)
    elif (later := _shown_later(passage, place)) is not None:
        _mark(passage, later + 1, _depiction_end(passage, later + 1), kind)
    elif kind in ("picture", "screen"):
        if following == "with" and kind == "picture" and word not in _IMAGES:
            _mark(passage, place + 2, _depiction_end(passage, place + 2), kind)
            return
        verb = _verb_of(passage, place)
        if verb is not None and passage.lowers[verb] in _SHOWS:
            _mark(passage, verb + 1, _shown_end(passage, verb + 1, kind), kind)


def _shown_later(passage: Passage, place: int) -> int | None:
    """ "An advertisement for a zoo, featuring a panda"."""
    for at in range(place + 2, min(passage.sentence_end(place), place + 8)):
        if passage.tags[at] in FINITE:
            return None
        if passage.lowers[at] in ("featuring", "depicting", "portraying"):
            return at
    return None


def _is_the_image(passage: Passage, place: int) -> bool:
    """Whether a "photo" is the very image that the text describes."""
    word = passage.lowers[place]
    if word not in _IMAGES:
        return False
    phrase = next(iter(passage.between(place, place + 1)), None)
    modifiers = passage.lowers[phrase.first : place] if phrase else []
    if any(modifier in _FRAMED for modifier in modifiers):
        return False
    definite = modifiers[:1] in (["the"], ["this"])
    end = passage.sentence_end(place)
    if not definite and any(later in _FRAMED for later in passage.lowers[place + 1 : end]):
        return False
    led = passage.tag(phrase.first - 1) if phrase else ""
    first = passage.first_named > place and (led != "IN" or definite)
    return first or (definite and word in _IMAGE_OF and passage.word(place + 1) != "of")


def _depiction_end(passage: Passage, place: int) -> int:
    """How far what a depiction is of reaches: up to a verb, or where the depiction hangs or stands."""
    end = passage.sentence_end(place)
    related = False
    for at in range(place, end):
        word, tag = passage.lowers[at], passage.tags[at]
        if tag in ("WDT", "WP"):
            related = True
        elif tag in FINITE:
            if not related:
                return at
            related = False
        elif word in _PLACING or word in (":", "(", ")", "\u2014", "\u2013"):
            return at
        elif word in ("on", "in", "at", "to") and passage.word(at + 1) in (
            "the",
            "its",
            "his",
            "her",
            "their",
            "top",
            "front",
        ):
            return at
        elif word == "," and (passage.tag(at + 1) not in NOUNS or passage.tag(at + 2) in FINITE):
            return at
    return end


def _shown_end(passage: Passage, place: int, kind: str) -> int:
    """How far what is shown reaches: to the end of the sentence, or to what happens meanwhile beside a screen."""
    end = passage.sentence_end(place)
    for at in range(place, end):
        word = passage.lowers[at]
        if (kind == "screen" and word in ("while", "as", "\u2014")) or (
            word == "," and passage.word(at + 1) in ("and", "but", "while", "with")
        ):
            return at
        if word in _PLACING and passage.word(at + 1) in ("the", "to", "a", "of"):
            return at
    return end


def _verb_of(passage: Passage, place: int) -> int | None:
    """The verb that a noun is the subject of, or the participle that follows it."""
    end = min(passage.sentence_end(place), place + 10)
    for at in range(place + 1, end):
        tag = passage.tags[at]
        if tag in FINITE and passage.lowers[at] not in _BE:
            return at
        if tag == "VBG" and (at == place + 1 or passage.lowers[at - 1] in _BE):
            return at
        if passage.lowers[at] == ",":
            return None
    return None


def _it_shows(passage: Passage, place: int) -> None:
    """ "She holds up a drawing. It shows a cat"."""
    start = passage.sentence_start(place)
    if place - 1 != start or passage.lowers[start] not in ("it", "they") or start < 2:
        return
    for at in range(start - 2, passage.sentence_start(start - 2) - 1, -1):
        kind = _KINDS.get(passage.lowers[at])
        if kind in ("picture", "screen") and passage.tags[at] in NOUNS and not _is_the_image(passage, at):
            _mark(passage, place + 1, _shown_end(passage, place + 1, kind), kind)
            return


def _one_of(passage: Passage, place: int) -> None:
    """ "Stickers, including one of a dog": "one of a" is one that shows it."""
    if passage.word(place + 1) != "of" or passage.word(place + 2) not in ("a", "an"):
        return
    for at in range(place - 1, max(-1, place - 40), -1):
        kind = _KINDS.get(passage.lowers[at])
        if kind is not None:
            _mark(passage, place + 2, _depiction_end(passage, place + 2), kind)
            return


def _likeness(passage: Passage, place: int) -> None:
    """ "Shaped like a swan", "dressed as a cow", "resembles a parrot"."""
    word, low = passage.lowers[place], place + 1
    if word in _RESEMBLES:
        pass
    elif word in ("shape", "form", "likeness"):
        if passage.word(place + 1) != "of" or passage.word(place - 1) not in ("the", "a"):
            return
        low += 1
    elif word == "reminiscent":
        low += 1
    else:
        at = place + 1
        if passage.word(at) == "up":
            at += 1
        if passage.word(at) == "to" and passage.word(at + 1) in ("look", "resemble"):
            at += 2 if passage.word(at + 1) == "look" else 1
        if passage.word(at) not in ("like", "as", "resemble"):
            return
        if word.startswith("look") and (passage.word(at) != "like" or passage.word(place - 1) in ("it", "this")):
            return  # "it looks like a dog is asleep" is a guess at most
        if word not in ("dressed", "shaped") and not word.startswith("look") and passage.word(at) == "as":
            return
        low = at + 1
    kind = "costume" if word in ("dressed", "impersonating") else "shape"
    phrase = passage.after(low)
    if phrase is None or phrase.last >= passage.sentence_end(place):
        return
    listed = passage.listed(phrase)
    for following in listed if kind == "costume" else listed[:1]:
        following.unclaimed = following.unclaimed or kind


def _drawn(passage: Passage, place: int) -> None:
    """ "A cat printed on its side", "an eagle inked across his forearm", "socks printed with ducks"."""
    word, following = passage.lowers[place], passage.word(place + 1)
    if following in ("on", "onto", "across", "along", "over", "into", "upon") and word in _DRAWN:
        before = passage.before(place)
        if before is not None and before.last >= place - 2 and passage.tag(place - 1) not in FINITE:
            before.unclaimed = before.unclaimed or "picture"
            low = passage.sentence_start(place)
            for phrase in passage.between(low, before.last):
                gap = passage.lowers[phrase.last + 1 : before.first]
                if gap in (["and"], [","], [",", "and"]):
                    phrase.unclaimed = phrase.unclaimed or "picture"
    elif following in ("with", "in"):
        for phrase in passage.between(place + 2, _depiction_end(passage, place + 2)):
            if word in _PRINTED_WITH or lives(phrase):
                phrase.unclaimed = phrase.unclaimed or "picture"


def _surface(passage: Passage, place: int) -> None:
    """ "A sweater with penguins on it", "a shirt featuring a bear"."""
    if passage.tags[place] not in NOUNS:
        return
    following = passage.word(place + 1)
    if following in ("featuring", "depicting", "showing", "portraying"):
        _mark(passage, place + 2, _depiction_end(passage, place + 2), "picture")
    elif following in ("with", "that") or passage.word(place + 2) == "with":
        end = min(passage.sentence_end(place), place + 16)
        for at in range(place + 2, end):
            if passage.lowers[at] == "on" or passage.lowers[at] in _DRAWN:
                last = passage.lowers[at : at + 4]
                if any(word in _ON_ITSELF for word in last):
                    _mark(passage, place + 2, at, "picture")
                return
            if passage.lowers[at] == ",":
                return


def _on_screen(passage: Passage, place: int) -> None:
    """ "On the screen, two players chase a ball", "players on the screen"."""
    if passage.word(place + 1) not in ("the", "a", "its", "his", "her", "their"):
        return
    phrase = passage.after(place + 1)
    if phrase is None or phrase.first != place + 1:
        return
    word = passage.lowers[phrase.last]
    kind = _KINDS.get(word)
    if kind not in ("screen", "picture") or word in _IMAGE_OF or word.startswith(("display", "sign")):
        return
    if place == passage.sentence_start(place):
        if passage.word(phrase.last + 1) == ",":
            _mark(passage, phrase.last + 2, _shown_end(passage, phrase.last + 2, kind), kind)
        return
    before = passage.before(place)
    if before is not None and before.last == place - 1 and lives(before):
        before.unclaimed = before.unclaimed or kind


def _mark_modified(passage: Passage, phrase: Phrase) -> None:
    """ "A toy truck", "a ceramic owl", "a horse made of wood", "a fork in the road"."""
    label = phrase.mention.label or ""
    words = passage.lowers[phrase.first : passage.name_start(phrase)]
    if passage.lowers[phrase.last] in _BODIES and passage.word(phrase.first - 1) in _AFFILIATED:
        phrase.unclaimed = "name"  # "players from the red team"
        return
    if passage.lowers[phrase.last] in _CHESSMEN and any(word.startswith("chess") for word in passage.lowers):
        phrase.unclaimed = "name"
        return
    if label == "fork" and not _FORKED.isdisjoint(passage.lowers[phrase.last + 1 : phrase.last + 4]):
        phrase.unclaimed = "name"
        return
    living = lives(phrase)
    if not _TOYS.isdisjoint(words) and label not in _TOYS_THEMSELVES:
        phrase.unclaimed = "toy"
    elif not _CONFECTED.isdisjoint(words) and label not in ("cake", "donut"):
        phrase.unclaimed = "sculpture"
    elif living and not _LIFELESS.isdisjoint(words):
        phrase.unclaimed = "toy" if "stuffed" in words else "sculpture"
    elif label in _VEHICLES and not _CRAFTED.isdisjoint(words):
        phrase.unclaimed = "toy"
    elif not living and words and words[-1] in _MODELS and label not in _TOYS_THEMSELVES:
        phrase.unclaimed = "toy"
    elif living and passage.word(phrase.last + 1) in _MADE and passage.word(phrase.last + 2) in _MADE_OF:
        phrase.unclaimed = "sculpture"


def _mark_owner(passage: Passage, phrase: Phrase) -> None:
    """ "A dog's bowl" is no dog; "a dog's head" is one."""
    if passage.tag(phrase.last + 1) != "POS":
        return
    if phrase.determiner in ("his", "her", "its", "their"):
        return
    owned = passage.after(phrase.last + 1)
    word = passage.lowers[owned.last] if owned is not None else ""
    if word not in _BODY and not (word in _WORN and phrase.determiner == "the"):
        phrase.unclaimed = "owner"


def _mark_name(passage: Passage, phrase: Phrase, namer: Namer) -> None:
    """ "The Chicago Bulls" are no bulls, and "a Ford Mustang" is a car."""
    place, texts = phrase.last, passage.tokens.texts
    text, mention = texts[place], phrase.mention
    if not text[0].isupper() or passage.titled or place == passage.sentence_start(place):
        return
    label = namer.proper(text) or namer.proper(text.removesuffix("s"))
    start = passage.name_start(phrase)
    before, after = passage.text_at(start - 1), passage.text_at(place + 1)
    capital_before = before[:1].isupper() and start - 1 > passage.sentence_start(place)
    if label is not None and (mention.label is None or label != mention.label):
        phrase.mention = replace(mention, label=label)
    elif mention.label is not None and label is None and passage.lowers[place] not in _PROPER:
        bare = (
            phrase.determiner in ("", "the")
            and place - 1 <= phrase.first > passage.sentence_start(place)
            and passage.word(start - 1) not in _COLONS
        )
        if bare or capital_before or (after[:1].isalpha() and after[:1].isupper()) or after == "&":
            phrase.unclaimed = "name"


# --- words -----------------------------------------------------------------------------------------------------------


def _quote(passage: Passage, place: int) -> None:
    """What is written: a short text in quotation marks."""
    mark = passage.lowers[place]
    closing = {"\u201c": "\u201d", "\u2018": "'"}.get(mark, mark)
    starts, ends = passage.tokens.starts, passage.tokens.ends
    if place + 1 >= len(starts) or starts[place + 1] != ends[place]:
        return
    if place and starts[place] == ends[place - 1] and passage.lowers[place - 1] not in ("(", ":", "["):
        return
    words = 0
    for at in range(place + 1, min(len(starts), place + 40)):
        if passage.lowers[at] == closing and starts[at] == ends[at - 1]:
            if words <= _QUOTED_WORDS and words * 2 < len(starts):
                _mark(passage, place, at, "text")
            return
        words += passage.lowers[at][0].isalnum()


def _says(passage: Passage, place: int) -> None:
    """What is written, without quotation marks: "a sign that says bear street"."""
    word = passage.lowers[place]
    following = passage.after(place + 1)
    if following is None or following.first != place + 1 or following.determiner in ("a", "an", "the", "his", "her"):
        return
    if word in ("read", "say") and passage.tags[place] not in FINITE:
        return
    if word in ("word", "words", "text", "letters") and not passage.tokens.texts[place + 1][:1].isupper():
        return
    following.unclaimed = following.unclaimed or "text"


# --- denial ----------------------------------------------------------------------------------------------------------


def _subjects(passage: Passage, place: int) -> list[Phrase]:
    """The noun groups that a verb at a place says something of."""
    phrase = passage.before(place)
    if phrase is None:
        return []
    number = bisect_left(passage.heads, phrase.last)
    while number and phrase.first and passage.tags[phrase.first - 1] in ("IN", "TO"):
        earlier = passage.phrases[number - 1]
        if earlier.last < phrase.first - 2 or passage.sentence(earlier.last) != passage.sentence(phrase.last):
            break
        number, phrase = number - 1, earlier
    found = [phrase]
    while number:
        earlier = passage.phrases[number - 1]
        gap = passage.lowers[earlier.last + 1 : phrase.first]
        if gap not in (["and"], ["or"], ["nor"], [","], [",", "and"], [",", "or"]):
            break
        found.append(earlier)
        number, phrase = number - 1, earlier
    return found


def _deny(phrases: list[Phrase]) -> None:
    for phrase in phrases:
        phrase.denied = True


def _away(passage: Passage, place: int) -> None:
    """ "The horses are nowhere to be seen"."""
    if (
        passage.lowers[place - 1] in _BE
        or passage.word(place - 2) in _BE
        or passage.word(place - 1) in ("noticeably", "notably")
    ):
        _deny(_subjects(passage, place))


def _negation(passage: Passage, place: int) -> None:
    """ "Is not visible", "has not arrived", "isn't wearing a tie", "there are not any dogs"."""
    at = place + 1
    if passage.word(at) in _STILL:
        return
    before, verb = passage.word(place - 1), passage.word(at)
    end = passage.sentence_end(place)
    ahead = passage.lowers[at : min(end, at + 5)]
    if (
        passage.lowers[place] in ("cannot", "can't")
        or before in _BE
        or before in ("has", "have", "had", "ca", "can", "could", "do", "does", "did")
    ):
        unseen = [word for word in ahead if word in _UNSEEN]
        if unseen and ahead[0] in (*_UNSEEN, "in", "be", "yet", "currently", "clearly", "directly", "shown"):
            first = next(iter(passage.between(passage.sentence_start(place), place)), None)
            if first is not None and passage.word(place - 2) != "there":
                _deny(_subjects(passage, place))
                return
    if before in _BE or verb in _HAS or passage.tag(at) in ("DT", "VBG", "VB", "JJ"):
        target = passage.after(at)
        if target is None or target.last >= end:
            return
        low = at
        if verb in _HAS or (verb in ("be", "any") and True):
            low = at + (verb in _HAS)
        gap = passage.lowers[low : target.first]
        if gap and not all(
            word in ("any", "a", "single", "even", "an", "also", "actually", "currently") for word in gap
        ):
            return
        if passage.tag(at) == "VBG" and verb not in _HAS:
            return
        if target.determiner in ("the", "his", "her", "its", "their", "this", "that"):
            return
        _deny(
            passage.listed(target) if any(w in ("or", "nor") for w in passage.lowers[target.last : end]) else [target]
        )


def _lacks(passage: Passage, place: int) -> None:
    """ "Lacks a sofa", "devoid of people", "rather than cake"."""
    word, at = passage.lowers[place], place + 1
    if word in _NO_OF:
        if passage.word(at) not in ("of", "from"):
            return
        at += 1
    elif word in _IN_PLACE_OF:
        if passage.word(at) not in ("of", "than"):
            return
        at += 1
    phrase = passage.after(at)
    if phrase is not None and phrase.first <= at + 1 and phrase.last < passage.sentence_end(place):
        _deny(passage.listed(phrase))


def _neither(passage: Passage, place: int) -> None:
    """ "Neither cars nor buses are in view"; "neither of the dogs looks up" denies no dog."""
    if passage.word(place + 1) == "of":
        return
    phrase = passage.after(place + 1)
    end = passage.sentence_end(place)
    if phrase is None or "nor" not in passage.lowers[place:end]:
        return
    nor = passage.lowers.index("nor", place)
    sight = passage.lowers[nor:end]
    if passage.lowers[place - 1] in _BE or any(word in _UNSEEN for word in sight) or passage.word(place - 2) == "there":
        _deny([p for p in passage.between(place, nor)])
        following = passage.after(nor)
        if following is not None and following.last < end:
            _deny([following])


def _nor(passage: Passage, place: int) -> None:
    """ "Nor are there any boats"."""
    if passage.word(place + 1) in _BE or passage.word(place + 1) in ("does", "do", "can"):
        phrase = passage.after(place + 1)
        if phrase is not None and phrase.first <= place + 5 and phrase.last < passage.sentence_end(place):
            _deny(passage.listed(phrase))


def _no(passage: Passage, place: int) -> None:
    """ "No people, cars, or animals": the whole list is denied."""
    phrase = passage.after(place)
    if phrase is None or not phrase.mention.absent:
        return
    listed = passage.listed(phrase)
    if any(word in ("or", "nor") for word in passage.lowers[phrase.last : listed[-1].first]):
        _deny(listed)


# --- doubt -----------------------------------------------------------------------------------------------------------


def _guess(passage: Passage, place: int) -> None:
    """ "Possibly a beagle"."""
    at = place + 1
    if passage.word(at) in ("even", "also", "some"):
        at += 1
    phrase = passage.after(at)
    if phrase is not None and phrase.first <= at + 1 and passage.tag(at) not in ("IN", "VBG", "VBN", "TO", "CD"):
        phrase.unclaimed = phrase.unclaimed or "guess"
        for following in passage.listed(phrase)[1:]:
            if passage.word(following.first - 1) == "or":
                following.unclaimed = following.unclaimed or "guess"


def _might(passage: Passage, place: int) -> None:
    """ "There may be a box", "more zebras may be gathering"."""
    if passage.word(place + 1) not in ("be", "also", "have"):
        return
    if passage.tag(place + 2) in ("VBN", "JJ", "IN") and passage.word(place + 2) not in ("possible",):
        if passage.tag(place + 2) == "VBN":
            return  # "could be seen"
        return
    if passage.tag(place + 2) == "VBG":
        for phrase in _subjects(passage, place):
            if phrase.determiner not in ("the", "his", "her", "its"):
                phrase.unclaimed = phrase.unclaimed or "guess"
        return
    phrase_after = passage.after(place + 2)
    if phrase_after is not None and phrase_after.first <= place + 3 and phrase_after.last < passage.sentence_end(place):
        for phrase in passage.listed(phrase_after):
            phrase.unclaimed = phrase.unclaimed or "guess"


def _purpose(passage: Passage, place: int) -> None:
    """ "A place for spectators to sit" has none of them yet."""
    phrase = passage.after(place + 1)
    if phrase is not None and phrase.first == place + 1 and passage.tag(phrase.last + 1) == "TO":
        if phrase.determiner == "" and passage.tag(phrase.last + 2) in ("VB", "VBP", "RB", "NN"):
            phrase.unclaimed = phrase.unclaimed or "guess"


def _expecting(passage: Passage, place: int) -> None:
    """ "Waiting for a bus", "a space reserved for bicycles"."""
    at = place + 1
    if passage.lowers[place] not in _EXPECTING_ALONE:
        if passage.word(at) not in _EXPECTING_FOR:
            return
        at += 1
    phrase = passage.after(at)
    if phrase is not None and phrase.first == at:
        phrase.unclaimed = phrase.unclaimed or "guess"


_Cue = Callable[[Passage, int], None]


def _cue_table() -> dict[str, tuple[_Cue, ...]]:
    table: dict[str, tuple[_Cue, ...]] = {}
    for words, cue in (
        (frozenset(_KINDS), _depiction),
        (frozenset(("shows", "depicts", "portrays", "show", "depict", "features")), _it_shows),
        (frozenset(("one", "ones")), _one_of),
        (_LIKE_VERBS | _RESEMBLES | {"shape", "form", "likeness", "reminiscent"}, _likeness),
        (_DRAWN | _PRINTED_WITH | _DECORATED_WITH, _drawn),
        (_SURFACES, _surface),
        (frozenset(("on",)), _on_screen),
        (frozenset(("for",)), _purpose),
        (frozenset("\"\u201c\u2018'"), _quote),
        (_SAYS, _says),
        (_AWAY, _away),
        (_NOT, _negation),
        (_LACKS | _NO_OF | _IN_PLACE_OF, _lacks),
        (frozenset(("neither",)), _neither),
        (frozenset(("nor",)), _nor),
        (frozenset(("no", "without", "any")), _no),
        (_GUESSES, _guess),
        (_MIGHT, _might),
        (_EXPECTING, _expecting),
    ):
        for word in words:
            table[word] = (*table.get(word, ()), cue)
    return table


_CUES = _cue_table()
