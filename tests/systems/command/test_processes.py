from __future__ import annotations

import gc
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from anamorph.errors import SystemDown
from anamorph.model import Answer, Failure
from anamorph.systems.command.system import CommandSystem
from tests.systems.programs import PATIENT, PRELUDE, Asks, Programs, failures, gone, pid_in


def test_each_call_has_a_process_to_itself(program: Programs, asks: Asks) -> None:
    system = program("for item in items(): say(item, text=item['id'] + ' ' + str(os.getpid()))", processes=3)
    assert system.manner.parallel == 3
    batches = [asks(4, first=4 * i) for i in range(30)]
    with ThreadPoolExecutor(3) as threads:
        replies = list(threads.map(lambda batch: system.ask(batch, PATIENT), batches))
    pids = set()
    for batch, reply in zip(batches, replies, strict=True):
        texts = [answer.text.split() for answer in reply if isinstance(answer, Answer) and answer.text]
        assert [id for id, _ in texts] == [ask.id for ask in batch]
        assert len({pid for _, pid in texts}) == 1
        pids.add(texts[0][1])
    assert 1 <= len(pids) <= 3


def test_a_hundred_deaths_leave_nothing_behind(program: Programs, asks: Asks) -> None:
    system = CommandSystem("true")
    for _ in range(100):
        assert len(failures(system.ask(asks(1), PATIENT))) == 1
    system.close()


def test_close_lets_a_program_finish_its_work(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program(
        "for item in items(): say(item, text='x')\nopen(sys.argv[1] + '/done', 'w').write('1\\n')",
    )
    system.ask(asks(1), PATIENT)
    system.close()
    assert pid_in(tmp_path / "done") == 1


def test_close_ends_programs_that_ignore_it(program: Programs, asks: Asks) -> None:
    system = program(
        """
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for item in items(): say(item, text=str(os.getpid()))
        while True: sys.stderr.write("I stay\\n" * 10000)
        """
    )
    (answer,) = system.ask(asks(1), PATIENT)
    system.close()
    assert isinstance(answer, Answer) and gone(int(answer.text or ""))


def test_close_frees_a_call_that_is_under_way(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program("open(sys.argv[1] + '/pid', 'w').write(f'{os.getpid()}\\n')\ntime.sleep(600)")
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(system.ask, asks(1), 600.0)
        pid = pid_in(tmp_path / "pid")
        system.close()
        (failure,) = failures(asking.result(timeout=PATIENT))
    assert "SIGKILL" in failure.message and gone(pid)
    with pytest.raises(SystemDown, match="after it was closed"):
        system.ask(asks(1), PATIENT)


def test_closing_twice_is_fine(program: Programs, asks: Asks) -> None:
    system = program("for item in items(): say(item, text='x')")
    system.ask(asks(1), PATIENT)
    system.close()
    system.close()


def test_a_system_that_is_forgotten_ends_its_program(asks: Asks) -> None:
    gc.collect()
    before = psutil.Process().num_fds()
    system = CommandSystem("cat")
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(system.ask, asks(1), 0.5)
        assert len(failures(asking.result())) == 1
    del system, asking
    gc.collect()
    assert psutil.Process().num_fds() <= before


OUTER = """
import os, sys, time
from pathlib import Path
from anamorph.model import Ask
from anamorph.systems.command.system import CommandSystem
system = CommandSystem(sys.argv[1])
(answer,) = system.ask([Ask("0" * 32, None, Path("/x.png"), lambda: None)], 60)
print(answer.text, flush=True)
if sys.argv[2] == "wait": time.sleep(600)
"""


def test_a_program_that_ignores_the_end_of_input_dies_with_the_interpreter(tmp_path: Path) -> None:
    inner = tmp_path / "inner.py"
    inner.write_text(PRELUDE + "for item in items(): say(item, text=str(os.getpid()))\ntime.sleep(600)")
    command = [sys.executable, "-c", OUTER, f"{sys.executable} {inner}", "leave"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENT, check=True)
    assert gone(int(done.stdout)) and not done.stderr


def test_a_well_behaved_program_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    inner = tmp_path / "inner.py"
    inner.write_text(PRELUDE + "for item in items(): say(item, text=str(os.getpid()))")
    command = [sys.executable, "-c", OUTER, f"{sys.executable} {inner}", "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as outer:
        assert outer.stdout is not None
        pid = int(outer.stdout.readline())
        outer.kill()
    assert gone(pid)


def test_many_threads_with_dying_programs_lose_nothing(program: Programs, asks: Asks) -> None:
    system = program(
        """
        for number, item in enumerate(items()):
            if int(item["id"][:2], 16) % 7 == 0: os._exit(1)
            say(item, text=item["id"])
        """,
        processes=4,
    )
    seen: list[Answer | Failure] = []
    lock = threading.Lock()

    def work(first: int) -> None:
        batch = asks(5, first=first)
        replies = system.ask(batch, PATIENT)
        assert len(replies) == 5
        assert all(isinstance(r, Failure) or r.text == ask.id for r, ask in zip(replies, batch, strict=True))
        with lock:
            seen.extend(replies)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(0, 100, 5)))
    assert len(seen) == 100 and 0 < len(failures(seen)) < 100
