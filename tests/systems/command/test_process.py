from __future__ import annotations

import gc
import signal
import time

import psutil
import pytest
from hypothesis import given, strategies as st

from anamorph.systems.command.process import Ended, LineProcess, LineSplitter


@given(st.lists(st.binary(max_size=12)))
def test_lines_do_not_depend_on_how_they_arrive(chunks: list[bytes]) -> None:
    splitter = LineSplitter(limit_bytes=10_000)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.rest()
    expected = b"".join(chunks).split(b"\n")
    assert lines == (expected if expected[-1] else expected[:-1])


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_no_buffer_grows_beyond_its_limit(chunks: list[bytes]) -> None:
    splitter = LineSplitter(limit_bytes=16)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.rest()
    whole = b"".join(chunks).split(b"\n")
    for line, full in zip(lines, whole, strict=False):
        assert line == full if len(full) <= 16 else line.endswith(b"(a line of more than 16 bytes)")
        assert len(line) <= 16 + 200 + 40


def test_a_killed_process_is_reaped_and_its_group_is_not_signalled_again() -> None:
    gc.collect()
    before = psutil.Process().num_fds()
    process = LineProcess(["sleep", "600"])
    states = [(process.is_killed, process.has_exited())]
    assert process.kill() == -signal.SIGKILL
    states.append((process.is_killed, process.has_exited()))
    assert states == [(False, False), (True, True)]
    process.signal_group(signal.SIGKILL)
    assert process.kill() == -signal.SIGKILL
    assert psutil.Process().num_fds() <= before


def test_an_exit_is_seen_without_reaping() -> None:
    # Other children of this process, such as a browser of other tests, are none of ours.
    before = {child.pid for child in psutil.Process().children()}
    process = LineProcess(["true"])
    assert process.wait(60)
    (child,) = (child for child in psutil.Process().children() if child.pid not in before)
    assert child.status() == psutil.STATUS_ZOMBIE
    with pytest.raises(Ended):
        process.receive(time.monotonic() + 60)
    assert process.kill() == 0
    assert not {child.pid for child in psutil.Process().children()} - before


def test_a_passed_deadline_gives_no_lines() -> None:
    process = LineProcess(["cat"])
    assert process.receive(time.monotonic() - 1) == []
    process.send(b"one\ntwo\n")
    assert process.receive(time.monotonic() + 60)[0] == b"one"
    process.kill()
