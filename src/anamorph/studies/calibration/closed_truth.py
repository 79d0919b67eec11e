"""The true answers to crosscheck's questions about drawn scenes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from anamorph.language.labels import label_space
from anamorph.language.nouns import counted, noun_of
from anamorph.methods.crosscheck.wording import Wording
from anamorph.readers.closed import form_of
from anamorph.toybox.truth import Truth

# What is left of the first, from 0 to 1, is on the left, and what is right of the second on the right.
_SIDES = (0.4, 0.6)


def true_closed_answer(seen: Truth, question: str) -> str | None:
    """The true answer to a question of crosscheck; None for any other question."""
    if question.startswith(Wording().list):
        return ", ".join(seen.labels) or "nothing"
    for kind, pattern in _patterns():
        found = pattern.fullmatch(question)
        if found is None:
            continue
        labels = [_labels().get(noun.lower()) for noun in found.groups()]
        if None not in labels:
            return _answer(kind, seen, [label for label in labels if label is not None], question)
    return None


def _answer(kind: str, seen: Truth, labels: list[str], question: str) -> str | None:
    number = sum(seen.count(label).least for label in labels)
    match kind:
        case "count" | "collage_count" | "both":
            return str(number)
        case "exists":
            return "yes" if number else "no"
        case "states":
            return "true" if number else "false"
        case "denies":
            return "false" if number else "true"
        case "which":
            form = form_of(question)
            there = [label for label in labels if seen.count(label).least]
            # Of two that are there, or of none, it names the first of the alphabet, whatever their order.
            return min(there or labels) if form is not None else None
        case "side":
            places = [thing.across for thing in seen.things if thing.label == labels[0] and thing.clear]
            if not places:
                return "middle"
            left, right = _SIDES
            return "left" if places[0] < left else "right" if places[0] > right else "middle"
    return None


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(_made(Wording()))


def _made(wording: Wording) -> Iterator[tuple[str, re.Pattern[str]]]:
    for kind in ("both", "collage_count", "count", "exists", "states", "denies", "side", "which"):
        parts = re.split(r"\{[a-z_]+\}", getattr(wording, kind))
        # A chat model gets the form of the answer behind the question.
        yield kind, re.compile("(.+?)".join(map(re.escape, parts)) + r"(?: (?:Please )?[Aa]nswer .*)?")


@functools.cache
def _labels() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in label_space("coco").names:
        noun = noun_of(name)
        for word in (name, noun.one, counted(name, 1), noun.measure + noun.many):
            found[word.lower()] = name
    return found
