from __future__ import annotations

import re
from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.errors import UnknownName
from anamorph.weights.fetching.fetch import with_companions
from anamorph.weights.files import sha256_of
from anamorph.weights.known import KNOWN, find
from anamorph.weights.records import SOURCE_KINDS, HubFile, PackagedFile, Weights
from tests.conftest import ROOT

EACH = pytest.mark.parametrize("weights", KNOWN.values(), ids=lambda weights: weights.name)


@EACH
def test_what_has_a_source_has_a_size_and_a_digest_and_the_rest_says_what_to_download(weights: Weights) -> None:
    if weights.sources:
        assert weights.bytes and re.fullmatch("[0-9a-f]{64}", weights.sha256 or "")
    else:
        assert weights.by_hand and weights.sha256 is None
    for other, note in weights.also:
        assert re.fullmatch("[0-9a-f]{64}", other) and note


@EACH
def test_sources_are_in_order_and_addressed_exactly(weights: Weights) -> None:
    kinds = [SOURCE_KINDS.index(source.kind) for source in weights.sources]
    assert kinds == sorted(kinds)
    for source in weights.sources:
        if isinstance(source, HubFile):
            assert source.url.startswith("https://") and "/main/" not in source.url
        if isinstance(source, PackagedFile):
            assert re.fullmatch("[0-9a-f]{64}", source.archive_sha256) and source.archive_bytes
            assert ".." not in source.member and not source.member.startswith("/")


@EACH
def test_a_licence_that_asks_something_says_what(weights: Weights) -> None:
    assert bool(weights.terms) == (weights.licence not in ("MIT", "Apache-2.0"))


def test_no_two_share_a_file() -> None:
    assert len({weights.file for weights in KNOWN.values()}) == len(KNOWN)
    assert all("/" not in weights.file and not weights.file.startswith(".") for weights in KNOWN.values())


def test_an_unknown_name_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(UnknownName, match=r"Unknown weights 'yolo11-seg'\. Did you mean 'yolo11n-seg'"):
        find("yolo11-seg")


def test_weights_come_with_what_they_are_of_no_use_without() -> None:
    names = [each.name for each in with_companions(["ssd-mobilenetv2", "migan", "migan"])]
    assert names == ["ssd-mobilenetv2", "ssd-mobilenetv2-graph", "migan"]


@EACH
def test_the_page_on_models_has_each_with_its_licence_size_and_digest(weights: Weights) -> None:
    page = (ROOT / "docs/models.md").read_text()
    table = page.partition("## What is known")[2].partition("\n\n**Licenses**")[0]
    (row,) = (line for line in table.splitlines() if line.startswith(f"| `{weights.name}` |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    size = f"{weights.bytes:,}" if weights.bytes else "unknown"
    digest = f"`{weights.sha256[:16]}…`" if weights.sha256 else "none published"
    kinds = ", ".join(source.kind for source in weights.sources) or "by hand"
    assert cells == [f"`{weights.name}`", weights.task, weights.licence, size, digest, kinds]
    for source in weights.sources:
        if isinstance(source, PackagedFile):
            assert f"`{source.package}` {source.version}" in page


def test_the_real_files_are_the_known_ones(shared: Path) -> None:
    for name in ("migan", "efficientdet-lite0"):
        file = shared / "models" / KNOWN[name].file
        assert (sha256_of(file), file.stat().st_size) == (KNOWN[name].sha256, KNOWN[name].bytes)
    for name in ("yolo11n-seg", "yolox-nano"):
        assert sha256_of(shared / "models" / KNOWN[name].file) in dict(KNOWN[name].also)


@EACH
def test_the_parts_that_use_them_exist(weights: Weights) -> None:
    for clause in weights.used_by.partition(", with ")[0].split("; "):
        match = re.fullmatch(r"the (system|segmenter|inpainter)s? (.+)", clause)
        assert match, clause
        for name in re.split(", | and ", match[2]):
            assert name in catalog.CATALOG[f"{match[1]}s"], name
