"""Things that a text names as a picture, a toy, a sculpture or the like: "a poster of a dog" has no dog."""

from __future__ import annotations

from typing import Literal, TypeAlias

from anamorph.reading.hedges import looks_like
from anamorph.reading.mentions.finding import NOUNS, Phrase
from anamorph.reading.mentions.passage import BE, FINITE, POSSESSIVE, Cue, Passage
from anamorph.reading.wordlists import word_list

# What a depicted thing is.
Depiction: TypeAlias = Literal["toy", "sculpture", "picture", "screen", "costume", "shape"]

# Nouns that depict, with what they depict a thing as.
_KINDS: dict[str, Depiction] = {
    **dict.fromkeys(word_list("depictions", "screens"), "screen"),
    **dict.fromkeys(word_list("depictions", "costumes"), "costume"),
    **dict.fromkeys(word_list("depictions", "toy_nouns"), "toy"),
    **dict.fromkeys(word_list("depictions", "sculptures"), "sculpture"),
    **dict.fromkeys(word_list("depictions", "pictures"), "picture"),
}
# The image itself may be one of these, and "the image" is.
_IMAGES, _THE_IMAGE = word_list("depictions", "images"), word_list("depictions", "the_image")
_ITSELF = word_list("depictions", "itself")
_FRAMED, _TAKING = word_list("depictions", "framed"), word_list("depictions", "taking")
_OF, _LATER_OF = word_list("depictions", "of"), word_list("depictions", "later_of")
_SHOWS, _IT_SHOWS = word_list("depictions", "shows"), word_list("depictions", "it_shows")
# After these a depiction is over: they say where it hangs or stands.
_PLACING = word_list("depictions", "placing")
_MEANWHILE = frozenset(("while", "as"))
_COMPLETE = frozenset(("complete", "including"))
_DASHES = frozenset((":", "(", ")", "\u2014", "\u2013"))
_KNOWN = POSSESSIVE | {"the", "top", "front"}
# What may stand before a thing and make it no more than a likeness.
_TOYS = word_list("depictions", "toys")
_TOYS_THEMSELVES = frozenset(name.replace("-", " ") for name in word_list("depictions", "toys_themselves"))
_MODELS, _LIFELESS = word_list("depictions", "models"), word_list("depictions", "lifeless")
_CONFECTED, _CONFECTIONS = word_list("depictions", "confected"), word_list("depictions", "confections")
_CRAFTED, _VEHICLES = word_list("depictions", "crafted"), word_list("depictions", "vehicles")
_AFLOAT = frozenset(("plastic", "paper", "tin", "origami"))
_MADE, _MADE_OF = word_list("depictions", "made"), word_list("depictions", "made_of")
_LIKE_VERBS, _RESEMBLES = word_list("depictions", "like_verbs"), word_list("depictions", "resembles")
_SHAPES = word_list("depictions", "shapes")
_DRAWN, _ON = word_list("depictions", "drawn"), word_list("depictions", "drawn_on")
_PRINTED_WITH, _DECORATED_WITH = word_list("depictions", "printed_with"), word_list("depictions", "decorated_with")
_SURFACES, _ON_ITSELF = word_list("depictions", "surfaces"), word_list("depictions", "on_itself")


def mark_likeness(passage: Passage, phrase: Phrase) -> None:
    """Mark what its own words make a likeness: "a toy truck", "a ceramic owl", "a horse made of wood"."""
    label = phrase.mention.label or ""
    start = passage.name_start(phrase)
    if start - phrase.first < 2 and phrase.determiner and passage.word(phrase.last + 1) not in _MADE:
        return  # nothing stands before it but "a" or "the"
    words = passage.lowers[phrase.first : start]
    living = phrase.lives
    behind = passage.lowers[phrase.last + 1 : phrase.last + 3]
    if label not in _TOYS_THEMSELVES and (
        not _TOYS.isdisjoint(words)
        or (label in _VEHICLES and not _CRAFTED.isdisjoint(words))
        or (label == "boat" and not _AFLOAT.isdisjoint(words))
        or (not living and not _MODELS.isdisjoint(words[-1:]))
        or (living and "stuffed" in words)
    ):
        phrase.unclaimed = "toy"
    elif (
        (living and not _LIFELESS.isdisjoint(words))
        or (label not in _CONFECTIONS and not _CONFECTED.isdisjoint(words))
        or (living and len(behind) == 2 and behind[0] in _MADE and behind[1] in _MADE_OF)
    ):
        phrase.unclaimed = "sculpture"


