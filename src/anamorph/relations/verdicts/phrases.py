"""Shared phrases and verdicts of relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from anamorph.model import AnswerReading, CaptionReading, Evidence, LabelSet, Reading, Unreadable, Verdict, the_probe

R = TypeVar("R", CaptionReading, AnswerReading, LabelSet)

# A chat model's answer can be long; its beginning identifies it.
_LONGEST_EVIDENCE = 200
_FORMS = {CaptionReading: "a caption", AnswerReading: "an answer to a question", LabelSet: "a set of labels"}


def place(position: int, count: int) -> str:
    """The name of a case's answer, as the subject of a sentence."""
    return f"The answer to {the_probe(position, count)}" if count > 1 else "The answer"


def all_of(form: type[R], readings: Sequence[Reading]) -> list[R] | Verdict:
    """The readings if all have one form, else an undecided verdict."""
    found: list[R] = []
    for position, reading in enumerate(readings):
        if isinstance(reading, form):
            found.append(reading)
        elif isinstance(reading, Unreadable):
            return Verdict("undecided", f"{place(position, len(readings))} cannot be read: {reading.reason}.")
        else:
            return Verdict("undecided", f"{place(position, len(readings))} is not {_FORMS[form]}.")
    return found


def say_nothing(captions: Iterable[CaptionReading]) -> bool:
    """Whether no caption names a known class, not even as absent or perhaps."""
    return not any(m.label is not None or m.may_be for caption in captions for m in caption.mentions)


def listed(labels: Iterable[str]) -> str:
    """Labels in a sentence: 'cat', 'dog' and 'horse'."""
    *others, last = map(repr, labels)
    return f"{', '.join(others)} and {last}" if others else last


def are(labels: Sequence[str]) -> str:
    """The verb after `listed`."""
    return "is" if len(labels) == 1 else "are"


def spans(probe: int, reading: CaptionReading, labels: Iterable[str]) -> tuple[Evidence, ...]:
    """The spans of a caption that name some labels."""
    return tuple(
        Evidence(probe, mention.text, mention.start, mention.end)
        for label in labels
        for mention in reading.mentions_of(label)
    )


def whole_answers(readings: Sequence[AnswerReading], probes: Sequence[int] | None = None) -> tuple[Evidence, ...]:
    """Answers that together prove a verdict: all, or those of some probes."""
    chosen = range(len(readings)) if probes is None else probes
    texts = [(probe, readings[probe].text[:_LONGEST_EVIDENCE]) for probe in chosen]
    return tuple(Evidence(probe, text, 0, len(text)) for probe, text in texts)


def error_categories(
    missing: Sequence[str], unexpected: Sequence[str], miscounted: Sequence[str] = ()
) -> tuple[str, ...]:
    """The kinds of error in a caption.

    Each unexpected class is taken for a missing one; other missing classes were omitted.
    """
    found = ["misclassification"] if unexpected else []
    found += ["omission"] if len(missing) > len(unexpected) else []
    found += ["quantity"] if miscounted else []
    return tuple(found)


def sentence(clauses: Sequence[str]) -> str:
    """One sentence from several clauses."""
    text = "; ".join(clauses)
    return f"{text[0].upper()}{text[1:]}."
