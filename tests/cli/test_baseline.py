"""Baselines through the command line: what is known passes, what is new fails, what is gone is named."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest
from PIL import Image

from anamorph.store.causes import cause_digest
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, issues
from tests.cli.command_line import anamorph
from tests.report.marking import mark

# A photo of each colour. Each system no longer sees what is on some of them once they are dark.
CAPTIONER = """
NAMES = ("dog", "bird", "car")

def _captions(images, blind):
    for image in images:
        colour = int(image.reshape(-1, 3).mean(axis=0).argmax())
        dark = image[..., colour].mean() < 110
        yield "a blur" if dark and NAMES[colour] in blind else f"a {NAMES[colour]}"

def first(images, questions):
    return list(_captions(images, ("dog", "car")))

def second(images, questions):
    return list(_captions(images, ("bird", "car")))

def otherwise(images, questions):
    return [text.replace("a blur", "a big blur") for text in _captions(images, ("dog", "car"))]

def right(images, questions):
    return list(_captions(images, ()))

def vague(images, questions):
    return ["a photo"] * len(images)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "photos").mkdir()
    for place, name in enumerate(("dog", "bird", "car")):
        colours = np.full((32, 48, 3), 60, dtype=np.uint8)
        colours[..., place] = 180
        Image.fromarray(colours).save(tmp_path / "photos" / f"{name}.png")
    (tmp_path / "captioner.py").write_text(CAPTIONER)
    return tmp_path


def run(folder: Path, function: str, out: str, *words: object) -> subprocess.CompletedProcess[str]:
    system = f"callable:captioner.py:{function}"
    settings = ("--set", "deeptest.brightness=0.5")
    return anamorph(
        "run", "-m", "deeptest", "-s", "folder:photos", "-y", system, "-o", out, *settings, *words, cwd=folder
    )


