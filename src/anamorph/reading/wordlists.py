"""The word lists of english.toml: how to get one, and those that several files need."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def _lists() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files("anamorph.reading").joinpath("english.toml").read_text("utf-8"))


def word_list(section: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_lists()[section][name].split())


def word_order(section: str, name: str) -> tuple[str, ...]:
    """The words of a list, in their order."""
    return tuple(_lists()[section][name].split())


def word_phrases(section: str, name: str) -> tuple[str, ...]:
    """The phrases of a list, which slashes part."""
    return tuple(_lists()[section][name].split("/"))


def word_table(section: str, name: str) -> dict[str, Any]:
    """The words of a table and what each stands for."""
    return dict(_lists()[section][name])


def word_names(section: str) -> tuple[str, ...]:
    """The names of the lists of a section."""
    return tuple(_lists()[section])


def has_any(texts: tuple[str, ...], lower: str) -> bool:
    """Whether any of these occurs in a text; a loop, because a generator takes three times as long."""
    for text in texts:  # noqa: SIM110
        if text in lower:
            return True
    return False


# --- the closed classes of English, and words whose part of speech in captions is not what WordNet's texts say --------

# A word that has one tag wherever it stands.
CLOSED: dict[str, str] = {word: tag for tag in word_names("closed_tags") for word in word_order("closed_tags", tag)}

BE = word_list("closed", "be")
AUXILIARY = BE | word_list("closed", "auxiliary")

# Adjectives that WordNet also lists as nouns; in a caption they name nothing ("the old", "in white").
ADJECTIVES = word_list("closed", "adjectives")

# Nouns that are as often adjectives: they name something when no noun follows and a determiner precedes.
COLOURS = word_list("closed", "colours")

# Nouns and adjectives in equal parts: a noun follows, and they describe it.
DUAL = word_list("closed", "dual")

# Gerund forms that are things; they head a group unless an object follows ("a man painting a wall").
GERUND_NOUNS = word_list("closed", "gerund_nouns")

# Words that are nouns first in captions although WordNet's texts, or their endings, say otherwise.
NOUNS = word_list("closed", "nouns")

# Verbs of captions whose forms WordNet lists as nouns too; after a noun they are what it does.
VERBS = word_list("closed", "verbs")

# Verbs whose noun a caption never means.
ONLY_VERBS = word_list("closed", "only_verbs")
