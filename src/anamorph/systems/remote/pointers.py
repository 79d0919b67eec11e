"""Places in JSON data: JSON pointers (RFC 6901) for reading and writing, JMESPath for reading."""

from __future__ import annotations

from typing import Any

from anamorph.errors import UsageError


class NotThere(LookupError):
    """There is nothing at the requested place."""


def steps_of(pointer: str) -> list[str]:
    """The steps of a JSON pointer; without a leading slash, it is a plain key."""
    if not pointer.startswith("/"):
        return [pointer]
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def put(plain: Any, pointer: str, value: Any) -> None:
    """Write a value into JSON data, creating missing objects."""
    *way, last = steps_of(pointer)
    for step in way:
        plain = plain.setdefault(step, {}) if isinstance(plain, dict) else _element(plain, step, pointer)
    if isinstance(plain, dict):
        plain[last] = value
    elif isinstance(plain, list) and last in ("-", str(len(plain))):
        plain.append(value)
    else:
        _element(plain, last, pointer)
        plain[int(last)] = value


class JsonPath:
    """Finds a value in JSON data by a JSON pointer (with a leading slash) or a JMESPath expression."""

    def __init__(self, path: str, name: str) -> None:
        self._path = path
        self._expression: Any = None
        if not path.startswith("/"):
            import jmespath

            try:
                self._expression = jmespath.compile(path)
            except jmespath.exceptions.JMESPathError as problem:
                reason = " ".join(str(problem).split())
                raise UsageError(f"{name} = {path!r} is neither a JSON pointer nor JMESPath: {reason}") from problem

    def find(self, plain: Any) -> Any:
        """The value; NotThere if there is nothing, or only null."""
        found = self._by_pointer(plain) if self._expression is None else self._by_expression(plain)
        if found is None:
            raise NotThere(self._path)
        return found

    def _by_pointer(self, plain: Any) -> Any:
        for step in steps_of(self._path):
            plain = plain.get(step) if isinstance(plain, dict) else _element(plain, step, self._path)
            if plain is None:
                return None
        return plain

    def _by_expression(self, plain: Any) -> Any:
        import jmespath

        try:
            return self._expression.search(plain)
        except jmespath.exceptions.JMESPathError:
            # A JMESPath function got a value of the wrong type.
            raise NotThere(self._path) from None


def _element(plain: Any, step: str, pointer: str) -> Any:
    if isinstance(plain, list) and step.isascii() and step.isdigit() and int(step) < len(plain):
        return plain[int(step)]
    raise NotThere(pointer)
