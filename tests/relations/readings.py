"""Readings made by hand, so that tests of claims do not depend on how well texts are read."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from anamorph.model import AnswerReading, CaptionReading, Mention, Unreadable
from anamorph.model.reading import GrammaticalNumber
from tests.english import caption_reader

UNREADABLE = Unreadable("", "the answer is empty")
LABELS = ("dog", "cat", "hot dog", "person", "sheep")


def one(label: str) -> Mention:
    return Mention(label, 0, 0, label, label, "singular")


def many(label: str, count: int | None = None) -> Mention:
    return Mention(label, 0, 0, label, label, "plural", count)


def some(label: str) -> Mention:
    return Mention(label, 0, 0, label, label, "unknown")


def caption(*mentions: Mention) -> CaptionReading:
    """A caption that names these things, one after another."""
    text, placed = "", []
    for each in mentions:
        start = len(text)
        text += f"{each.text}, "
        placed.append(replace(each, start=start, end=start + len(each.text)))
    return CaptionReading(text, tuple(placed))


def read(text: str) -> CaptionReading:
    """A caption as the default reader reads it, for the papers' own examples."""
    reading = caption_reader().read_text(text)
    assert isinstance(reading, CaptionReading), reading
    return reading


def number(value: int) -> AnswerReading:
    return AnswerReading(str(value), value, value)


def between(least: int, most: int | None) -> AnswerReading:
    return AnswerReading(f"{least} to {most}", least, most)


def vague(wording: str = "many") -> AnswerReading:
    return AnswerReading(wording, 2, None)


# As the reader has them without a question: a yes is at least one, a no is none.
YES = AnswerReading("Yes.", 1, None, yes=True, assumed=True)
NO = AnswerReading("No.", 0, 0, yes=False, assumed=True)

_numbers: st.SearchStrategy[GrammaticalNumber] = st.sampled_from(["singular", "plural", "unknown"])
_mentions = st.builds(
    lambda label, number, count: Mention(label, 0, 0, label, label, number, count),
    st.sampled_from(LABELS),
    _numbers,
    st.none() | st.integers(1, 9),
)
captions = st.lists(_mentions, max_size=5).map(lambda found: caption(*found))
numbers = st.integers(0, 20).map(number)
intervals = st.builds(
    lambda least, more: between(least, None if more is None else least + more),
    st.integers(0, 9),
    st.none() | st.integers(1, 5),
)
amounts = numbers | st.sampled_from(["many", "a few", "several"]).map(vague) | intervals
yes_or_no = st.sampled_from([YES, NO])
answers = amounts | yes_or_no
