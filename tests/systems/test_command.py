from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from anamorph.errors import Refused, SystemDown, UsageError
from anamorph.model import Answer, Ask, Failure, System, canonical_json
from anamorph.systems.command import CommandSystem

Asks = Callable[..., list[Ask]]
Programs = Callable[..., CommandSystem]

# Long enough for a loaded machine; nothing waits for it unless something is broken.
PATIENT = 60.0
HASTY = 1.0

PRELUDE = """
import json, os, sys, time

def items():
    for line in sys.stdin:
        yield json.loads(line)

def say(item, **reply):
    print(json.dumps({"id": item["id"], **reply}), flush=True)

"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Programs]:
    """A system that runs the text of a Python program; nothing of it may be left after the test."""
    gc.collect()
    files, processes = psutil.Process().num_fds(), descendants()
    made: list[CommandSystem] = []

    def make(source: str, **settings: Any) -> CommandSystem:
        path = tmp_path / f"program{len(made)}.py"
        path.write_text(PRELUDE + textwrap.dedent(source))
        made.append(CommandSystem(f"'{sys.executable}' -S '{path}' '{tmp_path}'", **settings))
        return made[-1]

    yield make
    for system in made:
        system.close()
    # What other tests left behind may go meanwhile; nothing may come.
    assert psutil.Process().num_fds() <= files
    assert descendants() <= processes


def descendants() -> set[int]:
    """Every process below this one, except the browser of other tests, whose processes come and go."""
    below = psutil.Process().children(recursive=True)
    browsers = {each.pid for child in below if "chrom" in child.name() for each in (child, *child.children(True))}
    return {child.pid for child in below} - browsers


def gone(pid: int) -> bool:
    """Wait until a process is no more, or only a zombie of somebody else's."""
    for _ in range(2000):
        if not psutil.pid_exists(pid):
            return True
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def pid_in(path: Path) -> int:
    """The number that a program writes into a file, once it is there."""
    for _ in range(2000):
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{path} was never written")


def failures(replies: Any) -> list[Failure]:
    return [reply for reply in replies if isinstance(reply, Failure)]


# --- answers --------------------------------------------------------------------------------------------------------


def test_texts_labels_and_errors_come_back_in_order(program: Programs, asks: Asks, photo: Path) -> None:
    system: System = program(
        """
        for number, item in enumerate(items()):
            if number == 0: say(item, text=item["image"] + " " + str(item["question"]))
            if number == 1: say(item, labels={"dog": 0.5, "cat": 1})
            if number == 2: say(item, error="too dark")
            if number == 3: say(item, error="busy", retryable=True)
            if number == 4: say(item, text="")
        """
    )
    assert system.ask(asks(5, "how many dogs?"), PATIENT) == [
        Answer(f"{photo} how many dogs?"),
        Answer(labels={"dog": 0.5, "cat": 1.0}),
        Failure("too dark"),
        Failure("busy", retryable=True),
        Answer(""),
    ]


def test_answers_may_come_in_any_order(program: Programs, asks: Asks) -> None:
    system = program(
        "batch = [next(items()) for _ in range(20)]\nfor item in reversed(batch): say(item, text=item['id'])"
    )
    batch = asks(20)
    assert system.ask(batch, PATIENT) == [Answer(ask.id) for ask in batch]


def test_the_same_process_serves_batch_after_batch(program: Programs, asks: Asks) -> None:
    system = program("for item in items(): say(item, text=str(os.getpid()))")
    assert (
        len({reply for first in range(0, 40, 8) for reply in map(str, system.ask(asks(8, first=first), PATIENT))}) == 1
    )


def test_the_same_item_twice_in_a_batch_takes_two_answers(program: Programs, asks: Asks) -> None:
    system = program("for number, item in enumerate(items()): say(item, text=str(number))")
    assert system.ask(asks(1) * 3, PATIENT) == [Answer("0"), Answer("1"), Answer("2")]


