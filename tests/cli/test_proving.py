"""What the command line says about proofs and leads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues
from tests.cli.command_line import anamorph
from tests.report.marking import mark

# Says that a darker image shows a cat in place of a dog. Asked, it stands by that; or sees a dog in both.
SYSTEM = """
def _light(image):
    return image.mean() > 100

def terse(images, questions):
    return ["a dog" if _light(image) else "a cat" for image in images]

def wrong(images, questions):
    return [
        said if question is None else str(int(("dog" in question) == _light(image)))
        for image, question, said in zip(images, questions, terse(images, questions))
    ]

def right(images, questions):
    return [
        said if question is None else str(int("dog" in question))
        for question, said in zip(questions, terse(images, questions))
    ]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "photos").mkdir()
    for place in range(3):
        Image.fromarray(np.full((24, 32, 3), 140 + place, dtype=np.uint8)).save(tmp_path / "photos" / f"{place}.png")
    (tmp_path / "seer.py").write_text(SYSTEM)
    return tmp_path


def run(folder: Path, function: str, *words: object) -> subprocess.CompletedProcess[str]:
    only = [f"deeptest.{name}=[]" for name in ("blur", "contrast", "shear")]
    sets = [word for each in [*only, "deeptest.brightness=0.5"] for word in ("--set", each)]
    system = ("-y", f"callable:seer.py:{function}", "-o", function)
    return anamorph("run", "-m", "deeptest", "-s", "folder:photos", *system, *sets, *words, cwd=folder)


def test_what_is_proved_is_said_first_with_what_proving_took(folder: Path) -> None:
    done = run(folder, "wrong", "--prove")
    assert done.returncode == 1, done.stderr
    headline, evidence, found, behind = done.stdout.splitlines()[:4]
    assert headline.startswith("This captioner leaves out objects in all 3 photos (all 3 cases)")
    assert evidence == "Evidence: the system's own answers to closed questions."
    assert found == "3 proved, 0 leads. Asked 12 closed questions in 2 rounds (24 calls)."
    assert behind.startswith("3 issues")
    assert "  proof: Asked 'How many" in done.stdout and "it says 1 in the source and 0 in the follow-up" in done.stdout
    assert "Of 12 questions that were asked more than once, 0 got another answer (0.0%)." in done.stdout
    assert "round 1 of proving: 12 calls for 6 open suspicions" in done.stderr
    assert "suspicions: 6 proved, 0 refuted, 0 from unfair edits, 0 leads, 0 undecided" in done.stderr
    assert "proving suspicions: 12 of 12" in done.stderr


def test_what_is_refuted_holds_and_is_counted_apart(folder: Path) -> None:
    done = run(folder, "right", "--prove")
    assert done.returncode == 0, done.stderr
    assert "0 proved, 0 leads (3 refuted). Asked 12 closed questions in 1 round." in done.stdout


def test_leads_fail_nothing_and_the_terminal_says_why_and_where_they_are(folder: Path) -> None:
    done = run(folder, "terse")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:4] == [
        "Nothing is proved against this captioner in 3 photos (3 cases).",
        "Evidence: captions or labels alone, since the system was asked no closed question.",
        "0 proved, 3 leads.",
        "3 leads are not counted. Their suspicions:",
    ]
    assert " \u00d7 " in done.stdout.splitlines()[4]
    assert "See them in terse/report/index.html#leads, or with `anamorph review terse --only leads`." in done.stdout
    assert "issue" not in done.stdout.splitlines()[0]
    assert "Passed: nothing is proved in 3 decided cases. 3 leads are not counted." in " ".join(done.stdout.split())


