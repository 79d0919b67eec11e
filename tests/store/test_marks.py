"""Marks of people: reading, merging, undoing, and files that were cut off."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import BadRecord, UsageError
from anamorph.model import Answer
from anamorph.store.marks import (
    Mark,
    MarkLine,
    Undo,
    answers_digest,
    append_mark,
    effective,
    new_id,
    now_text,
    read_marks,
)

CASE, ANSWERS = "a" * 32, "b" * 32


def mark(verdict: Any = "right", minute: int = 0, **fields: Any) -> Mark:
    settings = {"case": CASE, "answers": ANSWERS, "reviewer": "ann", "at": f"2026-11-17T09:{minute:02}:00+00:00"}
    return Mark(**{"id": new_id(), "verdict": verdict, **settings, **fields})


def undo(undone: Mark, **fields: Any) -> Undo:
    settings = {"reviewer": undone.reviewer, "at": "2026-11-17T10:00:00+00:00", "undoes": undone.id}
    return Undo(**{"id": new_id(), **settings, **fields})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "marks.jsonl"


def test_what_was_appended_is_read_again(file: Path) -> None:
    lines: list[MarkLine] = [
        mark(error="miscount", wrong_answer=1, caption='two "dogs"\n\u2028', method="rome", grade="miscount"),
        mark("wrong", 1, false_alarm="edit", reviewer="ben"),
        mark("unsure", 2),
    ]
    lines.append(undo(mark()))
    for line in lines:
        append_mark(file, line)
    assert read_marks(file) == lines
    written = file.read_text(encoding="utf-8").splitlines()
    assert len(written) == 4
    assert all(list(json.loads(line)) == sorted(json.loads(line)) for line in written)


def test_a_file_that_is_not_there_has_no_marks(file: Path) -> None:
    assert read_marks(file) == []


def test_the_latest_mark_of_each_reviewer_counts(file: Path) -> None:
    first, second, other = mark("right", 1), mark("wrong", 2), mark("unsure", 3, reviewer="ben")
    assert effective([second, other, first]) == {second.key: second, other.key: other}


def test_other_answers_are_another_issue() -> None:
    both = [mark("right"), mark("wrong", answers="c" * 32)]
    assert len(effective(both)) == 2


def test_undo_brings_the_mark_before_back_and_only_its_author_can() -> None:
    first, second = mark("right", 1), mark("wrong", 2)
    assert effective([first, second, undo(second)]) == {first.key: first}
    assert effective([first, second, undo(second), undo(first)]) == {}
    assert effective([first, second, undo(second, reviewer="ben")]) == {second.key: second}
    assert effective([first, undo(mark())]) == {first.key: first}


@given(st.lists(st.tuples(st.sampled_from(["right", "wrong"]), st.sampled_from("abc"), st.booleans())), st.randoms())
def test_the_order_of_lines_does_not_matter(drawn: list[tuple[str, str, bool]], rng: random.Random) -> None:
    lines: list[MarkLine] = []
    for minute, (verdict, reviewer, taken_back) in enumerate(drawn):
        made = mark(verdict, minute % 60, reviewer=reviewer)
        lines += [made, undo(made)] if taken_back else [made]
    shuffled = lines[:]
    rng.shuffle(shuffled)
    assert effective(shuffled) == effective(lines)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("caption", "a \ud800 dog", "caption: has a lone surrogate at character 3"),
        ("method", "\udfff", "method: has a lone surrogate"),
        ("at", "9999-12-31T23:59:59.999999+00:00", "at: expected a time"),
        ("at", "9999-12-31T23:59:59-23:00", "at: expected a time"),
        ("at", "0001-01-01T00:00:00+23:00", "at: expected a time"),
    ],
)
def test_what_could_never_be_read_again_is_refused_before_it_is_written(field: str, value: str, said: str) -> None:
    with pytest.raises(BadRecord, match=said):
        replace(mark(), **{field: value})  # type: ignore[arg-type]


def test_two_files_are_merged_by_git_as_a_union(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        options = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *options, *words], cwd=tmp_path, check=True, capture_output=True)

    file = tmp_path / "marks.jsonl"
    git("init")
    (tmp_path / ".gitattributes").write_text("*.jsonl merge=union\n")
    append_mark(file, shared := mark())
    git("add", ".")
    git("commit", "-m", "begin")
    git("checkout", "-b", "ben")
    append_mark(file, bens := mark("wrong", 1, reviewer="ben"))
    git("commit", "-am", "ben")
    git("checkout", "main")
    append_mark(file, anns := mark("unsure", 2))
    git("commit", "-am", "ann")
    git("merge", "ben")
    assert {line.id for line in read_marks(file)} == {shared.id, bens.id, anns.id}


def test_a_line_that_came_twice_counts_once(file: Path) -> None:
    made = mark()
    append_mark(file, made)
    append_mark(file, made)
    assert read_marks(file) == [made]
    append_mark(file, replace(made, verdict="wrong"))
    with pytest.raises(UsageError, match="line 3: another line has the same id"):
        read_marks(file)


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_last_line_that_was_cut_off_is_reported_and_kept(file: Path, cut: int) -> None:
    first, torn, third = mark(), mark("wrong", 1), mark("unsure", 2)
    append_mark(file, first)
    append_mark(file, torn)
    file.write_bytes(file.read_bytes()[:-cut])
    said: list[str] = []
    if cut == 1:
        # Only the line end is missing.
        assert read_marks(file) == [first, torn]
        append_mark(file, third)
        assert read_marks(file) == [first, torn, third]
        return
    assert read_marks(file, said.append) == [first]
    assert said == [f"{file}, line 2: was cut off during writing, so it does not count."]
    append_mark(file, third)
    said.clear()
    assert read_marks(file, said.append) == [first, third]
    assert said == [f"{file}, line 2: keeps text that was cut off during writing; it does not count."]
    with pytest.warns(UserWarning, match="line 2"):
        read_marks(file)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "is not JSON"),
        ("<<<<<<< HEAD", "merge conflict of git"),
        ("[1]", "expected a JSON object"),
        ("{}", "id: is missing"),
        ('{"undoes": 1}', "undoes: expected"),
        (None, "verdict: expected"),
    ],
)
def test_a_broken_line_is_named(file: Path, line: str | None, said: str) -> None:
    append_mark(file, mark())
    good = json.loads(file.read_text())
    with file.open("a") as stream:
        stream.write((line or json.dumps({**good, "verdict": "perhaps"})) + "\n")
    append_mark(file, mark())
    with pytest.raises(UsageError, match=rf"marks.jsonl, line 2: .*{said}"):
        read_marks(file)


@pytest.mark.parametrize(
    "fields",
    [
        {"case": "short"},
        {"reviewer": " "},
        {"reviewer": "a\nb"},
        {"at": "yesterday"},
        {"at": "2026-11-17T09:00:00"},
        {"wrong_answer": -1},
        {"caption": "x" * 10_001},
        {"false_alarm": "edit"},
        {"verdict": "wrong", "error": "miscount"},
        {"verdict": "unsure", "wrong_answer": 0},
    ],
)
def test_a_mark_that_makes_no_sense_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        mark(**{"verdict": "right", **fields})


def test_the_digest_of_answers_depends_on_what_was_said_and_where() -> None:
    dog, cat = Answer("a dog"), Answer("a cat")
    labels = Answer(labels={"dog": 0.5, "cat": float("nan")})
    digests = {
        answers_digest(answers)
        for answers in ([{0: dog}, {0: cat}], [{0: cat}, {0: dog}], [{0: dog, 1: cat}], [{0: dog}, {}], [{0: labels}])
    }
    assert len(digests) == 5
    assert answers_digest([{1: cat, 0: dog}]) == answers_digest([{0: dog, 1: cat}])


def test_time_never_goes_back() -> None:
    assert now_text("2100-01-01T00:00:00+01:00") == "2099-12-31T23:00:00.000001+00:00"
    assert now_text() > "2026"


def test_a_killed_process_loses_no_mark_that_it_reported(file: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from anamorph.store.marks import *\n"
        "for n in range(10**6):\n"
        f"    line = Mark(new_id(), {CASE!r}, {ANSWERS!r}, 'ann', 'right', now_text())\n"
        f"    append_mark(Path({str(file)!r}), line); print(line.id, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reported = [process.stdout.readline().strip() for _ in range(20)]
        process.kill()
        reported += process.stdout.read().split()
    assert set(filter(lambda id: len(id) == 32, reported)) <= {line.id for line in read_marks(file, lambda said: None)}
