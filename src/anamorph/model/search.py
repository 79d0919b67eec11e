"""Queries to a search engine, and their results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One object to look for: a word and its kind."""

    word: str
    category: str


@dataclass(frozen=True, slots=True)
class Query:
    """Objects that one photo should show; `simple` asks for the search engine's plainest wording."""

    terms: tuple[Term, ...]
    simple: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(term.word for term in self.terms)


@dataclass(frozen=True, slots=True)
class Find:
    """A photo that a search found, at an `address` or in the file at a `path`; the likeliest caption comes first.

    The rest is as its source says, and may be empty or wrong.
    """

    captions: tuple[str, ...]
    address: str | None = None
    path: str | None = None
    page: str = ""
    licence: str = ""
    licence_url: str = ""
    author: str = ""
    width: int | None = None
    height: int | None = None

    def __post_init__(self) -> None:
        if (self.address is None) == (self.path is None):
            raise ValueError("a find has either an address or a path")

    @property
    def place(self) -> str:
        """The address or the path."""
        return self.address if self.address is not None else str(self.path)
