"""Which found photos are left out because of what their captions say (ATOM, section II-B-2)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias, get_args

from anamorph.methods.atom.combinations import Combination
from anamorph.model import CaptionReading
from anamorph.readers.english.caption import CaptionReader
from anamorph.reading.labels import label_space
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import namer_of
from anamorph.reading.tokens import tokenize

CaptionFlaw: TypeAlias = Literal[
    "no caption", "unreadable caption", "label missing", "labels adjacent", "label not a noun"
]
# In order: the closer a caption came to being chosen, the more its flaw says about the photo.
_NEARNESS: tuple[CaptionFlaw, ...] = get_args(CaptionFlaw)
# No name of a label has more words before its last one.
_WORDS_BEFORE = 3
# "Cat and dog photo": of a photo's title, the word for the photo itself is not read.
_THE_PHOTO_ITSELF = re.compile(r"(?<=\w)\s+(?:stock\s+)?(?:photos?|photographs?|pictures?|images?)\W*$", re.IGNORECASE)


class CaptionFilter:
    """Reads captions in one label space."""

    def __init__(self, space: str, tagger: str = "rules") -> None:
        self._reader = CaptionReader(label_space(space), tagger)
        self._namer = namer_of(label_space(space))

    def choose(self, captions: Sequence[str], combination: Combination) -> tuple[str, CaptionFlaw | None]:
        """The first caption that names all labels; or none, and what is wrong with the one that came closest."""
        nearest: CaptionFlaw = "no caption"
        for caption in captions:
            flaw = self.flaw(caption, combination)
            if flaw is None:
                return caption, None
            nearest = max(nearest, flaw, key=_NEARNESS.index)
        return "", nearest

    def flaw(self, caption: str, combination: Combination) -> CaptionFlaw | None:
        """Why a caption does not name every label as a thing of its own; None if it does.

        Labels are found in dictionary form and by their synonyms. The words alone decide whether one is missing or two
        follow each other, whatever part of speech they are; the reader decides whether each is a noun that names a
        thing ("an orange", not "an orange cup" or "an orange tree").
        """
        caption = _THE_PHOTO_ITSELF.sub("", caption)
        reading = self._reader.read_text(caption)
        if not isinstance(reading, CaptionReading):
            return "unreadable caption"
        wanted = frozenset(combination)
        mentioned = ((start, end, label) for label in combination for start, end in reading.spans_of(label))
        spans = sorted({*self._worded(caption, wanted), *mentioned})
        if wanted - {label for _, _, label in spans}:
            return "label missing"
        for (_, end, one), (start, _, other) in itertools.pairwise(spans):
            if one != other and end <= start and not caption[end:start].strip(" -"):
                return "labels adjacent"
        return None if all(reading.names(label) for label in combination) else "label not a noun"

    def _worded(self, caption: str, wanted: frozenset[str]) -> Iterator[tuple[int, int, str]]:
        tokens = tokenize(caption)
        for place, word in enumerate(tokens.lowers):
            named = self._namer.named(
                tokens.lowers[max(0, place - _WORDS_BEFORE) : place + 1], singular_of(word) or word
            )
            if named.label in wanted:
                yield tokens.starts[place - named.extra], tokens.ends[place], named.label
