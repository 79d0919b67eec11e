"""Secrets: taken from the environment when needed, and redacted from everything that is shown."""

from __future__ import annotations

import base64
import functools
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from anamorph.errors import UsageError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = {"auth", "key", "oauth", "private", "pwd", "sig"}
# Also within longer words, such as `authtoken`; but `max_tokens` is a number.
_SECRET_PART = re.compile(
    r"api.?key|access.?key|authorization|cookie|credential|passw|passphrase|secret|signature|token(?!s)", re.IGNORECASE
)
# Shorter strings occur by chance, and redacting them would garble messages.
_SHORTEST_SECRET = 4


def variables_in(text: str) -> list[str]:
    """The environment variables that a string references as ${NAME}."""
    return _VARIABLE.findall(text)


def check_variables(text: str, where: str) -> None:
    """UsageError, with the variable and the place, unless every ${NAME} of a string can be filled in."""
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
            # The libraries below would quote the whole value in their errors.
            raise UsageError(f"{where} needs the environment variable {name} to be printable ASCII on one line.")


def fill(text: str) -> str:
    """The string with each ${NAME} replaced by the variable's value."""
    return _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)


def names_a_secret(name: str) -> bool:
    """Whether a header, parameter, flag or setting of this name usually holds a secret."""
    return bool(_SECRET_PART.search(name)) or any(word.lower() in _SECRET_WORDS for word in _WORD.findall(name))


# The replacement of a secret in messages, and in stored answers.
MARK = "***"
REDACTED = "[redacted]"

_BASE64 = re.compile("[A-Za-z0-9+/_-]")
_HTML_NAMES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
# The longest escape of a character, even if escaped repeatedly.
_LONGEST_ESCAPE = 16


class Redactor:
    """Redacts known secrets from text to be shown or stored, in every form they have on the wire.

    These are: verbatim; with any characters percent-encoded, JSON-escaped or HTML-escaped, even repeatedly; and as
    base64, even inside a longer value.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        # Longest first, since one secret may contain another.
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)
        inner = [form for secret in known for form in _inner_base64(secret)]
        self._known, self._inner = tuple(known), tuple(inner)
        # In a secret that contains another, such as "Bearer KEY", the other is found.
        least = [each for each in known if not any(other in each for other in known if other != each)]
        encoded = [form for secret in least for form in _inner_base64(secret)]
        self._literals = tuple(dict.fromkeys((*least, *encoded, *(form.translate(_URL_SAFE) for form in encoded))))
        self._always = any(" " in secret for secret in least)
        # No secret has a backslash before anything else.
        self._quoted = any(character in form for form in self._literals for character in "\\\"'/")
        self.longest = max((len(secret) * _LONGEST_ESCAPE for secret in known), default=0)

    def finds(self, text: str) -> bool:
        """Whether text contains a secret; cheap, since every reply is checked."""
        if not self._known:
            return False
        for form in self._literals:
            if form in text:
                return True
        escaped = self._always or "%" in text or "&" in text or "\\u00" in text or (self._quoted and "\\" in text)
        return escaped and _pattern_of(self._known, self._inner).search(text) is not None

    def redact(self, text: str, mark: str = MARK) -> str:
        """The text with every secret replaced by the mark."""
        if not self.finds(text):
            return text
        shown, end = [], 0
        for found in _pattern_of(self._known, self._inner).finditer(text):
            start, stop = found.span()
            if found.lastgroup == "base64":
                # One character on either side also holds some bits of the secret.
                start -= bool(_BASE64.match(text, start - 1)) if start > end else 0
                stop += bool(_BASE64.match(text, stop))
            if stop <= end:
                continue
            if start >= end:
                shown.append(text[end:start])
            shown.append(mark)
            end = stop
        return "".join([*shown, text[end:]])

    def redact_plain(self, plain: Any) -> Any:
        """Plain JSON data with secrets redacted from its strings and keys."""
        if isinstance(plain, str):
            return self.redact(plain, REDACTED)
        if isinstance(plain, Mapping):
            return {self.redact_plain(key): self.redact_plain(value) for key, value in plain.items()}
        if isinstance(plain, list):
            return [self.redact_plain(item) for item in plain]
        return plain


_URL_SAFE = str.maketrans("+/", "-_")


def environment_redactor() -> Redactor:
    """Redacts every variable with a secret's name, for libraries that find their keys themselves."""
    return Redactor(value for name, value in os.environ.items() if names_a_secret(name))