def test_a_program_that_does_not_flush_is_heard(program: Programs, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    system = program("for line in sys.stdin: print(json.dumps({'id': json.loads(line)['id'], 'text': 'x'}))")
    assert system.ask(asks(2), PATIENT) == [Answer("x")] * 2


def test_a_last_answer_without_an_end_of_line_counts(program: Programs, asks: Asks) -> None:
    system = program("sys.stdout.write(json.dumps({'id': next(items())['id'], 'text': 'x'}))")
    assert system.ask(asks(1), PATIENT) == [Answer("x")]


def test_it_counts_also_if_a_child_holds_the_pipe_open(program: Programs, asks: Asks) -> None:
    system = program(
        """
        import subprocess
        subprocess.Popen(["sleep", "600"])
        sys.stdout.write(json.dumps({'id': next(items())['id'], 'text': 'x'}))
        os._exit(0)
        """
    )
    assert system.ask(asks(1), PATIENT) == [Answer("x")]


def test_characters_of_all_kinds_survive(program: Programs, asks: Asks) -> None:
    question = 'déjà "vu" \n 猫 \U0001f408 \ud800'
    assert program("for item in items(): say(item, text=item['question'])").ask(asks(1, question), PATIENT) == [
        Answer(question)
    ]


def test_no_items_need_no_program(program: Programs) -> None:
    assert program("sys.exit(1)").ask([], PATIENT) == []


# --- noise ----------------------------------------------------------------------------------------------------------


def test_lines_that_are_no_answers_are_passed_over(program: Programs, asks: Asks) -> None:
    system = program(
        """
        print("Loading the model ...")
        for item in items():
            print("[1, 2, 3]")
            print("{broken")
            print("[" * 100000)
            print("")
            sys.stdout.buffer.write(b"\\xff\\xfe log\\n")
            print(json.dumps({"id": "somebody else", "text": "no"}))
            print(json.dumps({"text": "no id"}))
            print(json.dumps({"id": 7, "text": "no"}))
            say(item, text="yes")
            say(item, text="a second time")
        """
    )
    for first in range(0, 20, 2):
        assert system.ask(asks(2, first=first), PATIENT) == [Answer("yes")] * 2


def test_a_huge_line_is_passed_over(program: Programs, asks: Asks) -> None:
    system = program(
        """
        for item in items():
            print(json.dumps({"id": item["id"], "text": "x" * (17 << 20)}), flush=True)
            say(item, text="short")
        """
    )
    assert system.ask(asks(1), PATIENT) == [Answer("short")]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"id": %s}', "expected exactly one of 'text', 'labels' and 'error', got only ['id']"),
        ('{"id": %s, "text": "x", "labels": {}}', "got 'text' and 'labels'"),
        ('{"id": %s, "text": 3}', "expected a text under 'text', got 3"),
        ('{"id": %s, "labels": ["dog"]}', "expected {label: score} under 'labels', got ['dog']"),
        ('{"id": %s, "labels": {"dog": NaN}}', "expected a finite number as the score of 'dog', got nan"),
        ('{"id": %s, "text": "caf@"}', "not UTF-8"),
    ],
)
def test_a_malformed_answer_fails_at_once_and_says_why(program: Programs, asks: Asks, reply: str, said: str) -> None:
    system = program(
        f"""
        for item in items():
            text = {reply!r} % json.dumps(item["id"])
            sys.stdout.buffer.write(text.encode().replace(b"@", bytes([0xE9])) + b"\\n")
        """
    )
    (failure,) = failures(system.ask(asks(1), PATIENT))
    assert said in failure.message and not failure.retryable


def test_ten_megabytes_on_stderr_stop_nobody_and_only_the_end_is_kept(program: Programs, asks: Asks) -> None:
    system = program(
        """
        for number, item in enumerate(items()):
            sys.stderr.write("noise " * (10 << 20 >> 2)); sys.stderr.flush()
            if number == 2: sys.exit("the last words")
            say(item, text="x")
        """
    )
    assert system.ask(asks(2), PATIENT) == [Answer("x")] * 2
    (failure,) = failures(system.ask(asks(1, first=2), PATIENT))
    assert failure.message.endswith("the last words") and len(failure.message) < 5000


# --- death and silence ----------------------------------------------------------------------------------------------


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


# --- several processes, and the end ---------------------------------------------------------------------------------


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
from anamorph.systems.command import CommandSystem
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


# --- the settings ---------------------------------------------------------------------------------------------------


def test_a_program_that_is_not_there_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"'no-such-program' is not on the PATH\. One in this folder is written './"):
        CommandSystem("no-such-program --fast")
    with pytest.raises(UsageError, match=f"{tmp_path}/captioner does not exist"):
        CommandSystem("./captioner")
    (tmp_path / "captioner").write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match="captioner is not executable"):
        CommandSystem("./captioner")


@pytest.mark.parametrize(
    ("command", "said"), [("", "is empty"), ("   ", "is empty"), ("cat 'x", "No closing quotation")]
)
def test_a_command_that_is_no_command_is_refused(command: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        CommandSystem(command)


def test_a_relative_program_with_spaces_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks: Asks) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "my captioner"
    script.write_text(f"#!{sys.executable}\n{PRELUDE}\nfor item in items(): say(item, text=sys.argv[1])")
    script.chmod(0o755)
    system = CommandSystem("'./my captioner' 'two words'")
    assert system.ask(asks(1), PATIENT) == [Answer("two words")]
    system.close()


def test_a_file_that_the_machine_cannot_run_means_that_the_system_is_down(tmp_path: Path, asks: Asks) -> None:
    script = tmp_path / "captioner"
    script.write_bytes(b"\x7fELF nonsense")
    script.chmod(0o755)
    system = CommandSystem(str(script))
    with pytest.raises(SystemDown, match="cannot be started: Exec format error"):
        system.ask(asks(1), PATIENT)
    system.close()


def test_an_item_without_a_file_is_refused() -> None:
    system = CommandSystem("cat")
    with pytest.raises(Refused, match="needs an image file"):
        system.ask([Ask("0" * 32, None, None, lambda: None)], PATIENT)  # type: ignore[arg-type, return-value]


def test_the_fingerprint_follows_the_words_and_the_files_they_name(tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"

    def fingerprint(content: str, option: str = "--weights={}") -> str:
        weights.write_text(content)
        return canonical_json(CommandSystem(f"cat {option.format(weights)}").fingerprint)

    assert fingerprint("one") == fingerprint("one") != fingerprint("two")
    assert fingerprint("one") != fingerprint("one", "--weights {}") != fingerprint("two", "--weights {}")


def test_a_big_file_is_told_apart_without_reading_it(tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    with weights.open("wb") as file:
        file.truncate(65 << 20)
    one = CommandSystem(f"cat {weights}").fingerprint
    os.utime(weights, (1, 1))
    assert one != CommandSystem(f"cat {weights}").fingerprint


def test_a_word_that_could_never_be_a_file_name_is_no_trouble() -> None:
    assert json.loads(canonical_json(CommandSystem(f"cat {'x' * 5000}").fingerprint))["files"] == {}
