"""Which things a text says are there: not what is depicted, denied, doubted, written, or part of a name."""

from __future__ import annotations

import re
from dataclasses import replace

from anamorph.reading.hedges import GUESSES, MIGHT, PROBABLY
from anamorph.reading.mentions import denials, depictions
from anamorph.reading.mentions.depictions import mark_likeness
from anamorph.reading.mentions.finding import Phrase
from anamorph.reading.mentions.passage import BE, FINITE, LED, POSSESSIVE, Cue, Passage
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import Namer
from anamorph.reading.wordlists import word_list

_PROPER = word_list("claims", "proper")
_PARTS, _WORN = word_list("claims", "parts"), word_list("claims", "worn")
_SOMEONE = word_list("claims", "someone")
_TEAMS, _OF_TEAM = word_list("claims", "teams"), word_list("claims", "of_team")
_CHESSMEN, _CHESS = word_list("claims", "chessmen"), word_list("claims", "chess")
_FORKED = word_list("claims", "forked")
_PLAYS, _INSTRUMENTS = word_list("claims", "plays"), word_list("claims", "instruments")
_BANDS, _COMPUTERS = word_list("claims", "bands"), word_list("claims", "computers")
_SKATING = word_list("claims", "skating")
_BATS_ABOUT, _BASEBALL = word_list("claims", "bats_about"), word_list("claims", "baseball")
_GOWNS, _BEHOLDERS = word_list("claims", "gowns"), word_list("claims", "beholders")
_SHADES, _SHADES_OF = word_list("claims", "shades"), word_list("claims", "shades_of")
_SAYS, _WORDS = word_list("claims", "says"), word_list("claims", "words")
_EXPECTS, _EXPECTS_FOR = word_list("claims", "expects"), word_list("claims", "expects_for")
_FOR = word_list("claims", "for")
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "'"}
_OPENING = frozenset(":\u2014\u2013-(\"\u201c'\u2018[*")
_BULLETS = frozenset(("-", "\u2022", "\u2013", "\u25cf", "+", ")", "("))
# A first line without a mark at its end, an empty line, and a text that has one.
_TITLE = re.compile(r"\s*[^\n.!?:;,]{3,80}?[ \t]*\n[ \t]*\n(?=[^\n]*[.!])")
# A longer text in quotation marks is the caption itself.
_QUOTED_WORDS = 12
_NEAR = 60


def mark_claims(passage: Passage, namer: Namer, counted: frozenset[str] = frozenset()) -> None:
    """Mark the noun groups of what is not said to be there, and of what is denied; `counted` depictions are there."""
    for phrase in passage.phrases:
        _mark_name(passage, phrase, namer)
    for place, word in enumerate(passage.lowers):
        for cue in _CUES.get(word, ()):
            cue(passage, place)
    _mark_title(passage)
    for phrase in passage.phrases:
        if phrase.mention.label is not None and not phrase.unclaimed:
            if _is_figure_of_speech(passage, phrase):
                phrase.unclaimed = "name"
            elif _is_owner(passage, phrase):
                phrase.unclaimed = "owner"
            else:
                mark_likeness(passage, phrase)
        if phrase.unclaimed in counted:
            phrase.unclaimed = ""


# --- names and owners ------------------------------------------------------------------------------------------------


def _mark_name(passage: Passage, phrase: Phrase, namer: Namer) -> None:
    """ "The Chicago Bulls" are no bulls, and "a Ford Mustang" is a car."""
    place, start = phrase.last, passage.sentence_start(phrase.last)
    text, mention = passage.tokens.texts[place], phrase.mention
    if not text[0].isupper() or passage.titled or place == start:
        return
    label = namer.proper(text) or namer.proper(text.removesuffix("s"))
    if label is None and mention.label is None:
        makers = (namer.brand(each) for each in passage.lowers[phrase.first : place])
        label = next((each for each in makers if each is not None), None)  # "an Airbus A380"
    if label is not None:
        phrase.mention = replace(mention, label=label, may_be=())
    elif mention.label is not None and passage.lowers[place] not in _PROPER:
        first = passage.name_start(phrase)
        before, after = passage.text_at(first - 1), passage.text_at(place + 1)
        bare = phrase.determiner in ("", "the") and place - 1 <= phrase.first > start and before not in _OPENING
        if bare or after == "&" or _has_capital(after) or (_has_capital(before) and first - 1 > start):
            phrase.unclaimed = "name"


def _has_capital(text: str) -> bool:
    return text[:1].isupper()


_KEYBOARDS, _BATS = frozenset(("keyboard", "keyboards")), frozenset(("bat", "bats"))
_BEFORE_OF = frozenset(("bed", "ball", "balls"))  # "a bed of flowers", "a ball of yarn"
_FIGURES = _TEAMS | _CHESSMEN | _BEHOLDERS | _KEYBOARDS | _BATS | _BEFORE_OF | {"train", "orange", "fork", "bowl"}


