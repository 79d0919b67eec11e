from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import FetchError
from anamorph.weights.fetching.staging import save_verified, staging_folder
from tests.weights.packing import CONTENT, sha256
from tests.weights.surroundings import left_in

PLACE = "tiny.onnx"


def landed(models: Path, chunks: Iterable[bytes], content: bytes = CONTENT) -> list[int]:
    told: list[int] = []
    with staging_folder(models) as bench:
        save_verified(chunks, bench, models / PLACE, len(content), sha256(content), told.append)
    return told


def test_what_is_right_takes_its_place_and_nothing_else_stays(models: Path) -> None:
    assert landed(models, [CONTENT[:1000], CONTENT[1000:]]) == [1000, len(CONTENT)]
    assert (models / PLACE).read_bytes() == CONTENT
    assert left_in(models) == [PLACE]
    assert (models / PLACE).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("chunks", "complaint"),
    [
        ([CONTENT[:-1] + b"?"], "its sha256 is [0-9a-f]{64} instead of"),
        ([CONTENT[:-1]], "has 204,799 bytes instead of 204,800"),
        ([CONTENT, b"more"], "larger than the 204,800 bytes"),
        ([], "has 0 bytes"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_left(models: Path, chunks: list[bytes], complaint: str) -> None:
    with pytest.raises(FetchError, match=complaint):
        landed(models, chunks)
    assert left_in(models) == []


def test_what_was_there_stays_when_something_wrong_comes(models: Path) -> None:
    landed(models, [CONTENT])
    with pytest.raises(FetchError):
        landed(models, [b"x" * len(CONTENT)])
    assert (models / PLACE).read_bytes() == CONTENT


def test_more_than_is_wanted_is_never_written() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 1000

    with tempfile.TemporaryDirectory() as folder, pytest.raises(FetchError, match="larger"):
        save_verified(endless(), Path(folder), Path(folder) / PLACE, 2500, "", lambda done: None)
    assert taken == 3


def test_an_interruption_leaves_nothing(models: Path) -> None:
    def interrupted() -> Iterator[bytes]:
        yield CONTENT[:1000]
        assert any((models / name / "arriving").is_file() for name in left_in(models))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        landed(models, interrupted())
    assert left_in(models) == []


def test_what_a_killed_process_left_goes_with_the_next_one(models: Path) -> None:
    left = models / ".getting-abandoned"
    left.mkdir(parents=True)
    (left / "arriving").write_bytes(b"half")
    landed(models, [CONTENT])
    assert left_in(models) == [PLACE]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_how_the_bytes_are_cut_does_not_matter(content: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(content)) for cut in cuts), len(content)]
    with tempfile.TemporaryDirectory() as folder:
        chunks = [content[a:b] for a, b in itertools.pairwise(edges)]
        save_verified(chunks, Path(folder), Path(folder) / PLACE, len(content), sha256(content), lambda done: None)
        assert (Path(folder) / PLACE).read_bytes() == content
