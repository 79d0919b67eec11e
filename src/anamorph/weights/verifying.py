"""Whether the known weights are here, and are what they should be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from anamorph.weights.files import is_here, place_of
from anamorph.weights.records import Weights

State: TypeAlias = Literal["missing", "verified", "unverifiable", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is where some known weights belong."""

    weights: Weights
    place: Path
    state: State
    note: str = ""


def finding(weights: Weights) -> Finding:
    """Read what is where the weights belong; a file is always read anew, since damage need not change its date."""
    place = place_of(weights)
    if not is_here(weights):
        return Finding(weights, place, "missing")
    if weights.sha256 is None:
        return Finding(weights, place, "unverifiable", "no sha256 of it is published")
    with place.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    if sha256 == weights.sha256:
        return Finding(weights, place, "verified")
    for other, note in weights.also:
        if sha256 == other:
            return Finding(weights, place, "verified", note)
    size = place.stat().st_size
    return Finding(weights, place, "wrong", f"sha256 {sha256[:12]}… of {size:,} bytes, not {weights.sha256[:12]}…")