def _inner_base64(secret: str) -> list[str]:
    """A secret in base64, wherever it begins in something longer: the characters that depend on it alone."""
    content, found = secret.encode("utf-8", "surrogatepass"), []
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + content).decode("ascii")
        found.append(encoded[-(-8 * before // 6) : 8 * (before + len(content)) // 6])
    return found


@functools.lru_cache(maxsize=64)
def _pattern_of(known: tuple[str, ...], inner: tuple[str, ...]) -> re.Pattern[str]:
    plain = "|".join(map(_escaped, known))
    encoded = "|".join(map(_escaped_base64, inner))
    # Tried first, since most characters start no match.
    begins = {form[0] for form in (*known, *inner, *(form.translate(_URL_SAFE) for form in inner))} | set("%\\&")
    spaces = r"\s+" if " " in begins else ""
    return re.compile(f"(?=[{re.escape(''.join(sorted(begins)))}{spaces}])(?:{plain}|(?P<base64>{encoded}))")


def _escaped_base64(form: str) -> str:
    other = form.translate(_URL_SAFE)
    pairs = zip(form, other, strict=True)
    return "".join(_escaped(one) if one == two else f"(?:{_escaped(one)}|{_escaped(two)})" for one, two in pairs)


# Backslashes multiply and spaces are squeezed, so a run of them is matched as a whole.
_ROW = re.compile(r"\\+| +|.", re.DOTALL)


def _escaped(secret: str) -> str:
    """A pattern for a string with any of its characters escaped in any way."""
    return "".join(_escaped_row(row[0][0], len(row[0])) for row in _ROW.finditer(secret))


def _escaped_row(character: str, length: int) -> str:
    code = ord(character)
    forms = [re.escape(character)]
    if code < 256:
        digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
        forms += [f"%(?:25){{0,3}}{digits}", rf"\\\\{{0,7}}u00{digits}"]
        forms += [f"&#0{{0,4}}{code};", f"&#[xX]0{{0,4}}{digits};"]
    if character in _HTML_NAMES:
        forms.append(f"&{_HTML_NAMES[character]};")
    if character in "\"'/":
        forms.append(rf"\\\\{{0,7}}{character}")
    if character == "\\":
        return f"(?:{'|'.join(forms)}){{{length},{8 * length}}}"
    if character == " ":
        return rf"(?:{'|'.join(forms)}|\s|\+){{1,{max(8, length)}}}"
    return f"(?:{'|'.join(forms)})"


# --- unknown secrets -------------------------------------------------------------------------------------------------

HIDDEN = "(hidden)"

# Settings whose values may all be secrets, whatever their names.
_SECRET_TABLE = re.compile(r"header|^env", re.IGNORECASE)
# https://user:password@host, ?api_key=..., --token ..., Authorization: Bearer ...
_LOGIN = re.compile(r"(?<=//)[^/@\s]+@")
_QUERY = re.compile(r"(?<=[?&])([\w.-]+)=(?!\$\{)[^&\s#'\"]+")
_FLAG = re.compile(r"(?<!\S)['\"]?--?([\w.-]+)(?:=|\s+)(?!['\"]?\$\{)")
_BEARER = re.compile(r"(\bBearer\s+|(?i:\bAuthorization:)\s*(?:Basic\s+)?)(?!Bearer|\$\{)[^\s'\"]{6,}")
_TOKEN = re.compile(r"\b(?:sk|pk|ghp|gho|hf|xox[a-z])[-_][A-Za-z0-9_-]{12,}")


def without_secrets(value: Any, private: bool = False) -> Any:
    """Plain settings with everything that looks like a secret redacted; references like ${NAME} stay."""
    if isinstance(value, Mapping):
        return {key: without_secrets(item, private or _holds_secrets(str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item, private) for item in value]
    if private:
        return value if _only_references(value) else HIDDEN
    return _without_secrets_in_text(value) if isinstance(value, str) else value


def without_logins(text: str) -> str:
    """The text with the users and passwords of its addresses redacted."""
    return _LOGIN.sub(
        lambda match: match[0] if _only_references(match[0][:-1].replace(":", "")) else f"{HIDDEN}@", text
    )


def _holds_secrets(key: str) -> bool:
    # A setting such as `key_variable` holds the name of a variable, whose value is the secret.
    return bool(_SECRET_TABLE.search(key)) or (names_a_secret(key) and not key.endswith("_variable"))


def _only_references(value: Any) -> bool:
    """Whether it is only references, perhaps after a scheme such as Bearer."""
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
