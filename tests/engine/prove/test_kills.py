"""Runs that are killed while they prove something lose nothing, and end as if nobody had killed them."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

SYSTEM = """
import hashlib


def answer(images, questions):
    replies = []
    for image, question in zip(images, questions):
        number = int(hashlib.sha256(image.tobytes() + (question or "").encode()).hexdigest(), 16)
        caption = "A dog, a person and a car." if number % 3 else "A person and a tree."
        replies.append(caption if question is None else str((1, 1, 3, 2)[number % 4]))
    return replies
"""
PLAN = (
    "-m",
    "rome",
    "-s",
    "toybox:8",
    "-y",
    "callable:odd.py:answer",
    "--prove",
    "--no-report",
    "--set",
    "ask.batch=1",
)
KILLS = 3


def anamorph(*words: str, cwd: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "anamorph.cli.main", *words]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=cwd, stdout=quiet, stderr=quiet, start_new_session=True)


def answers_that_prove(run: Path) -> int:
    """How many answers to closed questions are stored; -1 while there is no run to read."""
    try:
        with closing(sqlite3.connect(f"file:{run / 'run.sqlite'}?mode=ro", uri=True)) as store:
            found = store.execute("SELECT count(*) FROM answers a JOIN probes p ON p.id = a.probe WHERE p.round > 0")
            return int(found.fetchone()[0])
    except sqlite3.Error:
        return -1


def everything(run: Path) -> list[list[tuple[object, ...]]]:
    """Verdicts, suspicions and answers, by digest."""
    with closing(sqlite3.connect(run / "run.sqlite")) as store:
        return [
            store.execute(query).fetchall()
            for query in (
                'SELECT hex(c.digest), v.outcome, v.reason FROM verdicts v JOIN cases c ON c.id = v."case" ORDER BY 1',
                "SELECT hex(c.digest), k.label, k.what, k.state, k.why "
                'FROM suspicions k JOIN cases c ON c.id = k."case" ORDER BY 1, 2, 3',
                "SELECT hex(p.digest), a.attempt, a.text FROM answers a JOIN probes p ON p.id = a.probe ORDER BY 1, 2",
            )
        ]


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_proves_ends_like_one_that_is_not(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(SYSTEM)
    assert anamorph("run", *PLAN, "-o", "whole", cwd=tmp_path).wait(300) in (0, 1, 4)
    run, killed = tmp_path / "killed", 0
    words: tuple[str, ...] = ("run", *PLAN, "-o", "killed")
    while killed < KILLS:
        before = max(0, answers_that_prove(run))
        process = anamorph(*words, cwd=tmp_path)
        # It is killed as soon as it has one answer more, wherever that is.
        while process.poll() is None and answers_that_prove(run) <= before:
            time.sleep(0.005)
        if process.poll() is not None:
            break
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
        killed += 1
        words = ("resume", "killed", "--no-report")
    assert killed > 0
    assert anamorph("resume", "killed", "--no-report", cwd=tmp_path).wait(300) in (0, 1, 4)
    assert everything(run) == everything(tmp_path / "whole")
    assert any(state == "proved" for *_, state, _ in everything(run)[1])
