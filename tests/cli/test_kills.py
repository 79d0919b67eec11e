"""Real processes, really killed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamorph.store.run import RunStore

# Notes every question before it answers, so that the test knows what was asked, and answers from the pixels alone; it
# takes its time while there is a file LOG.slow.
SYSTEM = """
import json, sys, time
from pathlib import Path
import numpy as np
from PIL import Image
log = open(sys.argv[1], "a")
slow = Path(sys.argv[1] + ".slow")
for line in sys.stdin:
    request = json.loads(line)
    log.write(request["id"] + "\\n")
    log.flush()
    time.sleep(0.25 if slow.exists() else 0.004)
    mean = int(np.asarray(Image.open(request["image"])).mean())
    print(json.dumps({"id": request["id"], "text": f"{mean // 8 + 2} dogs"}), flush=True)
"""
BATCH = 4


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "anamorph.cli.main", *map(str, words)]


@pytest.fixture(autouse=True)
def minds_hang_ups() -> Iterator[None]:
    """Processes that are started here mind a hang-up, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def system(tmp_path: Path) -> Callable[[str], str]:
    script = tmp_path / "system.py"
    script.write_text(SYSTEM)
    return lambda log: f"command:{sys.executable} {script} {tmp_path / log}"


def verdicts(folder: Path) -> list[tuple[str, str, str]]:
    with RunStore.open(folder, read_only=True) as store:
        return sorted(
            store.connection.execute(
                'SELECT hex(c.digest), v.outcome, v.body FROM cases c JOIN verdicts v ON v."case" = c.id'
            ).fetchall()
        )


def answers(folder: Path) -> list[tuple[str, str]]:
    with RunStore.open(folder, read_only=True) as store:
        rows = store.connection.execute("SELECT hex(p.digest), a.text FROM probes p JOIN answers a ON a.probe = p.id")
        return sorted(rows.fetchall())


def flags(photos: Path, system: str, out: Path) -> list[object]:
    scenes = f"folder:{photos}"
    return [
        "-m",
        "deeptest",
        "-s",
        scenes,
        "-y",
        system,
        "-o",
        out,
        "--set",
        f"ask.batch={BATCH}",
        "--set",
        "deeptest.brightness=[0.8,0.6]",
    ]


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_ends_like_one_that_was_not(
    tmp_path: Path, photos: Callable[..., Path], system: Callable[[str], str]
) -> None:
    folder = photos(60)
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    done = subprocess.run(
        command("run", *flags(folder, system("whole.log"), whole), "--json"), capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["answers"] == 360

    log = tmp_path / "torn.log"
    kills = 0
    # From before the first line of Python until shortly before the last answer. The first lives end after a time, where
    # they are in the work is all the same; the others once that many questions were asked.
    for seconds, questions in [(0.15, 1), (0.3, 1), (0.5, 1), *((300, count) for count in range(1, 300, 27))]:
        words: list[object] = ["resume", torn]
        if not has_begun(torn):
            words = ["run", *flags(folder, system("torn.log"), torn)]
        process = subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + seconds
        while time.monotonic() < until and len(asked_ids(log)) < questions and process.poll() is None:
            time.sleep(0.005)
        if process.poll() is not None:
            # This test was not given the processor for as long as it takes to answer the rest.
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    assert kills >= 4
    assert subprocess.run(command("resume", torn), capture_output=True).returncode == 1
    assert verdicts(torn) == verdicts(whole)
    assert answers(torn) == answers(whole)

    asked = Counter(asked_ids(log))
    assert len(asked) == 360
    again = sum(count - 1 for count in asked.values())
    # At a kill: one batch with the system, and one that it answered but that was not committed yet.
    assert again <= kills * 2 * BATCH
    assert max(asked.values()) <= 1 + kills


def asked_ids(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def has_begun(folder: Path) -> bool:
    """Whether the configuration was committed; before that there is nothing to resume."""
    try:
        with RunStore.open(folder, read_only=True) as store:
            return store.fact("config") is not None
    except Exception:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_run_that_is_asked_to_stop_keeps_what_is_there_says_how_to_go_on_and_goes_on(
    tmp_path: Path, photos: Callable[..., Path], system: Callable[[str], str], number: signal.Signals
) -> None:
    out, log, slow = tmp_path / "run", tmp_path / "asked.log", tmp_path / "asked.log.slow"
    slow.touch()
    process = subprocess.Popen(
        command("run", *flags(photos(60), system("asked.log"), out)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 120
    while time.monotonic() < until and len(asked_ids(log)) <= 3 * BATCH:
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    slow.unlink()
    assert process.returncode == 128 + number
    assert f"Nothing is lost: continue with `anamorph resume {out}`" in said
    assert number is signal.SIGINT or f"Stopped by {number.name}." in said
    assert 0 < len(answers(out)) < 360
    assert subprocess.run(command("resume", out), capture_output=True).returncode == 1
    asked = Counter(asked_ids(log))
    # What was with the system came in before the end, so only what the system was given after the signal is lost.
    assert len(asked) == 360 and sum(asked.values()) - 360 <= 2 * BATCH


@pytest.mark.slow
def test_a_run_whose_terminal_is_closed_keeps_what_is_there(
    tmp_path: Path, photos: Callable[..., Path], system: Callable[[str], str]
) -> None:
    import pty

    out, log, slow = tmp_path / "run", tmp_path / "asked.log", tmp_path / "asked.log.slow"
    slow.touch()
    ours, theirs = pty.openpty()
    # The live display is on: with the terminal gone, writing to it fails.
    process = subprocess.Popen(
        command("run", *flags(photos(60), system("asked.log"), out)),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    until = time.monotonic() + 120
    while time.monotonic() < until and len(asked_ids(log)) <= 3 * BATCH:
        select.select([ours], [], [], 0.02)[0] and os.read(ours, 65536)
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) == 128 + signal.SIGHUP
    slow.unlink()
    assert 0 < len(answers(out)) < 360


@pytest.mark.slow
def test_a_hang_up_that_the_caller_ignores_stays_ignored(tmp_path: Path, photos: Callable[..., Path]) -> None:
    script = tmp_path / "patient.py"
    script.write_text(f"import signal, os\nopen({str(tmp_path / 'up')!r}, 'w')\n" + SYSTEM)
    out = tmp_path / "run"
    words = command("run", *flags(photos(3), f"command:{sys.executable} {script} {tmp_path / 'log'}", out))
    process = subprocess.Popen(["nohup", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while time.monotonic() < until and not (tmp_path / "up").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) in (0, 1)
