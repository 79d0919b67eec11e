"""The word lists of the reader, from english.toml."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def _lists() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files("anamorph.language").joinpath("english.toml").read_text("utf-8"))


def word_list(section: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_lists()[section][name].split())


def word_order(section: str, name: str) -> tuple[str, ...]:
    """The words of a list, in their order."""
    return tuple(_lists()[section][name].split())


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
