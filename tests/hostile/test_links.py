"""Links in a folder that somebody else filled: nothing is ever written through one."""

from __future__ import annotations

import ast
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.engine.requests import RequestFiles
from anamorph.errors import BadPicture, UsageError
from anamorph.pools.folder import write_cutout
from anamorph.report import write_report
from anamorph.report.single_file import write_single_file
from anamorph.scenes.collection.manifest import LineFile, write_image
from anamorph.store.images import ImageFolder, name_of
from anamorph.store.json_lines import append_line, check_writable
from anamorph.store.own_files import open_own, write_own
from anamorph.store.run import RunStore
from anamorph.studies.review.issues import ReviewChoice, open_review
from tests.cli.command_line import anamorph
from tests.conftest import ROOT

KEY = b"-----BEGIN OPENSSH PRIVATE KEY-----\nwithout a line end"


@pytest.fixture(params=["a file", "nothing"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Where a link leads: to a file that must stay as it is, or to a place where none may appear."""
    there = tmp_path / "elsewhere" / "id_ed25519"
    there.parent.mkdir()
    if request.param == "a file":
        there.write_bytes(KEY)
    yield there
    assert (there.read_bytes() if there.exists() else KEY) == KEY
    assert there.exists() == (request.param == "a file")


WRITERS: dict[str, Callable[[Path], object]] = {
    "lines": lambda path: append_line(path, {"a": 1}),
    "a look whether lines can be added": check_writable,
    "requests": lambda path: RequestFiles(path, None, None).__enter__(),
    "a collection": lambda path: LineFile(path).add({"a": 1}),
    "a file as a whole": lambda path: write_own(path, b"new"),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
def test_a_file_that_is_a_link_is_refused(tmp_path: Path, target: Path, write: Callable[[Path], object]) -> None:
    link = tmp_path / "marks.jsonl"
    link.symlink_to(target)
    with pytest.raises(UsageError, match=r"marks.jsonl: is a link, and nothing is written through links"):
        write(link)


@pytest.mark.parametrize(
    "name", ["run.lock", "run.sqlite", "run.sqlite-wal", "run.sqlite-shm", "images", "images/ab", "own-pool"]
)
def test_a_run_with_a_link_where_it_writes_is_not_gone_on_with(tmp_path: Path, target: Path, name: str) -> None:
    run = tmp_path / "run"
    RunStore.create(run, {}).close()
    link = run / name
    link.parent.mkdir(exist_ok=True)
    if name == "run.sqlite":
        link.rename(run / "moved.sqlite")
    link.unlink(missing_ok=True)
    link.symlink_to(run / "moved.sqlite" if name == "run.sqlite" else target)
    with pytest.raises(UsageError, match=f"{name}: is a link"):
        RunStore.open(run)


def test_a_new_run_is_not_begun_where_its_lock_is_a_link(tmp_path: Path, target: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.lock").symlink_to(target)
    with pytest.raises(UsageError, match=r"run.lock: is a link"):
        RunStore.create(tmp_path / "run", {})


def test_a_review_does_not_begin_with_marks_that_are_a_link(tmp_path: Path, target: Path) -> None:
    RunStore.create(tmp_path / "run", {}).close()
    marks = tmp_path / "run" / "marks.jsonl"
    marks.symlink_to(target)
    with pytest.raises(UsageError, match=r"marks.jsonl: is a link"):
        open_review([tmp_path / "run"], marks, "ann", ReviewChoice(), print)


def test_a_draft_of_an_image_that_is_a_link_is_replaced(tmp_path: Path, target: Path) -> None:
    folder, content = ImageFolder(tmp_path / "images"), b"an image"
    name = name_of(content, ".jpg")
    (folder.root / name[:2]).mkdir(parents=True)
    (folder.root / f".{name}.{os.getpid()}.{threading.get_ident()}").symlink_to(target)
    assert folder.write(content, ".jpg") == name
    assert (folder.root / name[:2] / name).read_bytes() == content


def test_a_draft_of_a_collected_photo_that_is_a_link_is_refused(tmp_path: Path, target: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / ".a.jpg.new").symlink_to(target)
    with pytest.raises(UsageError, match="is a link"):
        write_image(tmp_path, "images/a.jpg", b"a photo")


def test_a_cutout_is_not_written_through_a_link(tmp_path: Path, target: Path) -> None:
    import numpy as np

    pixels = np.zeros((4, 4, 4), np.uint8)
    (tmp_path / "first").mkdir()
    _, name, _ = write_cutout(tmp_path / "first", pixels, "cat")
    (tmp_path / name).symlink_to(target)
    with pytest.raises(UsageError, match="is a link"):
        write_cutout(tmp_path, pixels, "cat")


def test_a_report_is_not_written_through_a_link_in_the_folder_of_its_run(tmp_path: Path, target: Path) -> None:
    run = tmp_path / "run"
    with RunStore.create(run, {}) as store:
        (run / "report").symlink_to(target)
        with pytest.raises(UsageError, match=r"report: is a link"):
            write_report(store, resolve({}), run / "report")


def test_a_log_is_not_written_through_a_link(tmp_path: Path, target: Path) -> None:
    (tmp_path / "log.jsonl").symlink_to(target)
    done = anamorph("run", "-s", "toybox:count=1", "-y", "toybox:captioner", "--log", "log.jsonl", cwd=tmp_path)
    assert done.returncode == 2 and "log.jsonl: is a link" in done.stderr


def test_a_pipe_in_place_of_what_is_read_is_not_waited_for(tmp_path: Path) -> None:
    images, content = ImageFolder(tmp_path / "images"), b"an image"
    name = images.write(content, ".jpg")
    images.path(name).unlink()
    os.mkfifo(images.path(name))
    with pytest.raises(BadPicture, match="is not a regular file"):
        images.pixels(name)
    assert not images.is_sound(name) and images.write(content, ".jpg") == name and images.is_sound(name)
    with RunStore.create(tmp_path / "run", {}) as store:
        (tmp_path / "run" / "report").mkdir()
        os.mkfifo(tmp_path / "run" / "report" / "report.json")
        with pytest.raises(UsageError, match="holds no report"):
            write_report(store, resolve({}), tmp_path / "run" / "report")
        os.mkfifo(tmp_path / "run" / "report.html")
        with pytest.raises(UsageError, match="is not a report"):
            write_single_file(store, resolve({}), tmp_path / "run" / "report.html")


def test_a_file_with_another_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "marks.jsonl").hardlink_to(tmp_path / "key")
    with pytest.raises(UsageError, match="has another name"):
        append_line(tmp_path / "marks.jsonl", {"a": 1})
    assert (tmp_path / "key").read_bytes() == KEY


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "marks.jsonl")
    with pytest.raises(UsageError, match="is not a regular file"):
        append_line(tmp_path / "marks.jsonl", {"a": 1})


@pytest.mark.parametrize(("purpose", "left"), [("append", b"old.new"), ("anew", b".new"), ("update", b".new")])
def test_what_is_there_stays_or_goes_as_it_was_said(tmp_path: Path, purpose: str, left: bytes) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with open_own(tmp_path / "file", purpose) as file:  # type: ignore[arg-type]
        file.write(b".new")
    assert (tmp_path / "file").read_bytes() == left


# What is written here goes into a folder that is new and has a random name, or to a place that the user named.
ELSEWHERE = {
    "engine/ray/freight.py": "the cache of a node",
    "engine/ray/replica.py": "a temporary folder",
    "engine/render/processes.py": "a pipe",
    "studies/metrics/java.py": "a temporary folder",
    "studies/calibrate/files.py": "--out",
    "studies/compare/files.py": "a new folder",
    "studies/diversity/files.py": "--out",
    "studies/explain/explainer.py": "a temporary folder",
    "studies/label_errors/files.py": "--out",
    "studies/label_errors/page.py": "--out",
    "studies/relevance/files.py": "--out",
    "studies/study/study.py": "--out, where nothing may be yet",
    "studies/export/fiftyone.py": "a new folder",
    "studies/export/files.py": "a new folder",
}


def test_nothing_else_writes_into_a_run_folder() -> None:
    package = ROOT / "src" / "anamorph"
    writers = {
        str(path.relative_to(package))
        for room in ("store", "engine", "studies")
        for path in (package / room).rglob("*.py")
        if any(_writes(node) for node in ast.walk(ast.parse(path.read_text())))
    }
    assert writers <= set(ELSEWHERE), "use open_own (store/own_files.py)"


def _writes(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    modes = [each.value for each in node.args[:1] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    opens = node.func.attr == "open" and any(set(mode) & set("wax+") and set(mode) <= set("wrabxt+") for mode in modes)
    return opens or node.func.attr in ("write_text", "write_bytes")
