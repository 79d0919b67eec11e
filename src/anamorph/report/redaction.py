"""Settings as a report may show them: a secret that somebody wrote out is not passed on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

HIDDEN = "(hidden)"

# Under such a key, only a text with a reference to the environment, such as `Bearer ${TOKEN}`, is shown.
_PRIVATE_KEY = re.compile(
    r"header|auth|cookie|credential|secret|token(?!s)|passw|passphrase|api.?key|access.?key|private|^env|^key$|signature",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_PRIVATE_WORD = r"[\w.-]*(?:secret|token|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|signature|sig|key|auth)"
# https://user:password@host, ?api_key=..., --token ..., Authorization: Bearer ...
_USER = re.compile(r"(?<=://)[^/@\s]+@")
_QUERY = re.compile(rf"(?<=[?&])({_PRIVATE_WORD})=(?!\$\{{)[^&\s#'\"]+", re.IGNORECASE)
_FLAG = re.compile(rf"(?<!\S)(['\"]?--?{_PRIVATE_WORD})(=|\s+)(?!['\"]?\$\{{)\S+", re.IGNORECASE)
_BEARER = re.compile(r"(\bBearer\s+|(?i:\bAuthorization:)\s*(?:Basic\s+)?)(?!Bearer|\$\{)[^\s'\"]{6,}")
_TOKEN = re.compile(r"\b(?:sk|pk|ghp|gho|hf|xox[a-z])[-_][A-Za-z0-9_-]{12,}")


def without_secrets(value: Any, private: bool = False) -> Any:
    """Plain settings with everything that looks like a secret hidden; references like ${NAME} stay."""
    if isinstance(value, Mapping):
        return {
            key: without_secrets(item, private or bool(_PRIVATE_KEY.search(str(key)))) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(item, private) for item in value]
    if private:
        return value if _only_references(value) else HIDDEN
    return _without_secrets_in_text(value) if isinstance(value, str) else value


def _is_private(key: object) -> bool:
    return _PRIVATE_KEY.search(str(key)) is not None


def _only_references(value: Any) -> bool:
    """Nothing but references and the name of a scheme, such as Bearer, before them."""
    if value is None or isinstance(value, bool):
        return True
    text = str(value)
    rest = _REFERENCE.sub("", text).strip()
    return bool(_REFERENCE.search(text)) and bool(re.fullmatch(r"(?:[A-Za-z-]{1,12})?", rest))


def _without_secrets_in_text(text: str) -> str:
    text = _USER.sub(lambda match: match[0] if _only_references(match[0][:-1].replace(":", "")) else f"{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1={HIDDEN}", text)
    text = _FLAG.sub(rf"\1\2{HIDDEN}", text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    return _TOKEN.sub(HIDDEN, text)
