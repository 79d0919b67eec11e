from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.melt import Melt
from anamorph.report.gallery import card
from anamorph.report.images import ReportImages
from anamorph.report.issues import BATCH, read_issues, replay_command
from anamorph.store.marks import MARKS_FILE, append_mark
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark

DIGEST = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("runs/first", "anamorph case replay runs/first 0123456789ab"),
        ("my runs/it's", """anamorph case replay 'my runs/it'"'"'s' 0123456789ab"""),
        ("-rf", "anamorph case replay ./-rf 0123456789ab"),
        ("a;b$(c)", "anamorph case replay 'a;b$(c)' 0123456789ab"),
    ],
)
def test_the_replay_command_quotes_the_run_for_a_shell(folder: str, command: str) -> None:
    assert replay_command(Path(folder), DIGEST) == command


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_shell_reads_back_any_folder(folder: str) -> None:
    words = shlex.split(replay_command(Path(folder), DIGEST))
    assert words[:3] == ["anamorph", "case", "replay"] and words[4:] == [DIGEST[:12]]
    assert Path(words[3]) == Path(folder)
    assert not words[3].startswith("-")


def test_only_violated_cases_are_issues_and_batches_lose_none(run: HandmadeRun, tmp_path: Path) -> None:
    scene = run.scene("park")
    wanted = []
    for n in range(BATCH + 7):
        wanted.append(run.case(scene, "a dog", "a cat", question=f"{n}?", pictures=False))
        run.case(scene, "a dog", "a dog", question=f"{n}!", pictures=False)
    run.judge()
    found = list(read_issues(run.store, ReportImages(run.store.images, tmp_path), 1))
    assert [issue.digest for issue in found] == wanted


def test_an_issue_knows_the_objects_of_its_scene(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park", ("dog", "cat", "dog")), "a dog", "a cat")
    run.judge()
    (issue,) = read_issues(run.store, ReportImages(run.store.images, tmp_path), 1)
    assert dict(issue.things) == {"dog": 2, "cat": 1}


def test_an_issue_has_the_marks_that_fit_its_answers(run: HandmadeRun, tmp_path: Path) -> None:
    digest = run.case(run.scene("park"), "a dog", "a cat")
    run.judge()
    made = mark(run.store, digest, "Ann", "wrong", false_alarm="edit")
    of_other_answers = replace(made, id="ab" * 16, answers="cd" * 16, reviewer="Bob")
    append_mark(run.store.folder / MARKS_FILE, of_other_answers)
    (issue,) = read_issues(run.store, ReportImages(run.store.images, tmp_path), 1)
    assert {name: each.verdict for name, each in issue.marks.items()} == {"Ann": "wrong"}
    assert card(issue)["marks"] == [["Ann", "wrong", "because of the edit"]]


def test_a_forged_scene_only_loses_its_outlines(run: HandmadeRun, tmp_path: Path) -> None:
    run.case(run.scene("park", ("dog",)), "a dog", "a cat", edits=(Melt(("0",)),))
    run.judge()
    for forged in ('"wide"', "-1e308", "[1]"):
        sql = "UPDATE scenes SET body = json_set(body, '$.width', json(?1), '$.things[0].box.x', json(?1))"
        run.store.connection.execute(sql, (forged,))
        (issue,) = read_issues(run.store, None, 1)
        assert card(issue)["probes"][1]["outlines"] == []
        assert card(issue)["probes"][1]["edits"] == ["a dog removed"]
