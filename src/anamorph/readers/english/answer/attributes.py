"""Whether a phrase of an answer has what the question asks of it: a colour, a posture, a deed, an object, a place."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Sequence

from anamorph.language.tagging.lexicon import is_animate
from anamorph.language.wordlists import word_list, word_names
from anamorph.readers.english.answer.question import Target, names
from anamorph.readers.english.answer.words import ALSO, PRONOUNS, Phrase, Words, stem_of

# Attributes of one group exclude each other.
_GROUPS = tuple(word_list("attribute_groups", name) for name in word_names("attribute_groups"))
_DENIALS = frozenset(("not", "n't", "no", "none", "neither", "never", "without", "nor"))
_ADDING = frozenset(("more", "another", "also", "others", "other", "plus", "additional"))
_ITS = word_list("again", "possessive")
_HOWEVER = frozenset(("but", "however", "though", "although", ",", "unfortunately", "yet", "all", "both", "of", "them"))
_RATHER = (["rather", "than"], ["instead", "of"], ["opposed", "to"])
_NEARLY = frozenset(("half", "almost", "nearly", "partly", "partially"))
_BEFORE_PLACES = (["DT"], ["PRP$"], ["NN"], ["NNS"], ["JJ"], ["PRP"], ["CD"])
_VERBS = frozenset(("VBZ", "VBP", "VBD"))
_NO_PLACES = frozenset(("with", "without", "for", "as", "like"))
_BE = frozenset(("is", "are", "does", "do", "has", "have"))
_IS = frozenset(("is", "are", "'s", "'re", "looks", "look", "appears", "appear", "seems", "seem"))
_CLAUSE_ENDS = frozenset((",", "but", "while", ";", ".", "!"))
_BEFORE_OF = frozenset(("front", "top", "side", "outside", "inside", "out", "middle", "edge", "end", "bottom"))
_ELSEWHERE = frozenset(("away", "left", "right", "up", "down", "backwards", "forward", "sideways", "elsewhere"))
# Places at what was asked for: "one at the head of the table, one on the right"
_ENDS = frozenset(("right", "left", "head", "end", "side", "middle", "center", "centre"))
_SIDES = {
    "left": frozenset(("right", "middle", "center")),
    "right": frozenset(("left", "middle", "center")),
    "top": frozenset(("bottom", "middle")),
    "bottom": frozenset(("top", "middle")),
    "front": frozenset(("back", "behind", "background")),
    "back": frozenset(("front", "foreground")),
    "first": frozenset(("second", "third", "last")),
    "second": frozenset(("first", "third", "last")),
    "third": frozenset(("first", "second", "last")),
}
_GAZES = frozenset(map(stem_of, ("looking", "facing", "staring", "pointing", "gazing")))
_CLAUSE = frozenset((",", "and", "but", "while", ";", "."))


class Match(enum.Enum):
    """Whether a phrase fits what was asked for, as far as the answer says."""

    YES = enum.auto()
    NO = enum.auto()
    UNKNOWN = enum.auto()


def matches(words: Words, phrases: Sequence[Phrase], phrase: Phrase, target: Target) -> Match:
    """Whether a phrase of the kind that was asked for has the attributes, objects and places that were asked for."""
    place = _index(phrases, phrase)
    if target.objects and (match := _of_objects(words, phrases, place, target)) is not Match.UNKNOWN:
        return match
    if target.places and _is_turned_away(words, phrases, place, target):
        return Match.NO
    if (match := _of_verb(words, phrases, place)) is not Match.UNKNOWN:
        return match
    having = any(word.endswith("ing") for word in target.attributes)
    own = _own_words(words, phrases, place, having)
    had = _had_words(words, phrases, place)
    found = [_of_attributes(words, own, had, wanted) for wanted in _wanted(target)]
    return next((match for match in (Match.NO, Match.YES) if match in found), Match.UNKNOWN)


def _is_turned_away(words: Words, phrases: Sequence[Phrase], place: int, target: Target) -> bool:
    """ "The other two are looking away", where it was asked who looks at the camera."""
    wanted = _GAZES & {stem_of(word) for word in target.attributes}
    reach = _reach(words, phrases, place)
    return bool(wanted) and any(
        words.lowers[each + 1] in _ELSEWHERE and stem_of(words.lowers[each]) in wanted
        for each in range(phrases[place].last + 1, min(reach, len(words.lowers)) - 1)
    )


def _of_verb(words: Words, phrases: Sequence[Phrase], place: int) -> Match:
    """ "The one on the left is, but the other is not"."""
    reach = _reach(words, phrases, place)
    last = next((each for each in range(phrases[place].last + 1, reach) if words.lowers[each] in _BE), reach)
    if last >= reach - 1 and last >= len(words.lowers) - 1:
        return Match.YES if last < reach else Match.UNKNOWN
    denied = words.lowers[last + 1 : last + 2] in (["not"], ["n't"])
    following = words.lowers[last + 1 + denied] if last + 1 + denied < len(words.lowers) else "."
    if last >= reach or following not in _CLAUSE_ENDS:
        return Match.UNKNOWN
    return Match.NO if denied else Match.YES


@functools.lru_cache(maxsize=1024)
def _grouped(target: Target) -> tuple[tuple[frozenset[str], ...], ...]:
    """The attributes with what also says them; those that exclude each other or are joined are one group."""
    found: dict[int, list[frozenset[str]]] = {}
    for place, attribute in enumerate(target.attributes):
        word = stem_of(attribute)
        group = next((number for number, members in enumerate(_PLAIN_GROUPS) if word in members), -2 - place)
        group = -1 if attribute in target.either else group
        found.setdefault(group, []).append(frozenset((word, *ALSO.get(word, ()))))
    return tuple(map(tuple, found.values()))


def _wanted(target: Target) -> list[frozenset[str]]:
    """The attributes that must all be met, with the alternatives to each."""
    return [frozenset().union(*group) for group in _grouped(target)]


def alternatives(target: Target) -> tuple[frozenset[str], ...]:
    """The attributes of which any will do, as two colours: the parts of what was asked for."""
    return next((group for group in _grouped(target) if len(group) > 1), ())


def whereabouts(words: Words, phrases: Sequence[Phrase], phrase: Phrase, target: Target) -> Match:
    """Whether a phrase is said to be at the place that was asked for, or at another."""
    place = _index(phrases, phrase)
    reach = _reach(words, phrases, place)
    others = [
        other
        for other in phrases[place + 1 :]
        if other.last < reach
        and other.target is None
        and not (other.head in _ENDS and words.lowers[other.first] == "the" and _ENDS.isdisjoint(target.places))
    ]
    if target.side is not None and (match := _of_side(words, phrases, place, target.side)) is not Match.UNKNOWN:
        return match
    there = [other for other in others if other.head in target.places]
    looks = {stem_of(word) for word in target.looks}
    if (
        there
        and looks
        and all(
            _is_of_another_look(words, phrase, other, looks) or _is_said_of(words, phrases, other, looks)
            for other in there
        )
    ):
        return Match.NO
    if there:
        denied = (
            not _DENIALS.isdisjoint(words.lowers[max(phrase.last + 1, other.first - 3) : other.first])
            for other in there
        )
        return Match.NO if all(denied) else Match.YES
    opening = _opening_places(words, phrases, place)
    if any(other.head in target.places for other in opening):
        return Match.YES
    # "two cups of coffee and one of tea", where cups of coffee were asked for
    of_place = any(each.head in target.places and words.lowers[each.first - 1] == "of" for each in phrases)
    located = any(
        words.tags[other.first - 1] in ("IN", "TO")
        and words.lowers[other.first - 1] not in _NO_PLACES
        and (words.lowers[other.first - 1] != "of" or of_place or words.lowers[other.first - 2] in _BEFORE_OF)
        for other in others
    )
    return Match.NO if located or opening else Match.UNKNOWN


def _of_side(words: Words, phrases: Sequence[Phrase], place: int, side: str) -> Match:
    """Whether a phrase is on the side that was asked for: "three people on the left and two on the right"."""
    sentence = words.sentences[phrases[place].sentence]
    said = set(words.lowers[phrases[place].last + 1 : _reach(words, phrases, place)])
    if _SIDES[side].isdisjoint(said) and side not in said:
        earlier = [each for each in phrases[:place] if each.sentence == phrases[place].sentence]
        alone = all(each.target is None for each in earlier)
        said = set(words.lowers[sentence.first : phrases[place].first]) if alone else set()
    if side in said:
        return Match.YES
    return Match.UNKNOWN if _SIDES[side].isdisjoint(said) else Match.NO


def sums_up_others(words: Words, phrases: Sequence[Phrase], total: Phrase, target: Target) -> bool:
    """Whether a total is of more than was asked for: "2 white trucks and 3 red ones, for a total of 5 trucks"."""
    if not total.exact or target.plain:
        return False
    parts = [
        each
        for each in phrases
        if each.last < total.first and each.target is not None and each.said in ("number", "article") and each.exact
    ]
    if len(parts) == 1 and parts[0].sentence != total.sentence and parts[0].least < total.least:
        # "There are 5 red flowers. In total, there are 12 flowers."
        plain = (
            total.head is not None
            and not target.places
            and not target.side
            and _ADDING.isdisjoint(words.lowers[parts[0].last + 1 : total.first])
        )
        return (
            plain
            and matches(words, phrases, parts[0], target) is Match.YES
            and matches(words, phrases, total, target) is Match.UNKNOWN
        )
    if len(parts) < 2 or sum(each.least for each in parts) != total.least:
        return False
    if target.attributes or target.objects:
        found = [matches(words, phrases, each, target) for each in parts]
        others = [each for each, match in zip(parts, found, strict=True) if match is Match.UNKNOWN]
        if (Match.NO in found and not others) or (
            others and Match.YES in found and all(_does_something(words, each) for each in others)
        ):
            return True
    if not target.places and target.side is None:
        return False
    # "three on the roof and two in the tree", but not "two on a bench in the park and three by the pond"
    where = [whereabouts(words, phrases, each, target) for each in parts]
    there = [each for each, match in zip(parts, where, strict=True) if match is Match.YES]
    return set(where) == {Match.YES, Match.NO} and all(_is_right_there(words, phrases, each, target) for each in there)


def _is_right_there(words: Words, phrases: Sequence[Phrase], phrase: Phrase, target: Target) -> bool:
    """Whether the first place that is said of a phrase is the one that was asked for."""
    if target.side is not None:
        return True
    place = next((each for each in phrases if each.first > phrase.last and each.target is None), None)
    return place is not None and place.head in target.places and words.tags[place.first - 1] in ("IN", "TO")


def _does_something(words: Words, phrase: Phrase) -> bool:
    """Whether a deed of its own is said of a phrase: "one is cycling"."""
    behind = words.tags[phrase.last + 1 : phrase.last + 3]
    return "VBG" in behind[:1] or (behind[:1] in (["VBZ"], ["VBP"]) and behind[1:] == ["VBG"])


def _opening_places(words: Words, phrases: Sequence[Phrase], place: int) -> list[Phrase]:
    """The background of "In the background, two men are talking"."""
    phrase = phrases[place]
    first = words.sentences[phrase.sentence].first
    if words.tags[first] not in ("IN", "TO") or words.lowers[first] in _NO_PLACES:
        return []
    earlier = [each for each in phrases[:place] if each.sentence == phrase.sentence]
    return [each for each in earlier if each.said == "definite"] if all(each.target is None for each in earlier) else []


_PLAIN_GROUPS = tuple(frozenset(map(stem_of, group)) for group in _GROUPS)


def _is_attribute(phrase: Phrase) -> bool:
    """ "It is orange" names no fruit."""
    return phrase.said == "bare" and any(phrase.head in group for group in _GROUPS)


def _index(phrases: Sequence[Phrase], phrase: Phrase) -> int:
    return next(place for place, each in enumerate(phrases) if (each.first, each.last) == (phrase.first, phrase.last))


def _reach(words: Words, phrases: Sequence[Phrase], place: int) -> int:
    """Where what is said of a phrase ends: at the next one of its kind, or where another becomes the subject."""
    phrase = phrases[place]
    end = words.sentences[phrase.sentence].last
    for other in phrases[place + 1 :]:
        if other.sentence != phrase.sentence:
            break
        if other.target is not None:
            return other.first
        if (
            words.lowers[other.first - 1] in _CLAUSE
            and not _is_part(words, other)  # "a cat, but its fur is orange"
            and words.tags[other.last + 1 : other.last + 2]
            and (words.tags[other.last + 1] in _VERBS)
        ):
            return other.first
    return end


def _is_part(words: Words, phrase: Phrase) -> bool:
    """Whether a phrase names what belongs to the one before, and is none that acts: "but its fur"."""
    possessive = words.lowers[phrase.first] in _ITS and words.lowers[phrase.first - 1] != "and"
    return possessive and phrase.head is not None and not is_animate(phrase.head)


def _own_words(words: Words, phrases: Sequence[Phrase], place: int, having: bool) -> list[int]:
    """Where the words stand that are said of a phrase: its own, what follows, and what opens its sentence.

    What is said of other things is not, unless it is asked what somebody is `having`: "wearing red jerseys".
    """
    phrase = phrases[place]
    sentence = words.sentences[phrase.sentence]
    reach = _reach(words, phrases, place)
    taken = {
        each
        for other in phrases
        if other.sentence == phrase.sentence
        and other is not phrase
        and other.head is not None
        and not _is_attribute(other)
        and not (having and other.target is None and other.first > phrase.last)
        and words.lowers[other.last + 1 : other.last + 2] != [":"]  # "White jerseys: 4 players"
        for each in range(other.first, other.last + 1)
    }
    opens = not any(
        other.sentence == phrase.sentence and other.target is not None and other.first < phrase.first
        for other in phrases
    )
    start = sentence.first if opens else phrase.first
    own = [each for each in range(start, reach) if each not in taken]
    own.extend(_gone_on(words, phrases, place))
    for following, joined in _joined(words, phrases, place):
        # "A man and a woman are sitting": what is said of the last is said of all.
        if joined:
            own.extend(range(phrases[following].last + 1, _reach(words, phrases, following)))
    return own


def _gone_on(words: Words, phrases: Sequence[Phrase], place: int) -> Iterator[int]:
    """Where the words of the next sentence stand that go on about the only one: "There is a car. It is silver"."""
    phrase = phrases[place]
    if phrase.sentence + 1 >= len(words.sentences) or phrase.head is None or phrase.said == "none":
        return
    if any(each.target is not None and each is not phrase for each in phrases):
        return
    sentence = words.sentences[phrase.sentence + 1]
    first = next((each for each in range(*sentence[:2]) if words.lowers[each] not in _HOWEVER), sentence.last)
    if first + 1 >= sentence.last or words.lowers[first] not in PRONOUNS or words.lowers[first + 1] not in _IS:
        return
    named = next((each.first for each in phrases if each.first > first and not _is_attribute(each)), sentence.last)
    yield from range(first, min(named, sentence.last))


def _joined(words: Words, phrases: Sequence[Phrase], place: int) -> Iterator[tuple[int, bool]]:
    """The phrases that are listed behind one, and whether an "and" closes the list there."""
    while place + 1 < len(phrases) and phrases[place + 1].sentence == phrases[place].sentence:
        between = words.lowers[phrases[place].last + 1 : phrases[place + 1].first]
        if between not in ([","], ["and"], [",", "and"]):
            return
        place += 1
        yield place, "and" in between


def _had_words(words: Words, phrases: Sequence[Phrase], place: int) -> list[int]:
    """Where the words of what a phrase has stand: "donuts with pink frosting" are pink donuts."""
    reach = _reach(words, phrases, place)
    return [
        each
        for other in phrases[place + 1 :]
        if other.last < reach and words.lowers[other.first - 1] in ("have", "has", "with", "having")
        for each in range(other.first, other.last)
    ]


def _of_attributes(words: Words, own: Sequence[int], had: Sequence[int], wanted: frozenset[str]) -> Match:
    if "on" in wanted and any(words.lowers[each] == "off" for each in own):
        return Match.NO  # "Both lamps are off"
    for each in (*own, *had):
        if words.lowers[each] == "on" and words.tags[each + 1 : each + 2] in _BEFORE_PLACES:
            continue  # "mounted on the wall" is not switched on
        if stem_of(words.lowers[each]) in wanted:
            before = words.lowers[max(0, each - 3) : each]
            if before[-2:] in _RATHER or (before[-1:] == ["than"] and before[-3:-2] == ["more"]):
                return Match.NO  # "silver rather than red", "more purple than pink"
            if not _NEARLY.isdisjoint(before[-1:]):
                return Match.UNKNOWN  # "half full"
            return Match.NO if not _DENIALS.isdisjoint(before) else Match.YES
    for members in _PLAIN_GROUPS:
        if not wanted.isdisjoint(members) and any(
            stem_of(words.lowers[each]) in members and words.lowers[max(0, each - 1) : each + 1] != ["in", "short"]
            for each in own
        ):
            return Match.NO
    return Match.UNKNOWN


def _of_objects(words: Words, phrases: Sequence[Phrase], place: int, target: Target) -> Match:
    """Whether the objects that were asked for are said to be with a phrase; "holding a bag" is not "holding a cup"."""
    phrase = phrases[place]
    reach = _reach(words, phrases, place)
    wanted = {stem_of(word) for word in target.attributes}
    for other in phrases[place + 1 :]:
        if other.last >= reach:
            break
        if other.head is not None and names(other.head, target.objects):
            denied = other.said == "none" or not _DENIALS.isdisjoint(words.lowers[phrase.last + 1 : other.first])
            denied = denied or words.lowers[other.first - 2 : other.first] in _RATHER
            if (
                denied
                or _is_of_another_look(words, phrase, other, wanted)
                or _is_said_of(words, phrases, other, wanted)
            ):
                return Match.NO
            deeds = [
                stem_of(words.lowers[each])
                for each in range(phrase.last + 1, other.first)
                if words.tags[each] in ("VBG", "VBN")
            ]
            also = wanted.union(*(ALSO.get(each, ()) for each in wanted))
            return Match.YES if not deeds or not wanted or not also.isdisjoint(deeds) else Match.UNKNOWN
        deed = stem_of(words.lowers[other.first - 1]) if other.first else ""
        later = any(
            each.head is not None
            and other.last < each.first < reach
            and words.lowers[each.first - 1] in ("with", "of", "and")
            and words.lowers[each.first - 2 : each.first] not in _RATHER
            and words.lowers[each.first] != "not"
            and names(each.head, target.objects)
            for each in phrases[place + 1 :]
        )  # "holding sticks with marshmallows"
        if not later and (deed in wanted or any(deed in ALSO.get(each, ()) for each in wanted)):
            return Match.NO
    for each in range(phrase.last + 1, min(reach, len(words.lowers)) - 1):
        if words.lowers[each + 1] in _ELSEWHERE and stem_of(words.lowers[each]) in wanted:
            return Match.NO  # "facing away"
    return Match.UNKNOWN


def _is_said_of(words: Words, phrases: Sequence[Phrase], thing: Phrase, wanted: set[str]) -> bool:
    """ "A person in a jacket, but the jacket is blue", where a red jacket was asked for."""
    if any(stem_of(words.lowers[each]) in wanted for each in range(thing.first, thing.last)):
        return False
    for other in phrases:
        if other.first < thing.first or other.head != thing.head or other.said != "definite":
            continue
        said = words.lowers[other.last + 1 : other.last + 4]
        if said[:1] and said[0] in _IS:
            stems = {stem_of(word) for word in said[1:]}
            return any(
                not wanted.isdisjoint(group) and not stems.isdisjoint(group) and stems.isdisjoint(wanted & group)
                for group in _PLAIN_GROUPS
            )
    return False


def _is_of_another_look(words: Words, phrase: Phrase, other: Phrase, wanted: set[str]) -> bool:
    """ "Two in white shirts", where blue shirts were asked for."""
    inside = {stem_of(words.lowers[each]) for each in range(other.first, other.last)}
    own = inside | {stem_of(words.lowers[each]) for each in range(phrase.first, phrase.last)}
    return any(
        not inside.isdisjoint(group) and not wanted.isdisjoint(group) and own.isdisjoint(wanted & group)
        for group in _PLAIN_GROUPS
    )
