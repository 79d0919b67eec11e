"""What a tagger is, and the taggers that can be chosen: our own, or one of spaCy or Stanza where it is installed."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
from typing import Any, Protocol

from anamorph.errors import MissingExtra, UnknownName, UsageError
from anamorph.reading.tagging.rules import RuleTagger
from anamorph.reading.tokens import Tokens, line_starts

# The tagger that comes with Anamorph.
RULES = "rules"


class Tagger(Protocol):
    """Gives each word of a text its part of speech, as a Penn Treebank tag.

    NN and NNS (or NNP and NNPS) are what the reader takes for nouns.
    """

    def tag(self, tokens: Tokens) -> list[str]: ...


def tagged(text: str, tokens: Tokens, tagger: Tagger) -> list[str]:
    """The parts of speech of a text, each of its lines by itself."""
    cuts = sorted(line_starts(text, tokens)) if "\n" in text else []
    tags: list[str] = []
    for first, last in itertools.pairwise((0, *cuts, len(tokens.texts))):
        at = slice(first, last)
        tags += tagger.tag(
            Tokens(tokens.texts[at], tokens.lowers[at], tokens.starts[at], tokens.ends[at]) if cuts else tokens
        )
    return tags


class SpacyTagger:
    """Tags with a spaCy pipeline, on our own words, so that every tagger sees the same ones."""

    def __init__(self, model: str) -> None:
        if importlib.util.find_spec("spacy") is None:
            raise MissingExtra("The spacy tagger", "spacy")
        spacy: Any = importlib.import_module("spacy")
        try:
            self._pipeline: Any = spacy.load(model, exclude=["ner", "lemmatizer"])
        except OSError as problem:
            # spaCy's models are not in the package registry, so an extra cannot install them.
            advice = f"Install it: python -m spacy download {model}." if model.isidentifier() else "Check its path."
            raise UsageError(
                f"The spaCy model {model!r} cannot be loaded. {advice} 'spacy:FOLDER' names the folder of a model."
            ) from problem
        self._doc: Any = importlib.import_module("spacy.tokens").Doc

    def tag(self, tokens: Tokens) -> list[str]:
        if not tokens.texts:
            return []
        doc = self._pipeline(self._doc(self._pipeline.vocab, words=tokens.texts))
        return [token.tag_ or "NN" for token in doc]


class StanzaTagger:
    """Tags with Stanza's English model, as MetaIC, ROME and SPOLRE did; `folder` holds it, None for Stanza's own."""

    def __init__(self, folder: str | None = None) -> None:
        if importlib.util.find_spec("stanza") is None:
            raise MissingExtra("The stanza tagger", "stanza")
        stanza: Any = importlib.import_module("stanza")
        settings: dict[str, Any] = {"dir": folder} if folder else {}
        try:
            self._pipeline: Any = stanza.Pipeline(
                "en",
                processors="tokenize,pos",
                tokenize_pretokenized=True,
                download_method=None,
                verbose=False,
                **settings,
            )
        except Exception as problem:
            raise UsageError(
                f"Stanza's English model cannot be loaded ({problem}). Install it with: "
                "python -c 'import stanza; stanza.download(\"en\")', or name its folder with 'stanza:FOLDER'."
            ) from problem

    def tag(self, tokens: Tokens) -> list[str]:
        if not tokens.texts:
            return []
        document = self._pipeline([tokens.texts])
        return [word.xpos or "NN" for sentence in document.sentences for word in sentence.words]


@functools.lru_cache(maxsize=8)
def find_tagger(name: str) -> Tagger:
    """The tagger of a name; "spacy:MODEL" and "stanza:FOLDER" say which model to load."""
    kind, _, model = name.partition(":")
    if name == RULES:
        return RuleTagger()
    if kind == "spacy":
        return SpacyTagger(model or "en_core_web_sm")
    if kind == "stanza":
        return StanzaTagger(model or None)
    raise UnknownName("tagger", name, (RULES, "spacy", "spacy:MODEL", "stanza", "stanza:FOLDER"))
