"""Hostile inputs, from a seed: odd values in the place of good ones, and bytes that were damaged on the way."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Iterator
from random import Random
from typing import Any

DEEP: list[Any] = []
for _ in range(200):
    DEEP = [DEEP]

# What no setting and no annotation expects, and some that are nearly right.
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    -(2**70),
    10**400,
    16**5000,
    0.0,
    -0.0,
    1e308,
    5e-324,
    float("inf"),
    float("nan"),
    "",
    " ",
    "\0",
    "a" * 70_000,
    "\ud800",
    "\u202e\x1b[31m",
    "../../etc/passwd",
    "/dev/zero",
    "${HOME}",
    "nan",
    [],
    [[]],
    [None],
    [1, "a", {}],
    {},
    {"kind": 1},
    {"kind": "nothing"},
    {"": {"": {}}},
    DEEP,
    datetime.date(2020, 2, 2),
    datetime.datetime(2020, 2, 2, 2, 2, 2),
    datetime.time(2, 2, 2),
)

# Bytes that parsers stumble over.
_ODD_BYTES = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"9" * 5000,
    b"[" * 3000,
    b'{"a":' * 3000,
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"&b;",
    b"\r\n\r\n",
    b"\xef\xbb\xbf",
    b"null",
    b'"',
    b"}",
    b"]",
    b"-",
    b"\x1b[2J",
)


def damaged(content: bytes, rng: Random) -> bytes:
    """The content after one to four accidents: cut, repeated, swapped, flipped, or with something odd in it."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice((1, 1, 4, 16, 200)))
        accident = rng.randrange(7)
        if accident == 0:
            content = content[:start]
        elif accident == 1:
            content = content[:start] + content[end:]
        elif accident == 2:
            content = content[:end] + content[start:end] * rng.choice((1, 2, 50)) + content[end:]
        elif accident == 3:
            content = content[:start] + rng.choice(_ODD_BYTES) + content[end:]
        elif accident == 4:
            content = content[:start] + rng.choice(_ODD_BYTES) + content[start:]
        elif accident == 5:
            content = content[:start] + rng.randbytes(end - start) + content[end:]
        elif content:
            at = rng.randrange(len(content))
            content = content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    return content


def places(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside plain data, not into the deepest."""
    if len(path) > 20:
        return
    items = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def with_odd_value(plain: Any, rng: Random) -> Any:
    """Plain data with an odd value in one place, or without that place."""
    spots = list(places(plain))
    if not spots:
        return rng.choice(ODD_VALUES)
    changed = copy.deepcopy(plain)
    *way, last = rng.choice(spots)
    inner = changed
    for step in way:
        inner = inner[step]
    if rng.random() < 0.15:
        del inner[last]
    else:
        inner[last] = copy.deepcopy(rng.choice(ODD_VALUES))
    return changed


def odd_json(plain: Any, rng: Random) -> bytes:
    """JSON text with odd values or with damaged bytes; what JSON cannot hold is written as a text."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        plain = with_odd_value(plain, rng)
    try:
        content = json.dumps(plain, default=str).encode("utf-8", "surrogatepass")
    except ValueError:
        # Python writes no number of thousands of digits.
        content = (
            json.dumps(_shown(plain), default=str).encode("utf-8", "surrogatepass").replace(b'"HUGE"', b"9" * 6000)
        )
    return damaged(content, rng) if rng.random() < 0.3 else content


def _shown(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _shown(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_shown(value) for value in plain]
    return "HUGE" if type(plain) is int and abs(plain) > 10**4000 else plain
