"""Digests of records by their content alone."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from anamorph.model.codec import encode

DIGEST_BYTES = 16


# Escaped to ASCII: a lone surrogate, which JSON may carry, can then be stored and hashed like anything else.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_json(plain: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII only."""
    return _ENCODER.encode(plain)


def digest_of(record: Any) -> str:
    """A digest of a record or of plain data, as 32 hexadecimal digits."""
    return digest_of_text(canonical_json(encode(record)))


def digest_of_text(text: str) -> str:
    """A digest of text, lone surrogates included."""
    return digest_of_bytes(text.encode("utf-8", "surrogatepass"))


def digest_of_bytes(content: bytes | memoryview) -> str:
    """A digest of raw content, as 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
