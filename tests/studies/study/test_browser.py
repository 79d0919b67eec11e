"""Studies in a real browser, by keyboard, on servers that are really killed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from anamorph.store.marks import MARKS_FILE, corrected, read_marks
from anamorph.store.run import RunStore
from anamorph.studies.study.study import read_study
from tests.cli.command_line import anamorph
from tests.report.fixtures import HandmadeRun, serious_faults
from tests.studies.review.test_browser import EVIL, Reviewer, Server, person as person

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@contextlib.contextmanager
def served(folder: Path, study: str, reviewer: str) -> Iterator[str]:
    """The address of `anamorph research study open`, which is killed at the end."""
    with Server(study, "--reviewer", reviewer, command=("study", "open"), cwd=folder) as server:
        yield server.said["address"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with RunStore.create(tmp_path / "run", {"config": {}}) as store:
        run = HandmadeRun(store)
        for n in range(3):
            run.scene(f"street {n}")
            run.case(f"street {n}", "a dog", f"a cat {EVIL}", method="rome")
        run.judge()
    for kind in ("pairwise", "caption"):
        done = anamorph("study", "new", kind, "run", "-o", f"{kind}.json", "--sample", 3, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    return tmp_path


def test_pairs_are_chosen_by_keyboard_across_a_kill_and_captions_reach_the_marks(
    folder: Path, person: Reviewer
) -> None:
    real = ["ab"[[each.what for each in item.pictures].index("real")] for item in _items(folder, "pairwise")]
    with served(folder, "pairwise.json", "ann") as address:
        person.open(address)
        assert "rome" not in person.script("return document.documentElement.outerHTML")
        # Certainty alone is no choice.
        person.press("5")
        person.until(lambda: "choose one of the pictures first" in person.text("#problem"))
        person.press(real[0], "5")
        person.done("1 of 3 done")
        person.press(Keys.ENTER)
        person.at(2)
        person.press(real[1], "4")
        person.done("2 of 3 done")
        assert person.pressed() == {real[1], "4"}
    with served(folder, "pairwise.json", "ann") as address:
        person.open(address)
        person.at(3)
        person.press(real[2], "3")
        person.done("3 of 3 done")
        # Undone twice: the certainty, then the choice.
        person.press("z")
        person.done("2 of 3 done")
        person.at(3)
        person.press("3")
        person.done("3 of 3 done")
    record = _summary(folder, "pairwise.json", "pairwise.ann.jsonl")
    (pair,) = record["pairs"]
    assert (pair["first"], pair["second"], pair["won"], pair["pairs"]) == ("real", "rome", 3, 3)
    assert pair["p_value"] == 0.25 and pair["confidence"] == 4

    with served(folder, "caption.json", "bob") as address:
        person.open(address)
        assert person.script("return window.evil") is None
        person.press("t", "a corrected caption", Keys.ESCAPE)
        person.done("1 of 3 done")
        person.press(Keys.ENTER)
        person.at(2)
        person.press("1")
        person.done("2 of 3 done")
    (caption,) = corrected(read_marks(folder / "run" / MARKS_FILE))
    assert caption.caption == "a corrected caption" and caption.instead_of == f"a cat {EVIL}"
    record = _summary(folder, "caption.json", "caption.bob.jsonl")
    assert (record["corrected"], record["fine"]) == (1, 1)


def test_axe_finds_no_serious_fault(folder: Path, person: Reviewer, axe: str) -> None:
    for study in ("pairwise.json", "caption.json"):
        with served(folder, study, "ann") as address:
            person.open(address)
            assert serious_faults(person.chrome, axe) == []


def _items(folder: Path, kind: str) -> Any:
    return read_study(folder / f"{kind}.json").items


def _summary(folder: Path, *words: str) -> dict[str, Any]:
    done = anamorph("study", "summary", *words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record
