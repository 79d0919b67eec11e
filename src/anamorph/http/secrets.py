"""Secrets: taken from the environment when they are needed, recognised, and kept out of everything that is shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from anamorph.errors import UsageError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = {"auth", "key", "oauth", "private", "pwd", "sig"}
# Also within longer words, such as `authtoken`; but `max_tokens` is a number.
_SECRET_PART = re.compile(
    r"api.?key|access.?key|authorization|cookie|credential|passw|passphrase|secret|signature|token(?!s)", re.IGNORECASE
)
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
    """Whether a header, a parameter, a flag or a setting of this name usually carries a secret."""
    return bool(_SECRET_PART.search(name)) or any(word.lower() in _SECRET_WORDS for word in _WORD.findall(name))


class Redactor:
    """Hides known secrets in texts that are to be shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
        forms = known | {quote(secret, safe="") for secret in known} | {json.dumps(secret)[1:-1] for secret in known}
        # The longest first, since one secret may contain another.
        self._forms = sorted(forms, key=len, reverse=True)

    def redact(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, "***")
        return text


# --- secrets that are not known beforehand ---------------------------------------------------------------------------

HIDDEN = "(hidden)"

# Settings whose values may all be secrets, whatever they are called.
_SECRET_TABLE = re.compile(r"header|^env", re.IGNORECASE)
# https://user:password@host, ?api_key=..., --token ..., Authorization: Bearer ...
_LOGIN = re.compile(r"(?<=//)[^/@\s]+@")
_QUERY = re.compile(r"(?<=[?&])([\w.-]+)=(?!\$\{)[^&\s#'\"]+")
_FLAG = re.compile(r"(?<!\S)['\"]?--?([\w.-]+)(?:=|\s+)(?!['\"]?\$\{)")
_BEARER = re.compile(r"(\bBearer\s+|(?i:\bAuthorization:)\s*(?:Basic\s+)?)(?!Bearer|\$\{)[^\s'\"]{6,}")
_TOKEN = re.compile(r"\b(?:sk|pk|ghp|gho|hf|xox[a-z])[-_][A-Za-z0-9_-]{12,}")


def without_secrets(value: Any, private: bool = False) -> Any:
    """Plain settings with everything that looks like a secret hidden; references like ${NAME} stay."""
    if isinstance(value, Mapping):
        return {key: without_secrets(item, private or _holds_secrets(str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item, private) for item in value]
    if private:
        return value if _only_references(value) else HIDDEN
    return _without_secrets_in_text(value) if isinstance(value, str) else value


def without_logins(text: str) -> str:
    """A text with the users and passwords of its addresses hidden."""
    return _LOGIN.sub(
        lambda match: match[0] if _only_references(match[0][:-1].replace(":", "")) else f"{HIDDEN}@", text
    )


def _holds_secrets(key: str) -> bool:
    # A setting such as `key_variable` holds the name of a variable, and its value is what is secret.
    return bool(_SECRET_TABLE.search(key)) or (names_a_secret(key) and not key.endswith("_variable"))


def _only_references(value: Any) -> bool:
    """Nothing but references and the name of a scheme, such as Bearer, before them."""
    if value is None or isinstance(value, bool):
        return True
    text = str(value)
    rest = _VARIABLE.sub("", text).strip()
    return bool(_VARIABLE.search(text)) and bool(re.fullmatch(r"(?:[A-Za-z-]{1,12})?", rest))


def _without_secrets_in_text(text: str) -> str:
    text = _QUERY.sub(
        lambda match: f"{match[1]}={HIDDEN}" if names_a_secret(match[1]) else match[0], without_logins(text)
    )
    text = _BEARER.sub(rf"\1{HIDDEN}", _without_secret_flags(text))
    return _TOKEN.sub(HIDDEN, text)


def _without_secret_flags(text: str) -> str:
    shown, end = [], 0
    for flag in _FLAG.finditer(text):
        if flag.start() >= end and names_a_secret(flag[1]) and (value := re.compile(r"\S+").match(text, flag.end())):
            shown += [text[end : flag.end()], HIDDEN]
            end = value.end()
    return "".join([*shown, text[end:]])