def _is_figure_of_speech(passage: Passage, phrase: Phrase) -> bool:
    """ "Players from the red team", "a fork in the road", the knights of chess."""
    word = passage.lowers[phrase.last]
    if word not in _FIGURES:
        return False
    if word in _BEFORE_OF:
        return passage.word(phrase.last + 1) == "of"
    if word == "train":
        near = passage.lowers[max(0, phrase.first - 20) : phrase.last + 20]
        worn = phrase.determiner in POSSESSIVE or passage.word(phrase.last + 1) == "of"
        return worn and not _GOWNS.isdisjoint(near)
    if word in _KEYBOARDS:
        return _is_instrument(passage, phrase)
    if word in _BATS:
        near = passage.lowers[max(0, phrase.first - _NEAR) : phrase.last + _NEAR]
        return (
            passage.name_start(phrase) == phrase.last
            and not _BATS_ABOUT.isdisjoint(near)
            and _BASEBALL.isdisjoint(near)
        )
    if word == "bowl":
        near = passage.lowers[max(0, phrase.first - 20) : phrase.last + 20]
        return passage.word(phrase.last + 1) != "of" and not _SKATING.isdisjoint(near)
    if word == "orange":
        return _is_colour(passage, phrase)
    if word in _BEHOLDERS:
        return phrase.determiner == "the" and not any(
            p.mention.head == phrase.mention.head for p in passage.between(0, phrase.last)
        )
    if word in _TEAMS:
        return passage.word(phrase.first - 1) in _OF_TEAM
    if word in _CHESSMEN:
        return not _CHESS.isdisjoint(passage.lowers[max(0, phrase.first - _NEAR) : phrase.last + _NEAR])
    return word == "fork" and not _FORKED.isdisjoint(passage.lowers[phrase.last + 1 : phrase.last + 4])


def _is_instrument(passage: Passage, phrase: Phrase) -> bool:
    """ "Playing the keyboard", "keyboards in a band"; not one beside a computer."""
    words = passage.lowers[max(0, phrase.first - 1) : phrase.last]
    if not _PLAYS.isdisjoint(words) or not _INSTRUMENTS.isdisjoint(words):
        return True
    near = passage.lowers[max(0, phrase.first - _NEAR) : phrase.last + _NEAR]
    return not _BANDS.isdisjoint(near) and _COMPUTERS.isdisjoint(near)


def _is_colour(passage: Passage, phrase: Phrase) -> bool:
    """ "A sky of deep orange", "dressed in orange"."""
    words = passage.lowers[phrase.first : phrase.last]
    if not _SHADES.isdisjoint(words):
        return True
    before = passage.lowers[max(0, phrase.first - 2) : phrase.first]
    return not phrase.determiner and not words and (before[-1:] == ["in"] or not _SHADES_OF.isdisjoint(before))


def _is_owner(passage: Passage, phrase: Phrase) -> bool:
    """ "A dog's bowl" is no dog; "a dog's head" and "his dog's bowl" are."""
    if passage.tag(phrase.last + 1) != "POS" or phrase.determiner in POSSESSIVE:
        return False
    owned = passage.after(phrase.last + 1)
    word = passage.lowers[owned.last] if owned is not None else ""
    if word in _PARTS or singular_of(word) in _PARTS:
        return False
    # "The woman's handbag ... She": someone whom the text goes on about.
    if phrase.determiner != "the":
        return True
    others = (
        p.last for p in passage.between(phrase.last + 1, phrase.last + _NEAR) if p.mention.label == phrase.mention.label
    )
    upto = next(others, phrase.last + _NEAR)
    return word not in _WORN and _SOMEONE.isdisjoint(passage.lowers[phrase.last : upto])


# --- what is written -------------------------------------------------------------------------------------------------


def _quote(passage: Passage, place: int) -> None:
    """A short text in quotation marks."""
    lowers, starts, ends = passage.lowers, passage.tokens.starts, passage.tokens.ends
    closing = _QUOTES[lowers[place]]
    if place + 1 >= len(starts) or starts[place + 1] != ends[place]:
        return
    if place and starts[place] == ends[place - 1] and lowers[place - 1] not in ("(", ":", "["):
        return
    words = 0
    for at in range(place + 1, min(len(starts), place + 3 * _QUOTED_WORDS)):
        if lowers[at] == closing and starts[at] == ends[at - 1]:
            if words <= _QUOTED_WORDS and 2 * words < len(starts):
                passage.unclaim(place, at, "text")
            return
        words += lowers[at][0].isalnum()


def _says(passage: Passage, place: int) -> None:
    """Words without quotation marks: "a sign that says bear street", "the word STOP"."""
    word, phrase = passage.lowers[place], passage.after(place + 1)
    if phrase is None or phrase.first != place + 1 or phrase.determiner in ("a", "an", *LED):
        return
    if word in _WORDS:
        written = _has_capital(passage.text_at(place + 1))
    else:
        written = word not in ("read", "say") or passage.tags[place] in FINITE
    if written:
        phrase.unclaim("text")


