"""spaCy's tagger behind the reader, for those who have one of its English models."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from anamorph.errors import MissingExtra, UsageError
from anamorph.language.tokens import Tokens


class SpacyTagger:
    """Tags with a spaCy pipeline, on our own words, so that every tagger sees the same ones."""

    def __init__(self, model: str) -> None:
        if importlib.util.find_spec("spacy") is None:
            raise MissingExtra("The spacy tagger", "spacy")
        spacy: Any = importlib.import_module("spacy")
        try:
            self._pipeline: Any = spacy.load(model, exclude=["ner", "lemmatizer"])
        except OSError as problem:
            # spaCy's models are no packages of the registry, so an extra cannot bring them.
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
