"""A session: a list of items that one person goes through."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from anamorph.errors import MissingExtra


class Session(Protocol):
    """Items by position from 0, and what the person has answered so far.

    Every member is called in one thread, the one that made the session.

    An item's page is `template` (in the package `templates`, extending "page.html"), which is given `item`. Its buttons
    and text fields have a data-field; what is chosen in them comes back as `changes`, texts by the names of fields.
    """

    @property
    def title(self) -> str: ...

    @property
    def reviewer(self) -> str: ...

    @property
    def noun(self) -> tuple[str, str]:
        """The noun for an item, singular and plural."""

    @property
    def templates(self) -> tuple[str, str]:
        """A Python package and the folder in it with the templates; template.html among them shows an item."""

    @property
    def template(self) -> str: ...

    @property
    def file(self) -> Path:
        """Where the answers go."""

    def __len__(self) -> int: ...

    def item(self, position: int) -> Mapping[str, Any]:
        """An item as the template shows it."""

    def facets(self, position: int) -> Mapping[str, str]:
        """The filters of an item, by name; the same names for every item."""

    def fields(self, position: int) -> Mapping[str, str]:
        """The answer of this person so far, by the names of fields; empty texts may be left out."""

    def is_done(self, position: int) -> bool: ...

    def answer(self, position: int, changes: Mapping[str, str]) -> None:
        """Change some fields of an answer; it is on disk when this returns. UsageError for what makes no sense."""

    def undo(self) -> int | None:
        """Take the last answer back, and give its item; None if nothing is left to take back."""

    def picture(self, name: str) -> Path | None:
        """A picture that an item shows, by the name that the template uses; None for any other name."""

    def close(self) -> None: ...


def check_installed(command: str) -> None:
    """MissingExtra, unless the libraries of the app are there; they are optional, since most never need them."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise MissingExtra(command, "review")
