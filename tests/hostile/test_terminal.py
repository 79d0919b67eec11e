"""Hostile texts over all commands: no escape, control, bidirectional override or markup reaches the terminal."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from rich.console import Console

from anamorph.cli import terminal
from anamorph.cli.main import _show_warning
from anamorph.cli.progress import show_lines, show_live
from anamorph.engine.events import AskFailed, Event, Retrying, Skipped, StageBegan
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues
from anamorph.studies.study.study import read_study
from tests.conftest import ROOT
from tests.hostile.conftest import Command, Finished
from tests.report.marking import mark

HOSTILE = {
    "clears the screen": "\x1b[2J",
    "sets the title": "\x1b]0;owned\x07",
    "links elsewhere": "\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\",
    "asks the terminal to type": "\x1b[6n\x1bP$q q\x1b\\",
    "is an escape of one byte": "\x9b31mred\x9d0;owned\x9c",
    "goes back to the beginning": "\rPassed: all",
    "takes back what was said": "abc\x08\x08\x08",
    "rings and deletes": "\x07\x7f\x00",
    "pretends to be a line": "\nPassed: forged",
    "is a line for others": "\x0bPassed\x0cforged\x85\u2028\u2029",
    "turns the text around": "\u202egpj.exe\u2066\u200f\u061c",
    "smuggles": "\U000e0041\ufeff",
    "is markup": "[red]x[/red][/][bold",
    "is a link in markup": "[link=http://evil]x[/link]",
    "is a picture": ":skull:",
    "ends with a backslash": "x\\",
}
ALL = "".join(HOSTILE.values())
# In the name of a file there is neither a NUL nor a slash, and it is short.
NAME = ALL.replace("\0", "").replace("/", "|")[:120] + ".jpg"
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def check(text: str, *, has: str = "owned") -> None:
    found = FORBIDDEN.search(text)
    assert found is None, ascii(text[max(0, found.start() - 60) : found.end() + 20])
    assert has in text
    for line in text.splitlines():
        assert not line.startswith("Passed: forged")


SYSTEM = f"""
TEXT = {ALL!r}
def answers(images, questions):
    return [TEXT + str(image.mean()) for image in images]
SEEN = []
def labels(images, questions):
    SEEN.extend(images)
    first = len(SEEN) - len(images)
    return [{{"odd": 0.9}} if first + place == 1 else {{TEXT: 0.9}} for place in range(len(images))]
def fails(images, questions):
    raise RuntimeError(TEXT)
"""
CHILD = f"""
import sys
sys.stderr.write({ALL!r})
sys.exit(7)
"""
EXTENSION = f"""
from dataclasses import dataclass
from typing import ClassVar
from anamorph.model import setting

@dataclass(frozen=True)
class Odd:
    kind: ClassVar[str] = "odd"
    reads: ClassVar[str] = "wording"
    first: str = setting({ALL!r}, {ALL!r})
    def judge(self, readings): ...

