"""Secrets: taken from the environment when they are needed, and kept out of everything that is shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote

from anamorph.errors import UsageError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = {"apikey", "auth", "authorization", "cookie", "credential", "credentials", "key", "passwd", "password"}
_SECRET_WORDS |= {"pwd", "secret", "sig", "signature", "token"}
# Shorter texts occur by chance, and hiding them would make a message unreadable.
_SHORTEST_SECRET = 4


def variables_in(text: str) -> list[str]:
    """The names of the environment variables that a text refers to as ${NAME}."""
    return _VARIABLE.findall(text)


def check_variables(text: str, where: str) -> None:
    """UsageError, naming the variable and the place, unless every ${NAME} of a text can be filled in."""
    if "${" in _VARIABLE.sub("", text):
        raise UsageError(
            f"{where} has a '${{' that does not begin a variable. Write ${{NAME}} with letters, digits and _."
        )
    for name in variables_in(text):
        value = os.environ.get(name)
        if not value:
            raise UsageError(
                f"{where} needs the environment variable {name}, which is {'empty' if value == '' else 'not set'}."
            )
        if not value.isascii() or not value.isprintable():
            # The libraries below would quote the whole value in their complaint.
            raise UsageError(
                f"{where} needs the environment variable {name} to be printable ASCII on one line, and it is not."
            )


def fill(text: str) -> str:
    """The text with each ${NAME} replaced by the variable's value."""
    return _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)


def names_a_secret(name: str) -> bool:
    """Whether a header or a parameter of this name usually carries a secret."""
    return any(word.lower() in _SECRET_WORDS for word in _WORD.findall(name))


class Veil:
    """Hides known secrets in texts that are to be shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
        forms = known | {quote(secret, safe="") for secret in known} | {json.dumps(secret)[1:-1] for secret in known}
        # The longest first, since one secret may contain another.
        self._forms = sorted(forms, key=len, reverse=True)

    def over(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, "***")
        return text
