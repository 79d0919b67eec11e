"""Reads entries of annotation files; a Flaw describes the error in one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from anamorph.errors import BadPicture
from anamorph.model import Thing
from anamorph.photos.files import shown


class Flaw(ValueError):
    """The problem with one entry of an annotation, as a sentence."""


def table(value: Any, what: str) -> Mapping[str, Any]:
    """The entry as a JSON object."""
    if not isinstance(value, dict):
        raise Flaw(f"{what} should be an object with keys, not {brief(value)}.")
    return value


def required(entry: Mapping[str, Any], key: str) -> Any:
    """The value of a required key."""
    if entry.get(key) is None:
        raise Flaw(f"The key {key!r} is missing.")
    return entry[key]


def identity(entry: Mapping[str, Any], key: str = "id") -> str:
    """An id, a number or a string in files, as a string."""
    value = required(entry, key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return words(value, key)
    raise Flaw(f"{key!r} should be a whole number or a string, not {brief(value)}.")


def words(value: Any, what: str) -> str:
    """A string that is not blank, stripped."""
    if not isinstance(value, str) or not value.strip():
        raise Flaw(f"{what!r} should be a string, not {brief(value)}.")
    if not is_whole_text(value):
        raise Flaw(f"{what!r} has a lone surrogate: {brief(value)}.")
    return value.strip()


def is_whole_text(value: Any) -> bool:
    """Whether a value is a string without lone surrogates, which JSON may have but cannot be stored."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def number(value: Any, what: str) -> float:
    """A finite number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:
            pass
    raise Flaw(f"{what!r} should be a finite number, not {brief(value)}.")


def numbers(value: Any, what: str, count: int) -> list[float]:
    """A list of exactly `count` finite numbers."""
    if not isinstance(value, list) or len(value) != count:
        raise Flaw(f"{what!r} should be a list of {count} numbers, not {brief(value)}.")
    return [number(item, what) for item in value]


def agree_on_size(actual: tuple[int, int], stated: tuple[Any, Any], photo: str) -> None:
    """Refuse a photo whose upright size differs from the stated one (None: unknown): boxes and masks would be off."""
    if any(mine != theirs for mine, theirs in zip(actual, stated, strict=True) if theirs is not None):
        hint = " (turned by its EXIF orientation)" if tuple(reversed(actual)) == stated else ""
        raise BadPicture(
            f"{shown(photo)} is {actual[0]} x {actual[1]} when upright{hint}, but its annotation says "
            f"{brief(stated[0])} x {brief(stated[1])}, so boxes and masks would not fit."
        )


def class_names(things: Iterable[Thing]) -> tuple[str, ...]:
    """The distinct class names of things, sorted, without crowds."""
    return tuple(sorted({thing.label for thing in things if not thing.crowd}))


def brief(value: Any) -> str:
    """A value for a one-line message."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number that is too large"
    text = repr(value)
    return shown(text if len(text) <= 60 else text[:57] + "...")
