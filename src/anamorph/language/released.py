"""The readings of the released tools of MetaIC and ROME, to replay what they published.

Both looked only at words tagged NN or NNS. Where these tools and the default reader disagree, the default reader is
meant to be right; nothing here is for use on new answers.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from anamorph.language.labels import LabelSpace
from anamorph.language.morphology import plural_of
from anamorph.language.tokens import Tokens
from anamorph.language.wordnet import taxonomy
from anamorph.model.reading import GrammaticalNumber, Mention

# MetaIC's class list has the single-word classes less these.
_METAIC_LEFT_OUT = frozenset(("donut", "tv", "mouse", "skis", "knife"))
# The order in which ROME's tool looks for two-word chunks.
_CHUNKS = (("JJ", "NN"), ("JJ", "NNS"), ("NN", "NN"), ("NN", "NNS"))
# NLTK's endings for nouns, in its order; the tool looked words up through it.
_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)
# The word itself, its hypernyms, and theirs.
_LEVELS = 3
_REMEMBERED = 100_000


def class_words(space: LabelSpace) -> dict[str, tuple[str, bool]]:
    """Word -> (label, whether it is the plural form), for the names of labels in the singular and the plural."""
    words = {label.name: (label.name, False) for label in space.labels}
    for label in space.labels:
        words.setdefault(plural_of(label.name), (label.name, True))
    return words


class MetaicWords:
    """MetaIC's oracle: class words of one word, in the singular or the plural, and nothing else."""

    def __init__(self, space: LabelSpace) -> None:
        self._words = {
            word: found
            for word, found in class_words(space).items()
            if " " not in word and found[0] not in _METAIC_LEFT_OUT
        }
        self._one_form = frozenset(n for n in space.names if plural_of(n) == n and n != "broccoli")

    def mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        found = []
        for place, tag in enumerate(tags):
            word = tokens.lowers[place]
            if tag in ("NN", "NNS") and word in self._words:
                label, plural = self._words[word]
                if word in self._one_form:
                    plural = tag == "NNS"
                found.append(_mention(text, tokens, place, place, label, label, plural))
        return tuple(found)


class RomeWords:
    """ROME's oracle before it knows the other caption: nouns and chunks, each with the class words it could map to."""

    def __init__(self, space: LabelSpace) -> None:
        self._words = class_words(space)
        self._known: dict[str, tuple[str, ...]] = {}

    def mentions(self, text: str, tokens: Tokens, tags: Sequence[str]) -> tuple[Mention, ...]:
        tags = _as_stanza(tokens, tags)
        words = tokens.texts
        # (first place, last place); a chunk may stand beside its own noun, as in the tool.
        spans = [(place, place) for place, tag in enumerate(tags) if tag in ("NN", "NNS")]
        for before, after in _CHUNKS:
            for place in range(len(tags) - 1):
                if tags[place] != before or tags[place + 1] != after:
                    continue
                chunk = f"{words[place]} {words[place + 1]}"
                is_class = chunk in self._words
                if is_class or _senses(chunk):
                    spans.append((place, place + 1))
                if is_class:
                    _drop(spans, place + 1)
                if before == "NN":
                    _drop(spans, place)
        return tuple(self._mention(text, tokens, tags, first, last) for first, last in sorted(spans))

    def _mention(self, text: str, tokens: Tokens, tags: Sequence[str], first: int, last: int) -> Mention:
        word = " ".join(tokens.texts[first : last + 1])
        # The tool counts skis once, whatever their form.
        plural = tags[last] == "NNS" and word != "skis"
        label = self._words[word][0] if word in self._words else None
        return _mention(text, tokens, first, last, word, label, plural, () if label else self._kin(word))

    def _kin(self, word: str) -> tuple[str, ...]:
        if word not in self._known:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            self._known[word] = self._kin_of(word)
        return self._known[word]

    def _kin_of(self, word: str) -> tuple[str, ...]:
        wordnet = taxonomy()
        kin: dict[str, None] = {}
        level = list(_senses(word))
        for _ in range(_LEVELS):
            for sense in level:
                kin.update((self._words[name][0], None) for name in wordnet.names(sense) if name in self._words)
            level = list(dict.fromkeys(up for sense in level for up in wordnet.above(sense)))
        return tuple(kin)


def _drop(spans: list[tuple[int, int]], place: int) -> None:
    if (place, place) in spans:
        spans.remove((place, place))


@functools.lru_cache(maxsize=16384)
def _senses(word: str) -> tuple[int, ...]:
    """All senses of a word and of the forms it may be inflected from."""
    wordnet = taxonomy()
    word = word.lower()
    if word in wordnet.plurals:
        forms = [word, wordnet.plurals[word]]
    else:
        forms = [word, *(word[: -len(old)] + new for old, new in _ENDINGS if word.endswith(old))]
    return tuple(dict.fromkeys(sense for form in forms for sense in wordnet.senses(form)))


def _as_stanza(tokens: Tokens, tags: Sequence[str]) -> list[str]:
    """Stanza's reading of a noun with one form: plural after "of", a number or a quantifier, else singular."""
    found = list(tags)
    for place, word in enumerate(tokens.lowers):
        if word == "sheep" and tags[place] == "NNS":
            before = tokens.lowers[place - 1] if place else ""
            if before != "of" and (not place or tags[place - 1] not in ("CD", "JJ")):
                found[place] = "NN"
    return found


def _mention(
    text: str,
    tokens: Tokens,
    first: int,
    last: int,
    head: str,
    label: str | None,
    plural: bool,
    kin: tuple[str, ...] = (),
) -> Mention:
    start, end = tokens.starts[first], tokens.ends[last]
    number: GrammaticalNumber = "plural" if plural else "singular"
    return Mention(text[start:end], start, end, head, label, number, kin=kin)