def test_json_has_all_of_proving_and_leads_among_the_counts(folder: Path) -> None:
    record = json.loads(run(folder, "terse", "--json").stdout)
    assert (record["violated"], record["holds"], record["leads"], record["violation_rate"]) == (0, 3, 3, 0.0)
    proving = record["proving"]
    assert (proving["evidence"], proving["lead_cases"], proving["proved"]) == ("captions", 3, 0)
    assert sum(each["suspicions"] for each in proving["lead_reasons"]) == proving["leads"] == 6
    assert "confirmations" not in record
    proved = json.loads(run(folder, "wrong", "--prove", "--json").stdout)["proving"]
    assert (proved["questions"], proved["calls"], proved["rounds"], proved["noise"]) == (12, 24, 2, 0.0)


@pytest.mark.parametrize(
    ("flags", "evidence", "says"),
    [
        (("--prove",), "answers", ""),
        (("--no-prove",), "captions", ""),
        (("--confirm",), "answers", "--confirm is now --prove"),
        (("--no-confirm",), "captions", "--no-confirm is now --no-prove"),
    ],
)
def test_the_old_flag_does_the_same_and_says_the_new_one(
    folder: Path, flags: tuple[str, ...], evidence: str, says: str
) -> None:
    done = run(folder, "right", *flags, "--json")
    assert json.loads(done.stdout)["proving"]["evidence"] == evidence
    assert (says in done.stderr) and ("is now" in done.stderr) is bool(says)


def test_rates_stand_beside_the_noise_where_every_probe_was_repeated(folder: Path) -> None:
    done = run(folder, "terse", "--repeats", 2)
    assert "Rates beside the noise" in done.stdout and "Of 6 questions that were asked more than once" in done.stdout
    row = next(line for line in done.stdout.splitlines() if "same-objects" in line)
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["deeptest", "same-objects", "0.0%", "0.0% of 6"]


def test_marks_of_leads_are_summed_up_apart_from_those_of_issues(folder: Path) -> None:
    run(folder, "terse")
    with RunStore.open(folder / "terse", read_only=True) as store:
        lead = next(case.digest for case, _ in issues(store, ("lead",)))
        mark(store, lead, "ann", "right")
    of_leads = json.loads(anamorph("review", "terse", "--summary", "--leads", "--json", cwd=folder).stdout)
    assert (of_leads["issues"], of_leads["right"], of_leads["unreviewed"]) == (3, 1, 2)
    of_issues = json.loads(anamorph("review", "terse", "--summary", "--json", cwd=folder).stdout)
    assert (of_issues["issues"], of_issues["right"], of_issues["marks_of_no_issue"]) == (0, 0, 0)


def test_a_comparison_shows_leads_beside_the_rate_and_counts_them_as_held(folder: Path) -> None:
    run(folder, "terse")
    run(folder, "wrong", "--prove")
    done = anamorph("compare", "terse", "wrong", cwd=folder)
    assert "0.0% (" in done.stdout and "3 leads" in done.stdout
    record = json.loads(anamorph("compare", "terse", "wrong", "--json", cwd=folder).stdout)
    assert [(each["name"], each["leads"]) for each in record["runs"]] == [("terse", 3), ("wrong", 0)]
    rates = record["rates"][0]["runs"]
    assert (rates["terse"]["rate"], rates["terse"]["leads"], rates["wrong"]["rate"]) == (0.0, 3, 1.0)
    (overall,) = record["overall"]
    assert (overall["only_first_fails"], overall["only_second_fails"], overall["decided_by_both"]) == (0, 3, 3)
    rows = anamorph("compare", "terse", "wrong", "--csv", cwd=folder).stdout.splitlines()
    assert rows[0].endswith(",leads") and rows[1].endswith(",3")


def test_a_lead_is_neither_shrunk_nor_explained(folder: Path) -> None:
    run(folder, "terse")
    with RunStore.open(folder / "terse", read_only=True) as store:
        lead = next(case.digest for case, _ in issues(store, ("lead",)))
    for command in ("shrink", "explain"):
        done = anamorph(command, "terse", lead[:12], cwd=folder)
        assert done.returncode == 2 and "this case is a lead, and not proved" in done.stderr, done.stderr