def baseline(folder: Path, name: str, *words: object) -> dict[str, Any]:
    done = anamorph("baseline", name, *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    plain: dict[str, Any] = json.loads((folder / "anamorph.baseline.json").read_text())
    return plain


KNOWN = ("--baseline", "anamorph.baseline.json")


def test_one_new_and_one_fixed_cause_end_with_1_and_are_named_and_the_same_run_again_ends_with_0(folder: Path) -> None:
    assert run(folder, "first", "one").returncode == 1
    plain = baseline(folder, "one")
    assert {each["scene"] for each in plain["causes"]} == {"dog.png", "car.png"}

    again = run(folder, "first", "again", *KNOWN, "--fail-on-new")
    assert again.returncode == 0, again.stdout
    assert "0 new causes, 2 known, 0 fixed." in again.stdout and "another plan" not in again.stdout
    assert again.stdout.rstrip().endswith(
        "Passed: 0 of 12 decided cases are violated (0.0%), not counting 2 that the baseline knows, "
        "within the threshold."
    )

    changed = run(folder, "second", "two", *KNOWN)
    assert changed.returncode == 1, changed.stdout
    *_, counts, new, fixed, gate = changed.stdout.rstrip().splitlines()
    assert counts == "Against anamorph.baseline.json: 1 new cause, 1 known, 1 fixed."
    assert new.split()[0] == "new" and new.endswith("loses 'bird' in bird.png (1 issue)")
    assert fixed.split()[0] == "fixed" and fixed.endswith("loses 'dog' in dog.png")
    assert gate.startswith("Failed: 1 of 12 decided cases are violated (8.3%), not counting 1 that the baseline knows")


def test_every_output_shows_new_known_and_fixed(folder: Path) -> None:
    run(folder, "first", "one")
    baseline(folder, "one")
    summary = folder / "summary.md"
    done = anamorph(
        *("run", "-m", "deeptest", "-s", "folder:photos", "-y", "callable:captioner.py:second", "-o", "two"),
        *("--set", "deeptest.brightness=0.5", "--json", "--github", *KNOWN),
        cwd=folder,
        GITHUB_STEP_SUMMARY=str(summary),
    )
    record = json.loads(done.stdout)
    counts = {name: record["baseline"][name] for name in ("new", "known", "fixed", "suppressed", "not_tested")}
    assert counts == {"new": 1, "known": 1, "fixed": 1, "suppressed": 0, "not_tested": 0}
    assert {each["scene"] for each in record["baseline"]["fixed_causes"]} == {"dog.png"}
    assert {(each["scene"], each["standing"]) for each in record["causes"]} == {
        ("bird.png", "new"),
        ("car.png", "known"),
    }
    report = json.loads((folder / "two" / "report" / "report.json").read_text())
    schema = json.loads((folder / "two" / "report" / "report.schema.json").read_text())
    jsonschema.validate(report, schema)
    assert report["summary"]["baseline"] == record["baseline"]
    suites = ElementTree.parse(folder / "two" / "report" / "junit.xml").getroot()
    failed = {case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None}
    assert failed == {"gate", "bird.png"}
    assert suites.get("failures") == "2"
    page = (folder / "two" / "report" / "index.html").read_text()
    assert "Against the baseline" in page and "1 new cause, 1 known, 1 fixed" in page
    assert "- **new**: " in summary.read_text() and "- **fixed**: " in summary.read_text()
    assert (
        "bird.png" in done.stderr and "::error title=Anamorph%3A deeptest%2C same-objects%2C car.png" not in done.stderr
    )


def test_false_alarms_are_suppressed_with_a_count(folder: Path) -> None:
    run(folder, "first", "one")
    plain = baseline(folder, "one")
    causes = [each["digest"] for each in plain["causes"] if each["scene"] == "dog.png"]
    marks = [word for cause in causes for word in ("--mark", f"{cause[:12]}=false-alarm")]
    assert {each["mark"] for each in baseline(folder, "one", *marks)["causes"]} == {"false-alarm", None}
    done = anamorph("rejudge", "one", "--json", *KNOWN, cwd=folder)
    assert done.returncode == 0
    record = json.loads(done.stdout)
    assert (record["violated"], record["holds"], record["cause_count"]) == (1, 11, 1)
    assert (record["baseline"]["suppressed"], record["baseline"]["suppressed_issues"]) == (1, 1)
    assert [each["scene"] for each in record["causes"]] == ["car.png"]
    report = json.loads((folder / "one" / "report" / "report.json").read_text())
    assert {issue["scene"] for issue in report["issues"]} == {"car.png"}
    page = anamorph("report", "one", "-o", "page", *KNOWN, cwd=folder)
    assert page.returncode == 0 and "1 suppressed as false alarms (1 issue)" in page.stdout
    # Neither written again nor no longer raised are they lost, or fixed.
    run(folder, "right", "three")
    fine = anamorph("rejudge", "three", "--json", *KNOWN, cwd=folder)
    assert {each["scene"] for each in json.loads(fine.stdout)["baseline"]["fixed_causes"]} == {"car.png"}
    assert {each["mark"] for each in baseline(folder, "three")["causes"]} == {"false-alarm"}


def test_issues_that_people_call_false_alarms_are_suppressed_while_the_answers_are_the_same(folder: Path) -> None:
    run(folder, "first", "one")
    with RunStore.open(folder / "one", read_only=True) as store:
        alarm = next(case.digest for case, _ in issues(store) if scene_of_case(store, case) == "dog.png")
        # Two of three people say that it is none; somebody's mark of another case is of another run.
        for reviewer, verdict in (("ann", "wrong"), ("bob", "wrong"), ("eve", "right")):
            mark(store, alarm, reviewer, verdict)  # type: ignore[arg-type]
    written = anamorph("baseline", "one", cwd=folder)
    assert written.stdout.rstrip().endswith("(2 causes; 1 issue is a false alarm)")
    plain = json.loads((folder / "anamorph.baseline.json").read_text())
    assert [each["false_alarms"][0][:12] for each in plain["causes"] if "false_alarms" in each] == [alarm[:12]]

    # Another run with the same answers, in a folder without marks.
    again = run(folder, "first", "again", *KNOWN)
    assert again.returncode == 0 and "0 new causes, 1 known, 0 fixed, 1 suppressed as false alarms (1 issue)." in (
        again.stdout
    )
    record = json.loads(anamorph("rejudge", "again", "--json", *KNOWN, cwd=folder).stdout)
    assert (record["violated"], record["baseline"]["suppressed_issues"]) == (1, 1)

    # With other answers it is an issue again, of a cause that is known.
    other = run(folder, "otherwise", "other", *KNOWN)
    assert other.returncode == 0 and "0 new causes, 2 known, 0 fixed." in other.stdout

    # Written again from a run without marks it is kept; once people say otherwise, it goes.
    assert any("false_alarms" in each for each in baseline(folder, "again")["causes"])
    with RunStore.open(folder / "one", read_only=True) as store:
        mark(store, alarm, "bob", "right", error="omission")
    assert not any("false_alarms" in each for each in baseline(folder, "one")["causes"])


def scene_of_case(store: RunStore, case: StoredCase) -> str:
    row = store.connection.execute(
        "SELECT s.name FROM probes p JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene WHERE p.id = ?",
        (case.probes[0],),
    )
    return str(row.fetchone()[0])


def test_what_a_run_does_not_test_is_not_fixed_and_a_changed_plan_is_explained(folder: Path) -> None:
    run(folder, "first", "one")
    baseline(folder, "one")
    fewer = run(folder, "right", "two", "--limit", 2, *KNOWN, "--json")
    assert json.loads(fewer.stdout)["baseline"]["not_tested"] == 1
    assert {each["scene"] for each in json.loads(fewer.stdout)["baseline"]["fixed_causes"]} == {"car.png"}
    other = run(folder, "right", "three", "--set", "deeptest.brightness=0.45", "--seed", 8, *KNOWN)
    assert "0 new causes, 0 known, 0 fixed, 2 not tested here." in other.stdout
    assert "another plan than the baseline (the baseline has seed 7, this run 8)" in other.stdout
    # Silence mends nothing.
    vague = run(folder, "vague", "four", *KNOWN, "--json")
    assert (json.loads(vague.stdout)["baseline"]["fixed"], vague.returncode) == (0, 4)
    # A baseline that is written again keeps what was not tested.
    assert {each["scene"] for each in baseline(folder, "two")["causes"]} == {"dog.png"}


def test_any_new_cause_fails_whatever_the_threshold(folder: Path) -> None:
    run(folder, "first", "one")
    baseline(folder, "one")
    assert run(folder, "second", "two", *KNOWN, "--fail-over", "50%").returncode == 0
    strict = anamorph("rejudge", "two", *KNOWN, "--fail-over", "50%", "--fail-on-new", cwd=folder)
    assert strict.returncode == 1 and "Failed: 1 cause is new to the baseline, and none may be." in strict.stdout
    graded = ("--fail-on-new", "--fail-over", "50%", "--grades", "miscount")
    assert anamorph("rejudge", "two", *KNOWN, *graded, cwd=folder).returncode == 0


def test_the_file_is_stable_small_and_says_nothing_of_the_machine(folder: Path) -> None:
    run(folder, "first", "one")
    baseline(folder, "one")
    text = (folder / "anamorph.baseline.json").read_text()
    assert len(text.splitlines()) == 7 + 2 + 2 and str(folder) not in text and len(text) < 1_000
    run(folder, "first", "two")
    assert anamorph("baseline", "two", "-o", "sub/other.json", cwd=folder).returncode == 0
    assert (folder / "sub" / "other.json").read_text() == text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("rejudge", "one", "--baseline", "gone.json"), "gone.json: does not exist."),
        (("rejudge", "one", "--baseline", "captioner.py"), "captioner.py: is damaged: it is not JSON"),
        (("baseline", "one", "-o", "captioner.py"), "captioner.py: is damaged: it is not JSON"),
        (("baseline", "one", "--mark", "abcdef123=fine"), "expected CAUSE=MARK, where MARK is one of false-alarm"),
        (("baseline", "one", "--mark", "abcdef123=accepted"), "the run has no such cause"),
        (("baseline", "one", "--mark", "ab=accepted"), "at least the first 6 digits"),
        (("baseline", "nowhere"), "is not a run"),
    ],
)
def test_wrong_usage_ends_with_2(folder: Path, words: tuple[str, ...], complaint: str) -> None:
    run(folder, "first", "one")
    done = anamorph(*words, cwd=folder)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr and (folder / "captioner.py").read_text() == CAPTIONER


