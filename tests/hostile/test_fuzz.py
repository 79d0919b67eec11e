"""A few of the inputs of `make fuzz`, and that nothing which reads foreign bytes is missing from it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from anamorph import catalog
from anamorph.errors import AnamorphError
from tests.hostile.fuzz import crash_of
from tests.hostile.parsers import PAGES, ROWS, Parser, all_parsers, methods_with_rows, web_searchers
from tests.systems.faults import services

INPUTS = 60
# One that leaves nothing of an input to chance: what crashed before, by parser and content.
CRASHED = {
    "offline rows": b'{"id": 1, "method": "rome", "x": ' + b"9" * 6000 + b"}\n",
    "offline table": b'id,method\rancestor"\n',
    "label space": b'{"name": ' + b"9" * 6000 + b"}",
    "label space in TOML": b"labels = " + b"[" * 20_000,
    "offline table with tabs": b"id\tmethod\tgenerated\tobjects\n1\tspolre\ta dog\tdog=" + b"9" * 6000 + b"\n",
    "votes": b"[" * 200_000,
    "corrected captions": b"[" * 200_000,
    "reply of rekognition": b'{"Labels": [{"Name": "dog", "Confidence": 1' + b"0" * 400 + b"}]}",
    "pool": b"[" * 200_000,
    "TOML": b"seed = " + b"9" * 6000,
}


@pytest.fixture(scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Parser]]:
    with all_parsers(tmp_path_factory.mktemp("parsers")) as found:
        yield found


def test_everything_of_the_catalogue_that_reads_foreign_bytes_is_fuzzed(parsers: list[Parser]) -> None:
    names = {parser.name for parser in parsers}
    assert set(catalog.CATALOG["scenes"]) - {"toybox"} <= names
    assert {f"reply of {service.name}" for service in services()} <= names
    assert web_searchers() == set(PAGES)
    assert methods_with_rows() == set(ROWS) - {""}


def test_no_damaged_input_crashes_its_parser(parsers: list[Parser]) -> None:
    for parser in parsers:
        for number in range(INPUTS):
            crash = crash_of(parser, f"suite:{number}")
            assert crash is None, (parser.name, number, crash)


@pytest.mark.parametrize("name", CRASHED)
def test_what_crashed_before_does_not(parsers: list[Parser], name: str) -> None:
    (parser,) = (parser for parser in parsers if parser.name == name)
    again = Parser(name, lambda rng: CRASHED[name], parser.read)
    assert crash_of(again, "") is None


def test_many_damaged_inputs_are_still_read(parsers: list[Parser]) -> None:
    """A parser that refused everything would never crash."""
    for parser in parsers:
        assert any(_is_read(parser, number) for number in range(200)), parser.name


def _is_read(parser: Parser, number: int) -> bool:
    try:
        parser.read(parser.make(Random(number)))
    except AnamorphError:
        return False
    return True
