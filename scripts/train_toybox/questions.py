"""Questions for training, with the slots that match and the right answer."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from anamorph.reading.nouns import OTHER_WORDS
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.recipes import Item

ANSWERS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "yes", "no")
# Replaces any word that the answerer does not know.
UNKNOWN = "unk"

# A noun of the question and perhaps an attribute; the label is None for a thing that the toybox does not have.
Asked = tuple[str | None, str | None]


def ask(items: Sequence[Item], rng: Random) -> tuple[str, list[bool], str]:
    """A question, whether each item matches it, and the answer."""
    asked = [_asked(items, rng)]
    kind = rng.random()
    counting = kind < 0.6
    if counting and rng.random() < 0.45:
        asked += [_second(asked[0], items, rng) for _ in range(1 if rng.random() < 0.9 else 2)]
    asked = list(dict.fromkeys(asked))
    matches = [any(_fits(item, one) for one in asked) for item in items]
    number = sum(matches)
    scene = rng.choice(("image", "image", "image", "picture", "photo"))
    if counting:
        phrase = _joined([_phrase(one, True, rng) for one in asked])
        return (
            f"how many {phrase} are {rng.choice(('in', 'in', 'in', 'there in'))} the {scene}",
            matches,
            str(min(9, number)),
        )
    phrase = _phrase(asked[0], rng.random() < 0.4, rng)
    if kind < 0.8:
        form = rng.choice(
            (
                f"is there any {phrase} in the {scene}",
                f"are there any {phrase} in the {scene}",
                f"is there any {phrase} in the {scene}",
            )
        )
        return form, matches, "yes" if number else "no"
    form = rng.choice(
        (
            f"is there no {phrase} in the {scene}",
            f"are there no {phrase} in the {scene}",
            f"is there no {phrase} in the {scene}",
        )
    )
    return form, matches, "no" if number else "yes"


def _asked(items: Sequence[Item], rng: Random) -> Asked:
    if rng.random() < 0.04:
        return None, None
    if items and rng.random() < 0.6:
        item = rng.choice(items)
        label, own = item.label, item.attributes
    else:
        label, own = rng.choice(tuple(CLASSES)), ()
    if rng.random() < 0.6:
        return label, None
    if own and rng.random() < 0.6:
        return label, own[0]
    return label, rng.choice(ACTIONS if label == "person" else CLASSES[label].colours or tuple(INKS))


def _second(first: Asked, items: Sequence[Item], rng: Random) -> Asked:
    """Often another attribute of the same class, as property partition asks; else another class."""
    label, attribute = first
    if attribute is not None and label is not None and rng.random() < 0.7:
        return label, rng.choice(ACTIONS if label == "person" else CLASSES[label].colours or tuple(INKS))
    other = _asked(items, rng)
    return (other[0], None) if attribute is None else other


def _fits(item: Item, asked: Asked) -> bool:
    label, attribute = asked
    return item.label == label and (attribute is None or attribute in item.attributes)


def _phrase(asked: Asked, plural: bool, rng: Random) -> str:
    label, attribute = asked
    if label is None:
        return UNKNOWN if rng.random() < 0.7 else f"{UNKNOWN} {UNKNOWN}"
    words = (label, CLASSES[label].plural)
    if label in OTHER_WORDS and rng.random() < 0.25:
        words = OTHER_WORDS[label]
    noun = words[plural]
    if attribute is None:
        return noun
    return f"{noun} {attribute}" if attribute in ACTIONS and rng.random() < 0.25 else f"{attribute} {noun}"


def _joined(phrases: list[str]) -> str:
    """Without commas, which the answerer does not read."""
    return " and ".join(phrases)