# --- nouns that depict -----------------------------------------------------------------------------------------------


def _depiction(passage: Passage, place: int) -> None:
    """ "A poster of a dog", "its cover shows a man", "a TV showing a match"."""
    if passage.tags[place] not in NOUNS or passage.tag(place + 1) in NOUNS or _is_the_image(passage, place):
        return
    word, following = passage.lowers[place], passage.word(place + 1)
    kind = _KINDS[word]
    if word in _IMAGES and not _TAKING.isdisjoint(passage.lowers[max(0, place - 5) : place]):
        return  # "taking a picture of a giraffe"
    if following in _OF and not (following == "of" and kind == "screen"):
        passage.unclaim(place + 2, _depiction_end(passage, place + 2), kind)
    elif (later := _later_of(passage, place)) is not None:
        passage.unclaim(later + 1, _depiction_end(passage, later + 1), kind)
    elif following == "with" and kind == "picture" and word not in _IMAGES:
        passage.unclaim(place + 2, _depiction_end(passage, place + 2), kind)
    elif kind in ("picture", "screen"):
        verb = _verb_of(passage, place)
        if verb is not None and passage.lowers[verb] in _SHOWS:
            passage.unclaim(verb + 1, _shown_end(passage, verb + 1, kind), kind)


def _is_the_image(passage: Passage, place: int) -> bool:
    """Whether a "photo" is the very image that the text describes."""
    word = passage.lowers[place]
    if word in _ITSELF | _IMAGES and _begins_with(passage, place):
        return True
    if word not in _IMAGES:
        return False
    phrase = passage.at(place)
    words = passage.lowers[phrase.first : place] if phrase is not None else []
    definite = words[:1] in (["the"], ["this"])
    rest = passage.lowers[place + 1 : passage.sentence_end(place)]
    if not _FRAMED.isdisjoint(words) or (not definite and not _FRAMED.isdisjoint(rest)):
        return False
    if definite and word in _THE_IMAGE and passage.word(place + 1) != "of":
        return True
    led_in = phrase is not None and passage.tag(phrase.first - 1) == "IN"
    return place < passage.first_named and (definite or not led_in)


def _begins_with(passage: Passage, place: int) -> bool:
    """ "A magazine advertisement shows a red laptop": the first thing of a text, and nothing says where it hangs."""
    phrase = passage.at(place)
    if phrase is None or phrase is not passage.phrases[0] or phrase.determiner in POSSESSIVE:
        return False
    shows = passage.word(place + 1) in _SHOWS and passage.tag(place + 1) in FINITE
    return shows and _FRAMED.isdisjoint(passage.lowers[phrase.first : place])


def _later_of(passage: Passage, place: int) -> int | None:
    """ "An advertisement for a zoo, featuring a panda"."""
    for at in range(place + 2, min(passage.sentence_end(place), place + 8)):
        if passage.tags[at] in FINITE:
            return None
        if passage.lowers[at] in _LATER_OF:
            return at
    return None


