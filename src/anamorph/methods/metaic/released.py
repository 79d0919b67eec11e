"""What MetaIC's released tool read, to replay what it published.

The tool looked only at words tagged NN or NNS. Where it and the caption reader disagree, the caption reader is meant to
be right; nothing here is for use on new answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from anamorph.language.labels import class_words
from anamorph.language.morphology import plural_of
from anamorph.language.tokens import Tokens
from anamorph.model import Answer, CaptionReading, Mention, Reading, Unreadable
from anamorph.readers.caption import CaptionReader

# The tool's class list has the single-word classes except these.
_LEFT_OUT = frozenset(("donut", "tv", "mouse", "skis", "knife"))


@dataclass(frozen=True, slots=True)
class ReleasedReader:
    """Reads class words of one word, in the singular or the plural, and nothing else."""

    kind: ClassVar[str] = "released-metaic"
    caption: CaptionReader
    _words: Mapping[str, tuple[str, bool]] = field(init=False, repr=False, compare=False)
    _one_form: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        space = self.caption.space
        words = {
            word: found for word, found in class_words(space).items() if " " not in word and found[0] not in _LEFT_OUT
        }
        object.__setattr__(self, "_words", words)
        one_form = frozenset(name for name in space.names if plural_of(name) == name and name != "broccoli")
        object.__setattr__(self, "_one_form", one_form)

    def read(self, answer: Answer, question: str | None = None) -> Reading:
        if answer.text is None:
            return self.caption.read(answer, question)
        return self.read_text(answer.text)

    def read_text(self, text: str) -> CaptionReading | Unreadable:
        """What a text names; the tool took texts as they came."""
        return self.caption.read_message(text, text, self._mentions)

    def _mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        found = []
        for place, tag in enumerate(tags):
            word = tokens.lowers[place]
            if tag in ("NN", "NNS") and word in self._words:
                label, plural = self._words[word]
                if word in self._one_form:
                    plural = tag == "NNS"
                start, end = tokens.starts[place], tokens.ends[place]
                found.append(Mention(text[start:end], start, end, label, label, "plural" if plural else "singular"))
        return tuple(found)
