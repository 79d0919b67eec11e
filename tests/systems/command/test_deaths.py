from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from anamorph.model import Answer, Failure
from tests.systems.programs import HASTY, PATIENT, Asks, Programs, failures, gone, pid_in


def test_answers_before_a_death_are_kept_and_the_next_call_starts_anew(program: Programs, asks: Asks) -> None:
    system = program(
        """
        for number, item in enumerate(items()):
            if number == 3: sys.exit("out of memory")
            say(item, text=str(os.getpid()))
        """
    )
    first = system.ask(asks(5), PATIENT)
    assert [type(reply) for reply in first] == [Answer, Answer, Answer, Failure, Failure]
    (failure, _) = failures(first)
    assert failure.retryable and "ended with exit code 1; 2 of 5 items are unanswered" in failure.message
    assert "out of memory" in failure.message
    second = system.ask(asks(2, first=3), PATIENT)
    assert not failures(second) and second[0] != first[0]


def test_a_death_by_signal_is_named(program: Programs, asks: Asks) -> None:
    system = program("import signal\nfor item in items(): os.kill(os.getpid(), signal.SIGSEGV)")
    (failure,) = failures(system.ask(asks(1), PATIENT))
    assert "was ended by signal SIGSEGV" in failure.message


def test_a_program_that_exits_at_once_is_told_with_its_last_words(program: Programs, asks: Asks) -> None:
    system = program("print('usage: captioner WEIGHTS')\nsys.exit('no weights found')")
    for _ in range(2):
        (failure,) = failures(system.ask(asks(1), PATIENT))
        assert failure.retryable and "ended with exit code 1" in failure.message
        assert "usage: captioner WEIGHTS" in failure.message and "no weights found" in failure.message


def test_a_program_that_dies_between_batches_is_replaced(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program("say(next(items()), text=str(os.getpid()))")
    pids = []
    for first in range(3):
        (reply,) = system.ask(asks(1, first=first), PATIENT)
        assert isinstance(reply, Answer) and reply.text
        pids.append(int(reply.text))
        assert gone(pids[-1])
    assert len(set(pids)) == 3


def test_a_silent_program_is_killed_and_its_last_log_line_is_told(program: Programs, asks: Asks) -> None:
    system = program(
        """
        for number, item in enumerate(items()):
            if number == 2:
                print("waiting for the GPU", flush=True)
                print(os.getpid(), file=sys.stderr, flush=True)
                time.sleep(600)
            say(item, text="x")
        """
    )
    replies = system.ask(asks(4), HASTY)
    assert replies[:2] == [Answer("x")] * 2
    first, second = failures(replies)
    assert first == second and first.retryable
    assert "gave no answer for 1 s; 2 of 4 items are unanswered" in first.message
    assert "'waiting for the GPU'" in first.message
    assert gone(int(first.message.split()[-1]))


def test_the_time_begins_anew_with_every_answer(program: Programs, asks: Asks) -> None:
    system = program("for item in items():\n    time.sleep(0.4)\n    say(item, text='x')", startup_seconds=PATIENT)
    # 2.4 seconds altogether, but never 2 without an answer.
    assert not failures(system.ask(asks(6), 2.0))


def test_log_lines_do_not_extend_the_time(program: Programs, asks: Asks) -> None:
    system = program("while True: print('still loading', flush=True)", startup_seconds=0)
    (failure,) = failures(system.ask(asks(1), HASTY))
    assert "gave no answer for 1 s" in failure.message and "still loading" in failure.message


def test_the_first_answer_has_the_startup_time_on_top(program: Programs, asks: Asks) -> None:
    system = program("time.sleep(1)\nfor item in items(): say(item, text='x')", startup_seconds=PATIENT)
    assert system.ask(asks(1), 0.5) == [Answer("x")]


def test_a_program_that_never_reads_cannot_block_us(program: Programs, asks: Asks) -> None:
    system = program("time.sleep(600)", startup_seconds=0)
    replies = system.ask(asks(500, "w" * 1000), HASTY)
    assert len(failures(replies)) == 500


def test_a_program_that_writes_before_it_has_read_all_cannot_block_us(program: Programs, asks: Asks) -> None:
    # Both pipes are full many times over.
    system = program("for item in items(): say(item, text='x' * 100_000)")
    assert system.ask(asks(200, "w" * 10_000), PATIENT) == [Answer("x" * 100_000)] * 200


def test_a_program_that_closes_its_input_may_still_answer(program: Programs, asks: Asks) -> None:
    system = program("first = next(items())\nos.close(0)\nsay(first, text='x')\ntime.sleep(600)")
    replies = system.ask(asks(300, "w" * 1000), HASTY)
    assert replies[0] == Answer("x") and len(failures(replies)) == 299


def test_a_program_that_closes_its_output_is_ended(program: Programs, asks: Asks) -> None:
    system = program("next(items())\nos.close(1)\ntime.sleep(600)")
    (failure,) = failures(system.ask(asks(1), PATIENT))
    assert "closed its output without ending" in failure.message


def test_a_child_that_holds_the_pipes_open_does_not_hide_a_death(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program(
        """
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        open(sys.argv[1] + "/child", "w").write(f"{child.pid}\\n")
        say(next(items()), text="x")
        os._exit(7)
        """
    )
    first, second = system.ask(asks(2), PATIENT)
    assert first == Answer("x")
    assert isinstance(second, Failure) and "exit code 7" in second.message
    assert gone(pid_in(tmp_path / "child"))


def test_a_child_in_a_session_of_its_own_cannot_hold_us(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program(
        """
        import subprocess
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        open(sys.argv[1] + "/child", "w").write(f"{child.pid}\\n")
        next(items())
        os._exit(7)
        """
    )
    (failure,) = failures(system.ask(asks(1), PATIENT))
    assert "exit code 7" in failure.message
    os.kill(pid_in(tmp_path / "child"), signal.SIGKILL)


def test_children_are_killed_with_a_silent_program(program: Programs, asks: Asks, tmp_path: Path) -> None:
    system = program(
        """
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        open(sys.argv[1] + "/child", "w").write(f"{child.pid}\\n")
        time.sleep(600)
        """,
        startup_seconds=PATIENT,
    )
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(system.ask, asks(1), HASTY)
        child = pid_in(tmp_path / "child")
        system.close()
        assert len(failures(asking.result())) == 1
    assert gone(child)
