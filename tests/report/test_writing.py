from __future__ import annotations

import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import anamorph.report.writing as writing
from anamorph.edits.blur import Blur
from anamorph.model import Answer, Case, Probe
from anamorph.relations.same_answer import SameAnswer
from anamorph.report import write_report
from anamorph.report.issues import read_issues
from anamorph.store.answers import AttemptResult, record_results
from anamorph.store.plans import PlanWriter
from anamorph.store.run import RunStore
from tests.report.fixtures import HandmadeRun


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def judged(run: HandmadeRun) -> HandmadeRun:
    scene = run.scene("park", ("dog",))
    run.case(scene, "a dog", "a cat")
    run.case(scene, "a dog", "a dog", question="?")
    run.judge()
    return run


def test_the_report_is_one_folder_with_all_that_it_shows(judged: HandmadeRun) -> None:
    report = judged.report()
    folder = report.index_html.parent
    assert {path.name for path in folder.iterdir()} == {
        "assets", "data", "figures", "images", "index.html", "issues.csv", "junit.xml", "leads.csv",
        "report.json", "report.schema.json", "tables",
    }  # fmt: skip
    (issue,) = json.loads(report.json.read_text(encoding="utf-8"))["issues"]
    shown = {probe["image"] for probe in issue["probes"]}
    kept = {str(path.relative_to(folder)) for path in (folder / "images").rglob("*.jpg")}
    assert shown == kept and len(kept) == 2


def test_writing_twice_gives_the_same_bytes(judged: HandmadeRun) -> None:
    first = contents(judged.report().json.parent)
    assert contents(judged.report().json.parent) == first


def test_a_report_that_fails_on_the_way_leaves_no_trace(judged: HandmadeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(judged.report().json.parent)

    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(writing, "write_junit", fail)
    with pytest.raises(OSError, match="no space"):
        judged.report()
    assert contents(judged.store.folder / "report") == before
    assert not list(judged.store.folder.glob(".report*"))


def test_a_run_opened_for_reading_only_has_a_report_too(judged: HandmadeRun, tmp_path: Path) -> None:
    with RunStore.open(judged.store.folder, read_only=True) as store:
        report = write_report(store, judged.config, tmp_path / "elsewhere")
    assert report.index_html == tmp_path / "elsewhere" / "index.html"
    assert report.index_html.is_file()


def test_a_run_that_goes_on_meanwhile_is_reported_as_it_was(
    judged: HandmadeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interfere(store: RunStore, *rest: object) -> object:
        other = sqlite3.connect(judged.store.folder / "run.sqlite")
        other.execute("UPDATE verdicts SET outcome = 'violated'")
        other.commit()
        other.close()
        return read_issues(store, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "read_issues", interfere)
    plain = json.loads(write_report(judged.store, judged.config, tmp_path / "report").json.read_text())
    assert plain["summary"]["counts"]["violated"] == len(plain["issues"]) == 1


def test_the_run_is_only_read(judged: HandmadeRun) -> None:
    before = list(judged.store.connection.iterdump())
    judged.report()
    assert list(judged.store.connection.iterdump()) == before
    assert not judged.store.connection.in_transaction


def test_memory_does_not_grow_with_the_number_of_issues(
    new_run: Callable[..., HandmadeRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pages smaller than the smaller run, so that a page is a page in both.
    monkeypatch.setattr("anamorph.report.gallery.ROWS_PER_CHUNK", 50)
    monkeypatch.setattr("anamorph.store.verdicts.PAGE", 50)
    peaks: list[int] = []
    for number in (200, 1000):
        run = new_run(f"run-{number}")
        plan_many(run, number)
        run.judge()
        if not peaks:
            run.report(run.store.folder / "warm-up")
        tracemalloc.start()
        run.report()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def plan_many(run: HandmadeRun, number: int) -> None:
    """One violated case per scene; answers are long enough that keeping them all would show."""
    for n in range(number):
        run.scene(f"scene {n}")
    writer = PlanWriter(run.store)
    for n in range(number):
        writer.add(Case("deeptest", Probe(f"scene {n}"), (Probe(f"scene {n}", (Blur(1),)),), SameAnswer()))
    writer.flush()
    ids = [id for (id,) in run.store.connection.execute("SELECT id FROM probes")]
    record_results(run.store, [AttemptResult(id, 0, Answer(text=f"{id} " * 300), "", 0.1, 1) for id in ids])


KILLED = """
import os, signal, sys
from pathlib import Path
import anamorph.report.writing as writing
from anamorph.config import Config, RunSettings
from anamorph.store.run import RunStore

writing.write_junit = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
run = Path(sys.argv[1])
writing.write_report(RunStore.open(run, read_only=True), Config({}, RunSettings(), ()), run / "report")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_a_writer_that_is_killed_leaves_no_report_that_looks_whole(judged: HandmadeRun) -> None:
    folder = judged.store.folder
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (folder / "report").exists()
    assert [path.suffix for path in folder.glob(".report.*")] == [".partial"]
    assert judged.report().index_html.is_file()