Odd.__doc__ = {ALL!r}
"""


@pytest.fixture
def place(tmp_path: Path, photos: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    photos(1)
    (tmp_path / "system.py").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    (tmp_path / "odd.py").write_text(EXTENSION, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "4000")
    return tmp_path


def run(anamorph: Command, system: str, *words: str) -> Finished:
    return anamorph("run", "-m", "deeptest", "-s", "folder:photos", "-y", system, "-o", "run", *words)


def case_of(run: Path) -> str:
    with RunStore.open(run, read_only=True) as store:
        return str(store.connection.execute("SELECT hex(digest) FROM cases").fetchone()[0])


def answers(anamorph: Command, place: Path) -> Finished:
    return run(anamorph, "callable:system.py:answers", "--set", "deeptest.relation=same-answer")


def answers_as_json(anamorph: Command, place: Path) -> Finished:
    answers(anamorph, place)
    return anamorph("replay", "run", case_of(place / "run"), "--json")


def labels(anamorph: Command, place: Path) -> Finished:
    # A label that all images but one have is proved to be lost; of leads, the terminal shows none.
    return run(anamorph, "callable:system.py:labels", "--set", "deeptest.blur=[1, 1.5, 2, 2.5, 3]")


def errors_of_a_system(anamorph: Command, place: Path) -> Finished:
    return run(anamorph, "callable:system.py:fails", "--set", "ask.retries=0", "--set", "ask.give_up_after=0")


def last_words_of_a_child(anamorph: Command, place: Path) -> Finished:
    return run(anamorph, f"command:{sys.executable} child.py", "--set", "ask.retries=0", "--set", "ask.give_up_after=2")


def a_photo_that_cannot_be_used(anamorph: Command, place: Path) -> Finished:
    (place / "photos" / NAME).write_bytes(b"no photo")
    return run(anamorph, "callable:system.py:labels")


def replay(anamorph: Command, place: Path) -> Finished:
    answers(anamorph, place)
    return anamorph("replay", "run", case_of(place / "run"))


def forged_run(anamorph: Command, place: Path) -> Path:
    answers(anamorph, place)
    with RunStore.open(place / "run") as store:
        store.connection.execute("UPDATE cases SET method = ?, relation = ?", (ALL, ALL))
        store.connection.execute("UPDATE cases SET tags = ?", (json.dumps({ALL: ALL}),))
        store.connection.execute("UPDATE verdicts SET reason = ?", (ALL,))
        store.connection.execute("UPDATE verdicts SET outcome = 'undecided' WHERE \"case\" % 2")
        store.connection.execute("INSERT INTO skips (what, reason) VALUES (?, ?)", (ALL, ALL))
        store.connection.execute("UPDATE scenes SET name = ?", (ALL,))
    return place / "run"


def compare(anamorph: Command, place: Path) -> Finished:
    folder = forged_run(anamorph, place)
    other = place / NAME.replace(".jpg", "")
    other.mkdir()
    with RunStore.open(folder):
        pass
    (other / "run.sqlite").write_bytes((folder / "run.sqlite").read_bytes())
    return anamorph("compare", folder, other)


def compare_as_csv(anamorph: Command, place: Path) -> Finished:
    compare(anamorph, place)
    return anamorph("compare", "run", NAME.replace(".jpg", ""), "--csv")


def somebody_elses_run(anamorph: Command, place: Path) -> Finished:
    answers(anamorph, place)
    with RunStore.open(place / "run") as store:
        config = store.fact("config")
        store.set_fact("config", {**config, "system": {"kind": "command", "command": ALL}, "load": [ALL], ALL: ALL})
        store.set_fact("directory", ALL)
    return anamorph("resume", "run")


def read(anamorph: Command, place: Path) -> Finished:
    return anamorph("read", "a dog and " + ALL.replace("\0", ""))


def judge(anamorph: Command, place: Path) -> Finished:
    rows = [
        {"id": ALL, "method": "rome", "source": "a dog", "follow_up": "a dog", "removed": ["dog"]},
        {"id": ALL, "method": ALL},
        {"id": ALL, "relation": {"kind": "same-answer"}, "answers": [ALL, "owned"]},
    ]
    (place / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return anamorph("judge", "rows.jsonl", "--evidence")


def list_of_extensions(anamorph: Command, place: Path) -> Finished:
    return anamorph("list", "relations", "--load", "odd.py")


def settings_of_an_extension(anamorph: Command, place: Path) -> Finished:
    return anamorph("list", "relations", "odd", "--load", "odd.py")


def an_unknown_name(anamorph: Command, place: Path) -> Finished:
    return anamorph("list", "relations", ALL.replace("\0", ""))


def an_unknown_option(anamorph: Command, place: Path) -> Finished:
    return anamorph("run", "--owned" + ALL.replace("\0", ""))


def a_file_that_is_not_there(anamorph: Command, place: Path) -> Finished:
    return anamorph("relevance", NAME)


def a_run_that_is_not_there(anamorph: Command, place: Path) -> Finished:
    return anamorph("report", NAME)


def a_configuration_with_an_odd_key(anamorph: Command, place: Path) -> Finished:
    # TOML has no surrogates, which is how JSON writes what lies beyond 16 bits.
    (place / "odd.toml").write_text(f"{json.dumps(ALL.replace(HOSTILE['smuggles'], ''))} = 1\n")
    return anamorph("plan", "odd.toml")


def annotators(anamorph: Command, place: Path) -> Finished:
    rows = [{"image": ALL, "labels": [ALL], "annotator": f"{ALL}{i}", "relevance": "weak"} for i in range(2)]
    lines = [*map(json.dumps, rows), json.dumps({"image": ALL, ALL: ALL, "relevance": ALL})]
    (place / "judgements.jsonl").write_text("\n".join(lines))
    return anamorph("relevance", "judgements.jsonl")


def reviewers(anamorph: Command, place: Path) -> Finished:
    folder = forged_run(anamorph, place)
    with RunStore.open(folder, read_only=True) as store:
        for case, _ in issues(store):
            for name in ("ann", "[bold]owned[/]"):
                mark(store, case.digest, name, "right" if name == "ann" else "wrong", caption=ALL.replace("\0", ""))
    return anamorph("review", "run", "--summary")


def a_study(anamorph: Command, place: Path) -> Finished:
    study = {
        "format": "anamorph-study",
        "version": 1,
        "kind": "naturalness",
        "run": ALL,
        "question": ALL,
        "seed": 7,
        "scale": [{"value": "1", "words": ALL}],
        "items": [{"id": "0" * 12, "scene": ALL, "pictures": [{"file": ALL, "what": ALL}]}],
    }
    (place / "study.json").write_text(json.dumps(study))
    digest = read_study(place / "study.json").digest
    result = {"id": "a" * 32, "study": digest, "item": "0" * 12, "reviewer": "[bold]owned[/]", "choice": "1"}
    (place / "ann.jsonl").write_text(json.dumps({**result, "at": "2026-11-17T09:30:00+00:00"}) + "\n")
    return anamorph("study", "summary", "study.json", "ann.jsonl")


def classes_of_a_pool(anamorph: Command, place: Path) -> Finished:
    (place / "pool").mkdir()
    entry = {"id": "x", "label": ALL, "file": "x", "sha256": "", "width": 1, "height": 1, "scene": ALL, "thing": ALL}
    (place / "pool" / "pool.json").write_text(json.dumps({"format": 1, "cutouts": [entry], "rejected": {ALL: 1}}))
    return anamorph("pool", "list", "pool")


def doctor(anamorph: Command, place: Path) -> Finished:
    os.environ["ANAMORPH_MODELS"] = str(place / NAME)
    return anamorph("doctor")


def models(anamorph: Command, place: Path) -> Finished:
    os.environ["ANAMORPH_MODELS"] = str(place / NAME)
    return anamorph("models", "list")


SURFACES = (
    *(answers, answers_as_json, labels, errors_of_a_system, last_words_of_a_child, a_photo_that_cannot_be_used, replay),
    *(compare, compare_as_csv, somebody_elses_run, read, judge, list_of_extensions),
    *(settings_of_an_extension, an_unknown_name, an_unknown_option, a_file_that_is_not_there, a_run_that_is_not_there),
    *(a_configuration_with_an_odd_key, annotators, reviewers, a_study, classes_of_a_pool, doctor, models),
)


@pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__)
def test_nothing_hostile_reaches_the_terminal(
    surface: Callable[[Command, Path], Finished], anamorph: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMORPH_MODELS", str(place / "models"))
    done = surface(anamorph, place)
    check(done.out + done.err)


@pytest.mark.parametrize("words", [("rejudge",), ("report",), ("label-errors",)], ids=" ".join)
def test_nothing_hostile_comes_out_of_a_forged_run(words: tuple[str, ...], anamorph: Command, place: Path) -> None:
    folder = forged_run(anamorph, place)
    done = anamorph(*words, folder)
    assert done.code in (0, 1, 2, 3)
    check(done.out + done.err, has="")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_events_are_one_line_each_whatever_is_in_them(text: str) -> None:
    events: list[Event] = [
        StageBegan("ask", 3),
        Skipped(text, text),
        AskFailed(text, 0, text, 1),
        Retrying(text, 1.0),
    ]
    plain = io.StringIO()
    for _ in show_lines(iter(events), plain):
        pass
    check(plain.getvalue(), has="")
    assert len(plain.getvalue().splitlines()) == 4
    live = terminal.open_console()
    live.file, live._force_terminal, live._width = io.StringIO(), True, 4000
    for _ in show_live(iter(events), live):
        pass
    check(without_own_codes(live.file.getvalue()), has="")


# What Rich itself writes for colours, cursor and progress bars.
_OWN = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|[0-9]*[ABCDGK]|1A|2K)|\r")


def without_own_codes(text: str) -> str:
    return _OWN.sub("", text)


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_real_terminal_is_told_nothing_but_colours_and_where_to_draw(place: Path) -> None:
    import pty

    (place / "photos" / NAME).write_bytes(b"no photo")
    words = ["run", "-m", "deeptest", "-s", "folder:photos", "-y", "callable:system.py:answers", "-o", "run"]
    words += ["--set", "deeptest.compare=wording"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "anamorph.cli.main", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm-256color", "COLUMNS": "400"},
    )
    os.close(theirs)
    said, until = b"", time.monotonic() + 300
    while time.monotonic() < until:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        said += chunk
    os.close(ours)
    assert process.wait(300) == 1
    text = said.decode("utf-8")
    assert "\x1b[" in text and "Failed:" in text
    check(without_own_codes(text))


def test_warnings_are_shown_like_everything_else(capfd: pytest.CaptureFixture[str]) -> None:
    _show_warning(UserWarning(ALL), UserWarning, "file.py", 1)
    check(capfd.readouterr().err)
    assert warnings.showwarning is not _show_warning


def test_there_is_no_other_way_to_the_terminal() -> None:
    for path in sorted((ROOT / "src" / "anamorph").rglob("*.py")):
        if path.name in ("terminal.py", "safe_console.py") and path.parent.name == "cli":
            continue
        source = path.read_text(encoding="utf-8")
        for way in ("click.echo(", "Console(", "click.secho(", "rich.print", "\nprint(", " print("):
            assert way not in source, f"{path} prints with {way}...), and not through cli/terminal.py"


def test_a_long_complaint_has_no_line_that_looks_like_another_message(capfd: pytest.CaptureFixture[str]) -> None:
    terminal.complain("Error:", "one\nPassed: forged\n  two")
    assert click.unstyle(capfd.readouterr().err) == "Error: one\n  Passed: forged\n  two\n"


def test_the_console_is_the_one_that_makes_texts_visible() -> None:
    assert type(terminal.open_console()) is not Console
    assert "_render_buffer" in vars(type(terminal.open_console())) and hasattr(Console, "_render_buffer")
