"""`anamorph review` as a process: its address, its end, and what it refuses."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from anamorph.store.marks import Mark, read_marks
from anamorph.studies.sessions import session
from tests.hostile.commands import run_command
from tests.report.fixtures import HandmadeRun, new_run as new_run, run as run


@pytest.fixture
def reviewed(run: HandmadeRun) -> Path:
    run.scene("street", ("dog",))
    run.case("street", "a dog", "a cat")
    run.judge()
    return run.store.folder


def test_a_review_ends_well_with_ctrl_c_and_its_marks_are_in_the_run(reviewed: Path) -> None:
    command = [sys.executable, "-m", "anamorph.cli.main", "review", str(reviewed), "--port", "0", "--reviewer", "ann"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        first = process.stdout.readline().strip()
        assert first == f"1 issue, 0 marked by ann. Marks go to {reviewed / 'marks.jsonl'}"
        address = urlsplit(process.stdout.readline().removeprefix("Open ").strip())
        assert address.hostname == "127.0.0.1"
        connection = http.client.HTTPConnection(address.netloc, timeout=60)
        cookie = _asked(connection, "GET", f"{address.path}?{address.query}", {}).headers["set-cookie"]
        headers = {"Cookie": cookie, "Origin": f"http://{address.netloc}", "Content-Type": "application/json"}
        replied = _asked(connection, "POST", f"{address.path}items/1", headers, json.dumps({"verdict": "right"}))
        assert replied.status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait() == 0
    assert rest.splitlines()[-1] == f"1 of 1 marked: {reviewed / 'marks.jsonl'}"
    assert [line.verdict for line in read_marks(reviewed / "marks.jsonl") if isinstance(line, Mark)] == ["right"]


def _asked(
    connection: http.client.HTTPConnection, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> http.client.HTTPResponse:
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    reply.read()
    return reply


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{run}", "{run}"], "Name it with --marks FILE.jsonl."),
        (["nowhere"], "is not a run"),
        (["{run}", "--marks", "{run}"], "is a directory"),
        (["{run}", "--marks", "{run}/run.sqlite"], "line 1: is not JSON"),
        (["{run}", "--reviewer", " "], "expected a name of 1 to 200 printable characters"),
        (["{run}", "--only", "grade=sure"], "--only grade=sure: unknown grade. Known: contradiction"),
        (["{run}", "--only", "dogs"], "--only dogs: expected unmarked, leads, method=NAME"),
        (["{run}", "--sample", "0"], "'0' is not a number of items"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_served(reviewed: Path, words: list[str], said: str) -> None:
    ended = run_command("review", *(word.format(run=reviewed) for word in words), "--port", "0")
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_a_folder_that_has_no_run_is_not_made(tmp_path: Path) -> None:
    ended = run_command("review", str(tmp_path / "nowhere"), "--port", "0")
    assert ended.code == 2 and "is not a run" in ended.err
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_library_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "find_spec", lambda name: None)
    with pytest.raises(Exception, match=r"pip install 'anamorph\[review\]'"):
        session.check_installed("anamorph review")