# --- doubt -----------------------------------------------------------------------------------------------------------


def _guess(passage: Passage, place: int) -> None:
    """ "Possibly a beagle or a spaniel"; "a cat and probably a dog" claims both."""
    at = place + 1 + (passage.word(place + 1) in ("even", "also", "some"))
    phrase = passage.after(at)
    if phrase is None or phrase.first > at + 1 or passage.tag(at) in ("IN", "VBG", "VBN", "TO", "CD"):
        return
    if passage.lowers[place] in PROBABLY and not _names_kind(passage, place, phrase):
        return
    phrase.unclaim("guess")
    for following in passage.listed(phrase)[1:]:
        if passage.word(following.first - 1) == "or":
            following.unclaim("guess")


def _names_kind(passage: Passage, place: int, phrase: Phrase) -> bool:
    """Whether what is probable is only the kind of what was just named: "a dog, probably a beagle"."""
    earlier = passage.before(place)
    if earlier is None or earlier.last < passage.sentence_start(place):
        return passage.word(place - 1) in BE and passage.word(place - 2) != "what"
    linked = passage.lowers[place - 1] in BE or not passage.lowers[place - 1][0].isalnum()
    return linked and earlier.mention.label in (None, phrase.mention.label)


def _might(passage: Passage, place: int) -> None:
    """ "There may be a box", "more zebras may be gathering"; "it could be seen" is no guess."""
    tag = passage.tag(place + 2)
    if passage.word(place + 1) not in ("be", "also", "have") or tag in ("VBN", "JJ", "IN"):
        return
    if tag == "VBG":
        for phrase in passage.subjects(place):
            if phrase.determiner not in LED:
                phrase.unclaim("guess")
        return
    first = passage.after(place + 2)
    if first is not None and first.first <= place + 3 and first.last < passage.sentence_end(place):
        for phrase in passage.listed(first):
            phrase.unclaim("guess")


def _purpose(passage: Passage, place: int) -> None:
    """ "A place for spectators to sit" has none of them yet."""
    phrase = passage.after(place + 1)
    if phrase is None or phrase.first != place + 1 or phrase.determiner:
        return
    if passage.tag(phrase.last + 1) == "TO" and passage.tag(phrase.last + 2) in ("VB", "VBP", "RB", "NN"):
        phrase.unclaim("guess")


def _expects(passage: Passage, place: int) -> None:
    """ "Waiting for a bus", "a space reserved for bicycles", "awaiting a train"."""
    at = place + 1
    if passage.lowers[place] in _EXPECTS_FOR:
        if passage.word(at) not in _FOR:
            return
        at += 1
    phrase = passage.after(at)
    if phrase is not None and phrase.first == at:
        phrase.unclaim("guess")


def _heading(passage: Passage, place: int) -> None:
    """ "- **Laptop**: An open silver laptop": a line's heading names what the line then says more of."""
    at = place - 1
    if passage.word(at).isdigit():
        at -= 1  # "Person 1: a man in red"
    phrase = passage.at(at)
    if phrase is None or phrase.mention.label is None or phrase.determiner or passage.tags[phrase.first] == "CD":
        return
    start = passage.sentence_start(phrase.first)
    if not all(word in _BULLETS or word.isdigit() for word in passage.lowers[start : phrase.first]):
        return
    said = passage.between(place + 1, passage.sentence_end(place))
    if any(other.mention.label == phrase.mention.label and not other.unclaimed for other in said):
        phrase.unclaim("heading")


def _mark_title(passage: Passage) -> None:
    """ "Two Dogs in a Park", an empty line, "Two dogs are running ...": a title says what the text says again."""
    title = _TITLE.match(passage.text)
    if title is None:
        return
    said = {each.mention.label for each in passage.phrases if each.mention.start >= title.end() and not each.unclaimed}
    for phrase in passage.phrases:
        if phrase.mention.start >= title.end():
            break
        if phrase.mention.label in said:
            phrase.unclaim("heading")


def _cue_table() -> dict[str, tuple[Cue, ...]]:
    table: dict[str, tuple[Cue, ...]] = {}
    for words, cue in (
        *depictions.CUES,
        *denials.CUES,
        (frozenset(_QUOTES), _quote),
        (_SAYS | _WORDS, _says),
        (GUESSES | PROBABLY, _guess),
        (MIGHT | {"would"}, _might),
        (frozenset(("for",)), _purpose),
        (_EXPECTS | _EXPECTS_FOR, _expects),
        (frozenset((":", "-", "\u2013", "\u2014")), _heading),
    ):
        for word in words:
            table[word] = (*table.get(word, ()), cue)
    return table


_CUES = _cue_table()
