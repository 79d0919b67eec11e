from __future__ import annotations

import re
from pathlib import Path

import pytest

from anamorph.edits.blur import Blur
from anamorph.errors import UsageError
from anamorph.report.single_file import write_single_file
from tests.report.fixtures import HandmadeRun
from tests.report.test_pages import Page

EVIL = "</script><script>evil()</script><img src=x onerror=evil()>"


@pytest.fixture
def judged(run: HandmadeRun) -> HandmadeRun:
    scene = run.scene(EVIL, ("dog",))
    for number in range(6):
        run.case(scene, f"a dog, {EVIL}", f"a cat {number}", edits=(Blur(1.0 + number),))
    run.judge()
    return run


def test_the_file_holds_all_and_names_no_other_file(judged: HandmadeRun, tmp_path: Path) -> None:
    written = write_single_file(judged.store, judged.config, tmp_path / "new" / "report.html")
    assert (written.issues, written.all_issues) == (6, 6)
    assert written.pictures == written.all_pictures == 7
    assert written.bytes == written.path.stat().st_size
    page = Page(written.path)
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "object", "base")
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert tag != "script" or "src" not in attributes
        for name in ("src", "href"):
            address = attributes.get(name)
            assert not address or address.startswith(("#", "data:image/jpeg;base64,")), address
    chunks = [attributes["id"] for tag, attributes in page.elements if tag == "script" and "id" in attributes]
    assert [name for name in chunks if name and name.startswith("chunk-")] == [
        "chunk-index-0", "chunk-texts-0", "chunk-issues-0",
    ]  # fmt: skip


def test_hostile_texts_end_no_block_of_the_page(judged: HandmadeRun, tmp_path: Path) -> None:
    written = write_single_file(judged.store, judged.config, tmp_path / "report.html")
    page = Page(written.path)
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert sum("type" not in attributes for attributes in scripts) == 1, "only our own script is run"
    assert all(attributes.get("src") != "x" for _, attributes in page.elements)
    (policy,) = [attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes]
    assert policy is not None and "unsafe" not in policy and "'self'" not in policy
    assert re.match(
        r"default-src 'none'; script-src 'sha256-\S{44}'; style-src 'sha256-\S{44}'; img-src data:;", policy
    )


def test_what_does_not_fit_is_left_out_and_said(judged: HandmadeRun, tmp_path: Path) -> None:
    whole = write_single_file(judged.store, judged.config, tmp_path / "whole.html").bytes
    written = write_single_file(judged.store, judged.config, tmp_path / "report.html", most_bytes=whole - 1_500)
    assert written.bytes <= whole - 1_500
    assert written.pictures < written.all_pictures
    assert written.sentence in Page(written.path).text
    assert re.fullmatch(r"All 6 issues and \d of 7 pictures, at most 240 pixels .*", written.sentence)


def test_only_the_first_issues_are_taken_where_their_texts_are_too_long(run: HandmadeRun, tmp_path: Path) -> None:
    scene = run.scene("park")
    for number in range(60):
        run.case(scene, "a dog " * 200, f"a cat {number} " * 200, edits=(Blur(1.0 + number),), pictures=False)
    run.judge()
    written = write_single_file(run.store, run.config, tmp_path / "report.html", most_bytes=250_000)
    assert 0 < written.issues < 60 and written.bytes <= 250_000
    text = Page(written.path).text
    assert f"The first {written.issues} of 60 issues" in text and f"{written.issues} of 60" in text


def test_a_size_that_holds_not_even_the_page_is_refused(judged: HandmadeRun, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Choose a larger --max-size"):
        write_single_file(judged.store, judged.config, tmp_path / "report.html", most_bytes=10_000)
    assert list(tmp_path.glob("*report*")) == []


def test_only_an_earlier_report_is_replaced(judged: HandmadeRun, tmp_path: Path) -> None:
    mine = tmp_path / "notes.html"
    mine.write_text("<!doctype html>my notes")
    with pytest.raises(UsageError, match="is not a report of Anamorph"):
        write_single_file(judged.store, judged.config, mine)
    assert mine.read_text() == "<!doctype html>my notes"
    with pytest.raises(UsageError, match="is a folder"):
        write_single_file(judged.store, judged.config, tmp_path)
    first = write_single_file(judged.store, judged.config, tmp_path / "report.html").path.read_bytes()
    assert write_single_file(judged.store, judged.config, tmp_path / "report.html").path.read_bytes() == first