def _depiction_end(passage: Passage, place: int) -> int:
    """How far what a depiction is of reaches: up to a verb, or to where the depiction hangs or stands."""
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
        elif (
            word in _PLACING
            or word in _DASHES
            or (word in ("on", "in", "at", "to") and passage.word(at + 1) in _KNOWN)
            or (word == "," and (passage.tag(at + 1) not in NOUNS or passage.tag(at + 2) in FINITE))
        ):
            if word == "," and passage.word(at + 1) in _COMPLETE:
                return end  # "a drawing of a house, complete with a dog and two cars"
            return at
    return end


def _shown_end(passage: Passage, place: int, kind: Depiction) -> int:
    """How far what is shown reaches: to the end of the sentence, or to what happens meanwhile beside a screen."""
    end = passage.sentence_end(place)
    for at in range(place, end):
        word, following = passage.lowers[at], passage.word(at + 1)
        if (
            (kind == "screen" and word in _MEANWHILE)
            or (word == "," and following in ("but", "while", "with"))
            or (word == "," and following == "and" and _begins_clause(passage, at + 2))
            or (word in _PLACING and following in ("the", "to", "a", "of"))
        ):
            return at
    return end


def _begins_clause(passage: Passage, place: int) -> bool:
    """Whether what follows "and" has a verb of its own: ", and two boys watch it", not ", and two boys"."""
    phrase = passage.after(place)
    if phrase is None or phrase.first > place + 1:
        return True
    return any(tag in FINITE for tag in passage.tags[phrase.last + 1 : passage.sentence_end(place)])


def _verb_of(passage: Passage, place: int) -> int | None:
    """The verb that a noun is the subject of, or the participle that follows it."""
    for at in range(place + 1, min(passage.sentence_end(place), place + 10)):
        word, tag = passage.lowers[at], passage.tags[at]
        if tag in FINITE and word not in BE:
            return at
        if tag == "VBG" and (at == place + 1 or passage.lowers[at - 1] in BE):
            return at
        if word == ",":
            return None
    return None


def _it_shows(passage: Passage, place: int) -> None:
    """ "She holds up a drawing. It shows a cat"."""
    start = passage.sentence_start(place)
    if place - 1 == start and passage.lowers[start] in ("it", "they"):
        _mark_shown_by_it(passage, start, place + 1)


def _mark_shown_by_it(passage: Passage, start: int, low: int) -> None:
    """Mark what a sentence says that "it" shows, where the sentence before names a picture or a screen."""
    if start < 2:
        return
    for at in range(start - 2, passage.sentence_start(start - 2) - 1, -1):
        kind = _KINDS.get(passage.lowers[at])
        if kind in ("picture", "screen") and passage.tags[at] in NOUNS and not _is_the_image(passage, at):
            passage.unclaim(low, _shown_end(passage, low, kind), kind)
            return


def _one_of(passage: Passage, place: int) -> None:
    """ "Stickers, including one of a dog": "one of a" is one that shows it."""
    if passage.word(place + 1) != "of" or passage.word(place + 2) not in ("a", "an"):
        return
    for at in range(place - 1, max(-1, place - 40), -1):
        kind = _KINDS.get(passage.lowers[at])
        if kind is not None:
            passage.unclaim(place + 2, _depiction_end(passage, place + 2), kind)
            return


def _on_screen(passage: Passage, place: int) -> None:
    """ "On the screen, two players chase a ball", "players on the screen", "On it, a chef slices a fish"."""
    if passage.lowers[place + 1 : place + 3] == ["it", ","] and place == passage.sentence_start(place):
        _mark_shown_by_it(passage, place, place + 3)
        return
    phrase = passage.after(place + 1)
    if phrase is None or phrase.first != place + 1 or not phrase.determiner:
        return
    word = passage.lowers[phrase.last]
    kind = _KINDS.get(word)
    if kind not in ("screen", "picture") or word in _THE_IMAGE or word.startswith(("display", "sign")):
        return
    if place == passage.sentence_start(place):
        if passage.word(phrase.last + 1) == ",":
            passage.unclaim(phrase.last + 2, _shown_end(passage, phrase.last + 2, kind), kind)
        return
    before = passage.before(place)
    if before is not None and before.last == place - 1 and before.lives:
        before.unclaim(kind)


