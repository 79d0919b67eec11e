from __future__ import annotations

import os
from pathlib import Path

from anamorph.weights.files import place_of
from anamorph.weights.verifying import finding
from tests.weights.packing import CONTENT, sha256, weights


def test_a_file_is_missing_right_or_wrong(models: Path) -> None:
    tiny = weights(also=((sha256(b"raw"), "without NMS"),))
    assert finding(tiny).state == "missing"
    models.mkdir()
    for content, state, note in (
        (CONTENT, "verified", ""),
        (b"raw", "verified", "without NMS"),
        (CONTENT[:-1], "wrong", "of 204,799 bytes, not"),
    ):
        place_of(tiny).write_bytes(content)
        found = finding(tiny)
        assert found.state == state and note in found.note


def test_damage_that_keeps_size_and_date_is_found(models: Path) -> None:
    tiny = weights()
    models.mkdir()
    place_of(tiny).write_bytes(CONTENT)
    before = place_of(tiny).stat()
    assert finding(tiny).state == "verified"
    place_of(tiny).write_bytes(CONTENT[:-1] + b"?")
    os.utime(place_of(tiny), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert finding(tiny).state == "wrong"


def test_what_has_no_published_digest_cannot_be_verified(models: Path) -> None:
    folder = weights(bytes=None, sha256=None, by_hand="x", is_folder=True)
    place_of(folder).mkdir(parents=True)
    assert finding(folder).state == "unverifiable"