def test_a_broken_baseline_stops_a_run_before_anything_is_asked(folder: Path) -> None:
    (folder / "anamorph.baseline.json").write_text('{"format": "anamorph-baseline", "version": 3}')
    done = run(folder, "first", "one", *KNOWN)
    assert done.returncode == 2 and "was written by a later version of Anamorph" in done.stderr
    assert not (folder / "one").exists()


def test_compare_holds_each_run_against_the_baseline(folder: Path) -> None:
    run(folder, "first", "one")
    run(folder, "second", "two")
    baseline(folder, "one")
    done = anamorph("compare", "one", "two", *KNOWN, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "one: Against anamorph.baseline.json: 0 new causes, 2 known, 0 fixed." in done.stdout
    assert "two: Against anamorph.baseline.json: 1 new cause, 1 known, 1 fixed." in done.stdout
    assert "loses 'bird' in bird.png (1 issue)" in done.stdout and "loses 'dog' in dog.png" in done.stdout
    strict = anamorph("compare", "one", "two", *KNOWN, "--fail-on-new", "--json", cwd=folder)
    assert strict.returncode == 1 and json.loads(strict.stdout)["baseline"]["two"]["new"] == 1


def test_what_a_strangers_baseline_says_is_shown_and_not_obeyed(folder: Path) -> None:
    run(folder, "first", "one")
    plain = baseline(folder, "one")
    evil = "\x1b[31m[red]<script>\u202e\n::error::x"
    for cause in plain["causes"]:
        cause["scene"], cause["label"] = evil, evil
        cause["digest"] = cause_digest(evil, cause["what"], evil, cause["blamed"])
    plain["causes"], plain["methods"] = plain["causes"][:1], [evil]
    plain["plan"] = "0" * 32
    (folder / "anamorph.baseline.json").write_text(json.dumps(plain))
    done = anamorph("rejudge", "one", "--github", *KNOWN, cwd=folder)
    assert done.returncode == 1 and "2 new causes, 0 known, 1 fixed." in done.stdout
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout and "[red]<script>" in done.stdout
    assert not any(line.startswith("::error::x") for line in done.stdout.splitlines())
    assert "<script>\u27e8" not in (folder / "one" / "report" / "index.html").read_text()
