"""Stanza's tagger behind the reader: the one that MetaIC, ROME and SPOLRE used."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from anamorph.errors import MissingExtra, UsageError
from anamorph.language.tokens import Tokens


class StanzaTagger:
    """Tags with Stanza's English model, on our own words; `folder` holds the model, or None for Stanza's own place."""

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