# --- likeness and prints ---------------------------------------------------------------------------------------------


def _likeness(passage: Passage, place: int) -> None:
    """ "Shaped like a swan", "dressed as a cow", "resembles a parrot"."""
    low = _like_what(passage, place)
    phrase = passage.after(low) if low is not None else None
    if phrase is None or phrase.last >= passage.sentence_end(place):
        return
    if passage.lowers[place] in ("dressed", "impersonating"):
        for each in passage.listed(phrase):
            each.unclaim("costume")
    else:
        phrase.unclaim("shape")


def _like_what(passage: Passage, place: int) -> int | None:
    """Where that begins which something is like; None where nothing is said to be like it."""
    word, at = passage.lowers[place], place + 1
    if word in _RESEMBLES:
        return at
    if word in _SHAPES:
        of = passage.word(at) == "of" and (word == "reminiscent" or passage.word(place - 1) in ("the", "a"))
        return at + 1 if of else None
    if passage.word(at) == "up":
        at += 1
    if passage.word(at) == "to" and passage.word(at + 1) in ("look", "resemble"):
        at += 2 if passage.word(at + 1) == "look" else 1
    link = passage.word(at)
    looks = word.startswith("look")
    if looks and (link != "like" or (looks_like(passage.lowers, at) and not _is_taken_back(passage, place))):
        return None  # "it looks like a dog is asleep" says that there is one
    if link == "as" and word not in ("dressed", "shaped"):
        return None
    return at + 1 if link in ("like", "as", "resemble") else None


def _is_taken_back(passage: Passage, place: int) -> bool:
    """ "At first glance it looks like a bear, but ..."; "what looks like a cat is actually a bag"."""
    before = passage.lowers[passage.sentence_start(place) : place]
    behind = passage.lowers[place : passage.sentence_end(place)]
    return ("first" in before and "but" in behind) or "actually" in behind


def _drawn(passage: Passage, place: int) -> None:
    """ "A cat printed on its side", "an eagle inked across his forearm", "socks printed with ducks"."""
    word, following = passage.lowers[place], passage.word(place + 1)
    if following in _ON and word in _DRAWN:
        before = passage.before(place)
        if before is not None and before.last >= place - 2 and passage.tag(place - 1) not in FINITE:
            for each in passage.listed_before(before):
                each.unclaim("picture")
    elif following in ("with", "in"):
        for phrase in passage.between(place + 2, _depiction_end(passage, place + 2)):
            if word in _PRINTED_WITH or phrase.lives:
                phrase.unclaim("picture")


def _surface(passage: Passage, place: int) -> None:
    """ "A sweater with penguins on it", "a shirt featuring a bear"."""
    if passage.tags[place] not in NOUNS:
        return
    following = passage.word(place + 1)
    if following in _LATER_OF or following == "showing":
        passage.unclaim(place + 2, _depiction_end(passage, place + 2), "picture")
    elif following in ("with", "that") or passage.word(place + 2) == "with":
        for at in range(place + 2, min(passage.sentence_end(place), place + 16)):
            word = passage.lowers[at]
            if word == "on" or word in _DRAWN:
                if not _ON_ITSELF.isdisjoint(passage.lowers[at : at + 4]):
                    passage.unclaim(place + 2, at, "picture")
                return
            if word == ",":
                return


CUES: tuple[tuple[frozenset[str], Cue], ...] = (
    (frozenset(_KINDS), _depiction),
    (_IT_SHOWS, _it_shows),
    (frozenset(("one", "ones")), _one_of),
    (frozenset(("on",)), _on_screen),
    (_LIKE_VERBS | _RESEMBLES | _SHAPES, _likeness),
    (_DRAWN | _PRINTED_WITH | _DECORATED_WITH, _drawn),
    (_SURFACES, _surface),
)
