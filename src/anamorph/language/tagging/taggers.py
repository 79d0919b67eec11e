"""What a tagger is, and the taggers that can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from anamorph.errors import UnknownName
from anamorph.language.tokens import Tokens


class Tagger(Protocol):
    """Gives each word of a text its part of speech, as a Penn Treebank tag.

    NN and NNS (or NNP and NNPS) are what the reader takes for nouns.
    """

    def tag(self, tokens: Tokens) -> list[str]: ...


def _rules() -> Tagger:
    from anamorph.language.tagging.rules import RuleTagger

    return RuleTagger()


def _spacy(model: str = "") -> Tagger:
    from anamorph.language.tagging.spacy_tagger import SpacyTagger

    return SpacyTagger(model or "en_core_web_sm")


def _stanza(folder: str = "") -> Tagger:
    from anamorph.language.tagging.stanza_tagger import StanzaTagger

    return StanzaTagger(folder or None)


_TAGGERS: dict[str, Callable[..., Tagger]] = {"rules": _rules, "spacy": _spacy, "stanza": _stanza}


def tagger(name: str) -> Tagger:
    """The tagger of a name; "spacy:MODEL" and "stanza:FOLDER" say which model to load."""
    kind, colon, model = name.partition(":")
    if kind not in _TAGGERS or (colon and kind == "rules"):
        raise UnknownName("tagger", name, ("rules", "spacy", "spacy:MODEL", "stanza", "stanza:FOLDER"))
    return _TAGGERS[kind](model) if colon else _TAGGERS[kind]()
