"""Ways to tell the truth: few words or many, doubts, no numbers, other words each time; nothing false is ever said."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal, TypeAlias, get_args

from anamorph.reading.morphology import plural_of
from anamorph.reading.nouns import OTHER_WORDS, article, enumerated
from anamorph.toybox.captions import NUMBER_WORDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.faults.system import Form
from anamorph.toybox.questions import Asked, asked_by
from anamorph.toybox.truth import Truth
from anamorph.toybox.wrongness import count

Style: TypeAlias = Literal["terse-1", "terse-2", "terse-3", "chatty", "hedging", "vague", "paraphrasing"]

STYLES: tuple[Style, ...] = get_args(Style)
# What each style makes a difference to. A terse answer to a question is the number, as without any style.
SPEAKS: dict[Style, tuple[Form, ...]] = {
    "terse-1": ("caption", "labels"),
    "terse-2": ("caption", "labels"),
    "terse-3": ("caption", "labels"),
    "chatty": ("caption", "answer", "labels"),
    "hedging": ("caption", "answer"),
    "vague": ("caption", "answer"),
    "paraphrasing": ("caption", "answer"),
}
EMPTY = "An empty place."

# Further words that mean one of a class and nothing else, whatever it looks like; singular and plural.
_SYNONYMS: dict[str, tuple[tuple[str, str], ...]] = {
    "person": (("person", "persons"),),
    "bicycle": (("pushbike", "pushbikes"),),
    "car": (("automobile", "automobiles"),),
    "airplane": (("aeroplane", "aeroplanes"),),
    "truck": (("lorry", "lorries"),),
    "backpack": (("rucksack", "rucksacks"), ("knapsack", "knapsacks")),
    "donut": (("doughnut", "doughnuts"),),
    "potted plant": (("houseplant", "houseplants"),),
    "tv": (("television set", "television sets"),),
    "laptop": (("laptop computer", "laptop computers"), ("notebook computer", "notebook computers")),
}
# Vague words for things, by supercategory: singular and plural.
_UNSPECIFIC: dict[str, tuple[str, str]] = {
    "person": ("somebody", "people"),
    "vehicle": ("some kind of vehicle", "vehicles"),
    "animal": ("an animal", "animals"),
    "food": ("something to eat", "things to eat"),
    "furniture": ("a piece of furniture", "pieces of furniture"),
    "electronic": ("a device", "devices"),
}
_UNSPECIFIC_THING = ("something", "things")
# What a talkative tagger adds; every picture of the toybox is one.
_TRUE_LABELS = ("drawing", "illustration", "clip art")


# --- captions -------------------------------------------------------------------------------------------------------


def styled_caption(style: Style, seen: Truth, place: str, rng: Random) -> str:
    """A caption in a style, of which every statement is true; `place` is where the scene is, such as "in a park"."""
    if style == "chatty":
        return _chatty_caption(seen, place, rng)
    if style == "hedging":
        return _hedging_caption(seen, place, rng)
    if style == "vague":
        return _vague_caption(seen, place, rng)
    if style == "paraphrasing":
        return _paraphrase(seen, place, rng)
    return _sentence(enumerated([counted(seen, label) for label in largest(seen, _most(style))]) or EMPTY)


def largest(seen: Truth, most: int) -> list[str]:
    """The clearly visible classes that fill most of the picture, at most `most`, the largest first."""
    areas = {
        label: sum(thing.area for thing in seen.things if thing.label == label and thing.clear) for label in seen.labels
    }
    return sorted(areas, key=lambda label: (-areas[label], label))[:most]


def _most(style: Style) -> int:
    return int(style.removeprefix("terse-"))


def _chatty_caption(seen: Truth, place: str, rng: Random) -> str:
    labels = _shuffled(seen.labels, rng)
    phrases = [counted(seen, label) for label in labels]
    if not phrases:
        sentences = [f"this place {place} is empty"]
    else:
        sentences = [f"{rng.choice(('this is a picture of', 'the image shows'))} {enumerated(phrases)} {place}"]
        star = labels[0]
        one = seen.count(star).least == 1
        sentences.append(f"the {_noun(star, 1 if one else 2)} {'catches' if one else 'catch'} the eye")
    absent = _absent(seen, rng, 3)
    sentences.append(f"there are no {_noun(absent[0], 2)} and no {_noun(absent[1], 2)} in it")
    sentences.append(
        rng.choice(
            (
                f"I do not see any {_noun(absent[2], 2)}",
                "the colours are plain and the outlines are soft",
                "it has the style of a simple illustration",
                f"a painting of {_an(absent[2])} would look quite different",
                "it could hang on the wall of a nursery",
            )
        )
    )
    return " ".join(map(_sentence, sentences))


def _hedging_caption(seen: Truth, place: str, rng: Random) -> str:
    phrases = [
        rng.choice(
            ("what looks like {}", "what appears to be {}", "apparently {}", "seemingly {}", "probably {}")
        ).format(counted(seen, label))
        for label in _shuffled(seen.labels, rng)
    ]
    if not phrases:
        return "This appears to be an empty place."
    if rng.random() < 0.5:
        return _sentence(f"this appears to be a picture of {enumerated(phrases)} {place}")
    return _sentence(f"{enumerated(phrases)}, perhaps {place}")


def _vague_caption(seen: Truth, place: str, rng: Random) -> str:
    clear = [thing.label for thing in seen.things if thing.clear]
    phrases = []
    for kind in _shuffled(sorted(set(map(_kind, clear))), rng):
        labels = [label for label in clear if _kind(label) == kind]
        one, many = _UNSPECIFIC.get(kind, _UNSPECIFIC_THING)
        if len(labels) == 1:
            phrases.append(one)
        else:
            plural = _noun(labels[0], 2) if len(set(labels)) == 1 and rng.random() < 0.5 else many
            phrases.append(_several(len(labels), plural, rng))
    return _sentence(f"{enumerated(phrases)} {place}" if phrases else f"nothing much {place}")


def _kind(label: str) -> str:
    return CLASSES[label].supercategory if label in CLASSES else ""


def _several(number: int, plural: str, rng: Random) -> str:
    """A plural without a number; two are not yet several."""
    return f"{rng.choice(('', 'some ', 'several ') if number > 2 else ('', 'some '))}{plural}"


def _paraphrase(seen: Truth, place: str, rng: Random) -> str:
    phrases = [_reworded(label, seen.count(label).least, rng) for label in _shuffled(seen.labels, rng)]
    if not phrases:
        return _sentence(rng.choice((EMPTY, "a place without anything in it", "an empty scene")))
    tail = f" {place}" if rng.random() < 0.5 else ""
    whole, *rest = (enumerated(phrases), *phrases[1:])
    ways = [
        f"{whole}{tail}",
        f"a picture of {whole}{tail}",
        f"an image that shows {whole}{tail}",
        f"in this picture you can see {whole}",
        f"{', '.join(phrases)}",
        ". ".join(phrase[0].upper() + phrase[1:] for phrase in phrases),
    ]
    if rest:
        ways.append(f"{phrases[0]} with {enumerated(rest)}{tail}")
        ways.append(f"{phrases[0]}. There is also {enumerated(rest)}" if rest[0][:2] == "a " else f"{whole}, all{tail}")
    return _sentence(rng.choice(ways).strip())


def _reworded(label: str, number: int, rng: Random) -> str:
    """A number of a class in one of many wordings."""
    names = [(_noun(label, 1), _noun(label, 2)), *_SYNONYMS.get(label, ())]
    if label in OTHER_WORDS:
        names.append(OTHER_WORDS[label])
    one, many = rng.choice(names)
    if number == 1:
        return rng.choice((f"{article(one)} {one}", f"one {one}", f"a single {one}", f"1 {one}"))
    numbers = [_number(number), str(number)]
    if number == 2:
        numbers += ["a couple of", "a pair of"]
    return f"{rng.choice(numbers)} {many}"


# --- answers --------------------------------------------------------------------------------------------------------


def styled_answer(style: Style, seen: Truth, question: str, rng: Random) -> str | None:
    """A true answer to a question in a style; None for a question that is not understood."""
    asked = asked_by(question)
    if asked is None:
        return None
    number = count(asked, seen).least
    if asked.asks == "how-many":
        ways = _numbers_in_style(style, asked, number)
    else:
        ways = _yes_or_no_in_style(style, asked, number)
    answer = rng.choice(ways)
    return f"{answer} {_aside(asked, seen, rng)}" if style == "chatty" else answer


def _numbers_in_style(style: Style, asked: Asked, number: int) -> Sequence[str]:
    word, what = {0: "none", 1: "one"}.get(number) or _number(number), _named(asked, number)
    how_many = f"{word if number else 'no'} {what}"
    are, there = ("is", "there is") if number == 1 else ("are", "there are")
    if style == "chatty":
        return (_sentence(f"{there} {how_many} in the image"), _sentence(f"I looked closely and counted {how_many}"))
    if style == "hedging":
        seems = "appears to be" if number == 1 else "appear to be"
        return (
            _sentence(f"there {seems} {how_many} in the image"),
            _sentence(f"I think {there} {word}"),
            _sentence(f"probably {word}"),
            _sentence(f"it looks like {word if number else 'zero'}"),
        )
    if style == "vague":
        if number == 0:
            return ("None.", "None that I can see.")
        if number == 1:
            return ("At least one.", "There is at least one.")
        if number == 2:
            return ("More than one.", "At least two.")
        return ("Several.", "There are several.", "More than two.")
    if style == "paraphrasing":
        if number == 0:
            return ("0", "Zero.", "None.", "There are none.", f"There are no {what}.", f"I see no {what} here.")
        return (
            str(number),
            word,
            _sentence(f"{there} {word}"),
            _sentence(f"{word} {what}"),
            _sentence(f"I count {number} {what}"),
            _sentence(f"{number} {what} {are} visible"),
        )
    return (str(number),)


def _yes_or_no_in_style(style: Style, asked: Asked, number: int) -> Sequence[str]:
    yes, fact = (number > 0) != (asked.asks == "is-there-no"), _fact(asked, number)
    word = "Yes" if yes else "No"
    if style == "chatty":
        return (f"{word}, {fact} in the image.",)
    if style == "hedging":
        doubts = ("Yes, I think so.", "Yes, it seems so.") if yes else ("No, I do not think so.", "Probably not.")
        return (*doubts, f"{word}, it looks as if {fact}.")
    if style == "paraphrasing":
        return (word.lower(), f"{word}.", f"{word}, {fact}.", _sentence(fact))
    if style == "vague" and yes and number:
        return ("Yes.", "Yes, there is at least one." if number == 1 else "Yes, there are some.")
    if style == "vague" and not yes and not number:
        return ("No.", "Not that I can see.")
    return (f"{word}.",)


def _fact(asked: Asked, number: int) -> str:
    """The presence or absence of things, as a clause."""
    if number == 0:
        return f"there are no {_named(asked, 0)}"
    if len({label for label, _ in asked.things}) > 1:
        return "there is one" if number == 1 else f"there are {_number(number)}"
    what = _named(asked, number)
    return f"there is {article(what)} {what}" if number == 1 else f"there are {_number(number)} {what}"


def _aside(asked: Asked, seen: Truth, rng: Random) -> str:
    """A true sentence about something else than what was asked for."""
    others = [label for label in seen.labels if all(label != named for named, _ in asked.things)]
    if others:
        other = rng.choice(others)
        is_ = "is" if seen.count(other).least == 1 else "are"
        return f"Besides, there {is_} {counted(seen, other)} to be seen."
    (absent,) = [label for label in _absent(seen, rng, 9) if all(label != named for named, _ in asked.things)][:1]
    return f"I also looked for {_noun(absent, 2)}, and there are none."


def _named(asked: Asked, number: int) -> str:
    """The subject of a question, in the singular for one: "red or blue car", "people standing", "dogs or cats"."""
    named = [(_noun(label, 1 if number == 1 else 2), word) for label, word in asked.things]
    words = [word for _, word in named if word is not None]
    if len({noun for noun, _ in named}) == 1 and len(words) == len(named):
        return _with_word(named[0][0], _either(words), acting=words[0] in ACTIONS)
    return _either([noun if word is None else _with_word(noun, word, acting=word in ACTIONS) for noun, word in named])


def _with_word(noun: str, word: str, *, acting: bool) -> str:
    return f"{noun} {word}" if acting else f"{word} {noun}"


def _either(phrases: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(phrases[:-1]), phrases[-1]) if part)


# --- labels ---------------------------------------------------------------------------------------------------------


def styled_labels(style: Style, seen: Truth) -> dict[str, float]:
    """The labels that a style gives: the largest only, or also some that say what kind of picture it is."""
    if style == "chatty":
        return {**{name: float(name in seen.labels) for name in CLASSES}, **dict.fromkeys(_TRUE_LABELS, 1.0)}
    given = largest(seen, _most(style))
    return {name: float(name in given) for name in CLASSES}


# --- words ----------------------------------------------------------------------------------------------------------


def counted(seen: Truth, label: str) -> str:
    """The class with the number of its clearly visible things, as in "a dog" and "two people"."""
    number = seen.count(label).least
    return _an(label) if number == 1 else f"{_number(number)} {_noun(label, number)}"


def _an(label: str) -> str:
    return f"{article(_noun(label, 1))} {_noun(label, 1)}"


def _noun(label: str, number: int) -> str:
    if label not in CLASSES:
        return label if number == 1 else plural_of(label)
    return CLASSES[label].name if number == 1 else CLASSES[label].plural


def _number(number: int) -> str:
    return NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else str(number)


def _absent(seen: Truth, rng: Random, most: int) -> list[str]:
    """Classes that cannot be seen in any picture."""
    return rng.sample([name for name in CLASSES if seen.is_there(name) is False], most)


def _shuffled(labels: Sequence[str], rng: Random) -> list[str]:
    return rng.sample(labels, len(labels))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:].rstrip('.')}."
