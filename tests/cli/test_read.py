from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from anamorph.cli.read import line_of, read
from anamorph.errors import UsageError
from anamorph.model.visible import one_line
from tests.english import caption_reader


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(read, list(arguments), input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_line_shows_class_number_and_count_after_each_word() -> None:
    result = run("two dogs and a parrot on a bed near a mug")
    assert result.exit_code == 0
    shown = "two dogs[dog, plural, 2] and a parrot[bird, singular] on a bed[bed, singular] near a mug"
    assert result.stdout.strip() == f"{shown}[(mug, maybe cup), singular]"


def test_a_word_outside_the_label_space_is_shown_with_its_head() -> None:
    assert run("several hills").stdout.strip() == "several hills[(hill), plural]"


def test_what_is_said_to_be_absent_is_marked() -> None:
    assert "people[person, plural, none]" in run("a beach with no people").stdout


def test_json_has_exactly_the_promised_keys() -> None:
    first, second = run("--json", "a couple of zebra", "a hill").stdout.splitlines()
    assert json.loads(first) == {
        "classes": {"zebra": {"least": 2, "most": 2}},
        "mentions": [
            {
                "text": "zebra",
                "head": "zebra",
                "start": 12,
                "end": 17,
                "class": "zebra",
                "maybe": [],
                "number": "plural",
                "count": 2,
                "least": 2,
                "most": 2,
                "again": False,
                "unclaimed": None,
            }
        ],
    }
    (mention,) = json.loads(second)["mentions"]
    assert mention["class"] is None and mention["count"] is None and mention["number"] == "singular"


def test_what_may_be_a_class_is_shown_and_counts_from_none() -> None:
    assert "monitor[(monitor, maybe tv), singular]" in run("a monitor").stdout
    assert "bike[bicycle, maybe motorcycle, singular]" in run("a bike").stdout
    record = json.loads(run("--json", "a monitor").stdout)
    assert record["classes"] == {"tv": {"least": 0, "most": 1}}
    assert (record["mentions"][0]["class"], record["mentions"][0]["maybe"]) == (None, ["tv"])


def test_an_answer_is_read_with_its_question() -> None:
    question = ("--question", "How many dogs are there?")
    assert run(*question, "There are three dogs and a cat.").stdout.strip().endswith("= 3")
    record = json.loads(run(*question, "--json", "There are three dogs and a cat.").stdout)
    assert record == {"number": 3, "least": 3, "most": 3, "there": True}
    assert run(*question, "many").stdout.strip() == "many  = at least 2"
    assert run("--question", "Is there a dog?", "Yes").stdout.strip() == "Yes  = yes, at least 1"


def test_the_polarity_of_the_question_is_resolved() -> None:
    negated = ("--json", "--answer", "--question", "Is there no dog?")
    assert json.loads(run(*negated, "Yes").stdout) == {"number": 0, "least": 0, "most": 0, "there": False}
    assert json.loads(run(*negated, "No").stdout) == {"number": None, "least": 1, "most": None, "there": True}
    assert json.loads(run("--json", "--answer", "at most 3").stdout)["there"] is None
    whether = run("--json", "--question", "Is the cat asleep?", "Yes, the cat is asleep on two pillows.")
    assert json.loads(whether.stdout) == {"number": None, "least": None, "most": None, "there": True}


def test_a_line_of_stdin_may_bring_its_question() -> None:
    lines = [
        {"answer": "Two and a cat.", "question": "How many dogs?"},
        {"answer": "No", "question": "Is there no dog?"},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines) + 'a dog\n{not json, no "question"}\n'
    first, second, third, _ = [json.loads(line) for line in run("--json", "-", text=text).stdout.splitlines()]
    assert (first["number"], second["there"]) == (2, True)
    assert third["mentions"][0]["class"] == "dog"


def test_what_cannot_be_read_says_why() -> None:
    assert "unreadable: the answer is empty" in run("").stdout
    assert json.loads(run("--json", "").stdout) == {
        "classes": {},
        "mentions": [],
        "unreadable": "the answer is empty",
    }
    record = json.loads(run("--json", "--question", "How many?", "I do not know.").stdout)
    assert record["unreadable"] and {record[key] for key in ("number", "least", "most", "there")} == {None}


def test_texts_come_from_stdin_one_a_line() -> None:
    result = run("--json", "-", "a bird", text="a dog\na cat\r\n")
    classes = [json.loads(line)["mentions"][0]["class"] for line in result.stdout.splitlines()]
    assert classes == ["dog", "cat", "bird"]
    assert run("-", text=b"a \xff dog\n").exit_code == 0


def test_readers_are_set_by_a_toml_file_or_a_flag(tmp_path: Path) -> None:
    config = tmp_path / "anamorph.toml"
    config.write_text('[readers.caption]\nlabels = "voc"\n')
    assert "sofa[sofa, singular]" in run("a couch", "--config", str(config)).stdout.replace("couch[", "sofa[")
    assert "[sofa, " in run("a couch", "--set", "readers.caption.labels=voc").stdout
    with pytest.raises(UsageError):
        run("a couch", "--set", "readers.caption.labels=nope")


def test_nothing_in_a_text_reaches_the_terminal_as_an_order() -> None:
    result = run("a \x1b[31mdog\x07 [bold]cat[/bold]")
    assert "\x1b" not in result.stdout and "\x07" not in result.stdout and "[bold]" in result.stdout


def test_a_call_without_a_text_is_a_usage_error() -> None:
    assert run().exit_code == 2


@given(st.text(max_size=200))
def test_any_text_becomes_one_line(text: str) -> None:
    shown = line_of(caption_reader().read_text(text)).plain
    assert shown == one_line(shown) and "\n" not in shown
