"""The caption reader: a caption, a fragment or a chat model's paragraph becomes the things that it names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from anamorph.language.labels import LabelSpace, label_space
from anamorph.language.mentions.claims import mark_claims
from anamorph.language.mentions.counting import count_mentions
from anamorph.language.mentions.depictions import Depiction
from anamorph.language.mentions.finding import find_phrases
from anamorph.language.mentions.passage import Passage
from anamorph.language.naming import Namer
from anamorph.language.released import MetaicWords, RomeWords
from anamorph.language.tagging.taggers import Tagger, tagger
from anamorph.language.tokens import tokenize
from anamorph.language.unreadable import why_unreadable
from anamorph.language.wrapping import unwrapped
from anamorph.model import Answer, Reading, Unreadable, setting
from anamorph.model.reading import CaptionReading


@dataclass(frozen=True, slots=True)
class CaptionReader:
    """Reads a caption as the things that it names, each with its class, its number and its place."""

    kind: ClassVar[str] = "caption"
    labels: str = setting("coco", "The label space: coco, voc, coco-stuff, or the path of a .toml or .json file.")
    tagger: str = setting("rules", "What finds the nouns: rules, spacy, spacy:MODEL, stanza or stanza:FOLDER.")
    profile: Literal["default", "released-metaic", "released-rome"] = setting(
        "default", "Read as the released tool of MetaIC or ROME does, to replay what it published."
    )
    depth: int = setting(3, "How many steps up the noun taxonomy a word may be from its class.", least=0, most=20)
    depicted: tuple[Depiction, ...] = setting(
        (), "Which depicted things count as if they were there: toy, sculpture, picture, screen, costume, shape."
    )
    _space: LabelSpace = field(init=False, repr=False, compare=False)
    _tagger: Tagger = field(init=False, repr=False, compare=False)
    _words: Namer | MetaicWords | RomeWords = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        space = label_space(self.labels)
        words: Namer | MetaicWords | RomeWords
        if self.profile == "default":
            words = Namer(space, self.depth)
        else:
            words = MetaicWords(space) if self.profile == "released-metaic" else RomeWords(space)
        object.__setattr__(self, "_space", space)
        object.__setattr__(self, "_tagger", tagger(self.tagger))
        object.__setattr__(self, "_words", words)

    @property
    def space(self) -> LabelSpace:
        """The label space in use."""
        return self._space

    def read(self, answer: Answer) -> Reading:
        if answer.text is None:
            return Unreadable("", "the answer is a set of labels, not a caption")
        return self.read_text(answer.text)

    def read_text(self, text: str) -> CaptionReading | Unreadable:
        """What a text names, or why it cannot be told."""
        # The released tools took texts as they came.
        message = unwrapped(text) if self.profile == "default" else text
        tokens = tokenize(message)
        reason = why_unreadable(message, tokens)
        if reason:
            return Unreadable(text, reason)
        tags = self._tagger.tag(tokens)
        if isinstance(self._words, Namer):
            passage = Passage(message, tokens, tags, find_phrases(message, tokens, tags, self._words))
            mark_claims(passage, self._words, frozenset(self.depicted))
            return CaptionReading(text, count_mentions(passage))
        return CaptionReading(text, self._words.mentions(text, tokens, tags))
