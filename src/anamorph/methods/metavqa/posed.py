"""Questions that scenes bring from a data set, as far as the image relations can use them."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from anamorph.methods.metavqa.questions import PropertyChoices, Target
from anamorph.model import Asks, Scene, Skip
from anamorph.reading.questions import Asked, Vocabulary, nouns_for
from anamorph.reading.wordnet import taxonomy

NOT_UNDERSTOOD = "asking neither how many there are nor whether there is any of an annotated class"

_BOTH = re.compile(r"(how many )(.+?) and (.+?)((?: (?:are|is|in|on|there)\b.*)?[?. ]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """A question of a data set: what it asks, of what, and the same with its two kinds exchanged, if it has two."""

    text: str
    asks: Asks
    targets: tuple[Target, ...]
    reordered: str | None = None


class Understanding:
    """Finds out what the questions of scenes ask, in the words of their classes and properties."""

    def __init__(self, space: Sequence[str], choices: PropertyChoices) -> None:
        self._space, self._choices = frozenset(space), choices

    def of(self, scene: Scene) -> Iterator[PosedQuestion | Skip]:
        """Each distinct question about a scene that image relations can use, and a skip for each that they cannot."""
        present = {thing.label for thing in scene.things}.union(scene.labels)
        words = _vocabulary(
            tuple(sorted(present | self._space)),
            (*self._choices.colours, *self._choices.actions),
            self._choices.actions,
        )
        for text in dict.fromkeys(question.text for question in scene.questions):
            asked = words.asked_by(text)
            if asked is None:
                yield Skip(f"{scene.id}: {text}", NOT_UNDERSTOOD, "question")
            else:
                targets = tuple(Target(*thing) for thing in asked.things)
                yield PosedQuestion(text, asked.asks, targets, _reordered(text, asked, words))

    def concerns(self, label: str, targets: Collection[Target]) -> bool:
        """Whether objects of a class may be among what is asked for: a man is a person, a puppy is a dog."""
        people = self._choices.people
        return any(
            label == target.label
            or (label in people and target.label in people)
            or _one_is_the_other(label, target.label)
            for target in targets
        )


def _reordered(text: str, asked: Asked, words: Vocabulary) -> str | None:
    both = _BOTH.fullmatch(text.strip()) if asked.asks == "how-many" and len(asked.things) == 2 else None
    if both is None:
        return None
    exchanged = f"{both[1]}{both[3]} and {both[2]}{both[4]}"
    # Where the words are entangled ("red and blue cars"), exchanging them may ask for something else.
    return exchanged if words.asked_by(exchanged) == Asked(asked.asks, asked.things[::-1]) else None


@functools.lru_cache(maxsize=64)
def _vocabulary(labels: tuple[str, ...], before: tuple[str, ...], behind: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(nouns_for(labels), frozenset(before), frozenset(behind))


@functools.lru_cache(maxsize=65536)
def _one_is_the_other(one: str, other: str) -> bool:
    """Whether one class is a kind of another, by the first senses of their names."""
    nouns = taxonomy()
    first, second = nouns.senses(one.lower())[:1], nouns.senses(other.lower())[:1]
    if not first or not second:
        return False
    return second[0] in nouns.closure(first[0]) or first[0] in nouns.closure(second[0])
