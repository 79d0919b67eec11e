from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from anamorph.errors import Refused, SystemDown, UsageError
from anamorph.model import Answer, Ask, Failure, System, canonical_json
from anamorph.systems.command.system import CommandSystem
from tests.systems.programs import PATIENT, PRELUDE, Asks, Programs, failures

# --- answers ---------------------------------------------------------------------------------------------------------


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


# --- noise -----------------------------------------------------------------------------------------------------------


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
        ('{"id": %s, "text": 3}', "expected a string under 'text', got 3"),
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


# --- the settings ----------------------------------------------------------------------------------------------------


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


def test_a_text_alone_has_no_image(program: Programs) -> None:
    system = program("for item in items(): say(item, text=json.dumps([item['image'], item['question']]))")
    assert system.takes_text
    assert system.ask([Ask.of_text("0" * 32, "Read\nthis.")], PATIENT) == [Answer('[null, "Read\\nthis."]')]
