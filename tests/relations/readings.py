"""Readings made by hand, so that tests of claims do not depend on how well texts are read."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from anamorph.model import AnswerReading, CaptionReading, Mention, Unreadable
from anamorph.model.reading import GrammaticalNumber
from anamorph.readers.caption import CaptionReader

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
    reading = CaptionReader().read_text(text)
    assert isinstance(reading, CaptionReading), reading
    return reading


def number(value: int) -> AnswerReading:
    return AnswerReading(str(value), number=value)


def vague(wording: str = "many") -> AnswerReading:
    return AnswerReading(wording, vague=wording)


YES = AnswerReading("Yes.", yes=True)
# As the reader has it: a bare no is also how many there are.
NO = AnswerReading("No.", number=0, yes=False)

_numbers: st.SearchStrategy[GrammaticalNumber] = st.sampled_from(["singular", "plural", "unknown"])
_mentions = st.builds(
    lambda label, number, count: Mention(label, 0, 0, label, label, number, count),
    st.sampled_from(LABELS),
    _numbers,
    st.none() | st.integers(1, 9),
)
captions = st.lists(_mentions, max_size=5).map(lambda found: caption(*found))
numbers = st.integers(0, 20).map(number)
amounts = numbers | st.sampled_from(["many", "a few", "several"]).map(vague)
yes_or_no = st.sampled_from([YES, NO])
answers = amounts | yes_or_no
