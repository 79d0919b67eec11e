"""Queries to a search engine, and their results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One object to look for: a word for it, and what kind of thing it is."""

    word: str
    category: str


@dataclass(frozen=True, slots=True)
class Query:
    """Objects that one photo should show; `simple` asks for the plainest wording that a search engine has."""

    terms: tuple[Term, ...]
    simple: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(term.word for term in self.terms)


@dataclass(frozen=True, slots=True)
class Find:
    """A picture that a search found, at an `address` or as the file at a `path`; the likeliest caption comes first.

    Everything else is as its source says, and may be empty or wrong.
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
