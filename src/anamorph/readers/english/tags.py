"""Tags: a text that lists what is in an image becomes a set of labels, so that a chat model is a tagger."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from anamorph.model import LabelSet, LabelSpace, Unreadable
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import namer_of
from anamorph.reading.phrases import NOUNS, find_phrases
from anamorph.reading.tagging.taggers import RULES, find_tagger
from anamorph.reading.tokens import tokenize
from anamorph.reading.unreadable import says_no
from anamorph.reading.wordlists import BE
from anamorph.reading.wrapping import unwrapped

_JSON = re.compile(r"[\[{].*[\]}]", re.DOTALL)
_ITEM = re.compile(r"^\s*(?:[-*\u2022\u2023\u00b7+]|\(?\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^[^,;|\n]{0,80}:\s*$")
# What leads in a list: "Tags:", "Here is what I see:", "The image contains".
_LEAD = re.compile(
    r"""^\s*(?: [^,;|\n:]{0,120}:\s*(?=\D)
      | (?:tags|labels|objects|keywords)\s*(?=\|)
      | (?:i\s+(?:can\s+)?see|there\s+(?:is|are))\s+
      | (?:the|this)\s+(?:image|picture|photo)\s+(?:shows|contains|has|depicts)\s+
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*[,;|\n]\s*(?:(?:and|&|plus)\s+)?|\s+(?=#\w)|\s+(?:and|&|plus)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the|some)\s+", re.IGNORECASE)
_SCORE = re.compile(r"\s*(?:[:=\u2013-]\s*|\()\s*(?:\d+(?:\.\d+)?\s*%?|0?\.\d+|high|medium|low)\s*\)?$", re.IGNORECASE)
_NOTHING = re.compile(
    r"^\W*(?:none|nothing|no\s+(?:tags?|labels?|objects?)(?:\s+\w+)?|n/a|\[\s*\]|\{\s*\})\W*$", re.IGNORECASE
)
_EDGE = " \t\r\n.!?,;:\"'`*_#[]{}()\u201c\u201d\u2018\u2019"
# The keys that JSON lists have their tags under, and those of the name and the score of one tag.
_NAMES = ("name", "label", "tag", "class", "object", "category", "description")
_SCORES = ("score", "confidence", "probability", "prob")
_REMEMBERED = 100_000
# A tag is a name, not a sentence.
_MOST_WORDS = 5


class TagsReader:
    """Reads a list of tags, in whatever form a model writes it, as a set of labels."""

    def __init__(self, space: LabelSpace | None, threshold: float) -> None:
        self._namer = None if space is None else namer_of(space)
        self._threshold = threshold
        self._known: dict[str, str | None] = {}

    def read_text(self, text: str) -> LabelSet | Unreadable:
        """The labels that a text lists; without a label space, the tags as they are."""
        if not text.strip():
            return Unreadable(text, "the answer is empty")
        if _NOTHING.match(text):
            return LabelSet(frozenset())
        if says_no(text):
            return Unreadable(text, "the system refuses to answer")
        tags = self._listed_in_json(text)
        if tags is None:
            tags = list(_items(unwrapped(text)))
        if not tags:
            return Unreadable(text, "the answer has no words")
        if any(_is_sentence(tag) for tag in tags):
            return Unreadable(text, "the answer is not a list of tags")
        return LabelSet(frozenset(filter(None, map(self._label, tags))))

    def _listed_in_json(self, text: str) -> list[str] | None:
        """The tags of a JSON array or object; None if the text has none."""
        found = _JSON.search(text)
        if found is None:
            return None
        try:
            value = json.loads(found[0])
        except (ValueError, RecursionError):
            return None
        return list(self._tags_of(value))

    def _tags_of(self, value: Any, name: str = "") -> Iterator[str]:
        """The tags in a JSON value: texts in arrays, keys with a score or a "yes", and what has a name."""
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from self._tags_of(item)
        elif isinstance(value, Mapping):
            own = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
            if own is not None:
                score = next((value[key] for key in _SCORES if key in value), 1)
                yield from self._scored(own, score)
                return
            for key, inner in value.items():
                if isinstance(inner, bool | int | float):
                    yield from self._scored(str(key), inner)
                else:
                    yield from self._tags_of(inner)

    def _scored(self, tag: str, score: object) -> Iterable[str]:
        if not isinstance(score, bool | int | float):
            return (tag,)
        # Percentages and counts are above one.
        share = score / 100 if 1 < score <= 100 and isinstance(score, float) else score
        return (tag,) if share >= self._threshold else ()

    def read_labels(self, labels: Mapping[str, float]) -> LabelSet:
        """The labels with at least the score of the threshold; one that names a class is that class."""
        given = (name for name, score in labels.items() if score >= self._threshold)
        return LabelSet(frozenset(self._named(name) or name for name in given))

    def _label(self, tag: str) -> str:
        """The class that a tag names, or else the tag in lower case and in the singular; empty for what is absent."""
        words = tag.lower().split()
        found = self._named(" ".join(words)) if words else ""
        return " ".join((*words[:-1], singular_of(words[-1]) or words[-1])) if found is None else found

    def _named(self, tag: str) -> str | None:
        """The class that a tag names, if it names one; empty for what is absent."""
        if tag not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[tag] = self._named_anew(" ".join(tag.lower().split()))
        return self._known[tag]

    def _named_anew(self, name: str) -> str | None:
        if self._namer is None:
            return None
        tokens = tokenize(name)
        tags = find_tagger(RULES).tag(tokens)
        if tags and tags[-1] not in NOUNS and tokens.lowers[-1][0].isalpha():
            tags[-1] = "NN"  # a tag is a name, whatever else its word may be
        mentions = [phrase.mention for phrase in find_phrases(name, tokens, tags, self._namer)]
        if not mentions or mentions[-1].end != len(name):
            return None
        if mentions[-1].absent:
            return ""
        return mentions[0].label if len(mentions) == 1 else None


def _is_sentence(tag: str) -> bool:
    words = tag.lower().split()
    return len(words) > _MOST_WORDS or not BE.isdisjoint(words)


def _items(text: str) -> Iterator[str]:
    """The tags of a list in plain text: bullets, lines, or names between commas."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        lines = [line for line in lines if not _HEADING.match(line)]
    for line in lines:
        line = _LEAD.sub("", _ITEM.sub("", line))
        for part in _BETWEEN.split(line):
            tag = _ARTICLE.sub("", _SCORE.sub("", part.strip(_EDGE)).strip(_EDGE))
            if tag:
                yield tag
