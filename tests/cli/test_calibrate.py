from __future__ import annotations

import functools
import json
from pathlib import Path

from tests.cli import command_line

anamorph = functools.partial(command_line.anamorph, COLUMNS="80")

SMALL = ("calibrate", "--scenes", 6, "--method", "deeptest", "--seed", 5)


def test_tables_json_and_figure_come_out_of_one_command(tmp_path: Path) -> None:
    done = anamorph(*SMALL, "-y", "toybox:answerer", "--faults", "always-zero", "--faults", "omission", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "toybox:answerer on 6 scenes" in done.stdout
    results = (tmp_path / "calibration" / "results.md").read_text()
    assert "## Recall by injected fault" in results and "terse-1" in results and "paraphrasing" in results
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\u2026" not in done.stdout
    assert "truth answer always-zero deeptest" in done.stderr
    record = json.loads((tmp_path / "calibration" / "calibration.json").read_text())
    (zero,) = [row for row in record["faults"] if row["fault"] == "always-zero"]
    assert zero["form"] == "answer" and zero["recall"]["value"] == 0.0 and zero["wrong"] > 0
    assert {row["style"] for row in record["truthful"]} >= {"terse-1", "chatty", "hedging", "paraphrasing"}
    assert all(row["violated"]["of"] == row["cases"] - row["undecided"] for row in record["truthful"])
    assert (record["scenes"], record["seed"]) == (6, 5)
    assert {each["system"] for each in record["left_out"]} <= {"vague"}
    assert {path.name for path in (tmp_path / "calibration").iterdir()} == {
        "calibration.json",
        "calibration.svg",
        "results.md",
    }
    assert list(tmp_path.iterdir()) == [tmp_path / "calibration"]


def test_json_is_all_that_is_printed_and_the_same_every_time(tmp_path: Path) -> None:
    words = (
        *SMALL,
        "-y",
        "faulty:hallucination,inner=toybox:tagger",
        "--faults",
        "none",
        "--truthful",
        "vague",
        "--json",
    )
    first = anamorph(*words, "--out", "a", cwd=tmp_path)
    # With another hash seed.
    second = command_line.anamorph_process(*words, "--out", "b", cwd=tmp_path, COLUMNS="80")
    record = json.loads(first.stdout)
    assert record == json.loads(second.stdout) == json.loads((tmp_path / "a" / "calibration.json").read_text())
    (row,) = record["systems"]
    assert row["system"].startswith("faulty:") and row["form"] == "labels" and record["faults"] == []
    assert row["cases"] == 24 and row["recall_by_category"]["extra"]["of"] > 0


def test_kept_runs_can_be_reported_and_make_room_for_the_next(tmp_path: Path) -> None:
    words = (*SMALL, "-y", "toybox:tagger", "--faults", "none", "--truthful", "none", "--keep-runs")
    for _ in range(2):
        assert anamorph(*words, cwd=tmp_path).returncode == 0
    (run,) = (tmp_path / "calibration" / "runs").iterdir()
    done = anamorph("report", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "calibration" / "runs" / "mine").mkdir()
    refused = anamorph(*words, cwd=tmp_path)
    assert refused.returncode == 2 and "mine: is not a run of an earlier calibration" in refused.stderr


def test_wrong_choices_are_usage_errors(tmp_path: Path) -> None:
    for words in (("--faults", "sloth"), ("-m", "deptest"), ("-y", "toybx:tagger"), ("--rate", 2), ("--scenes", 0)):
        assert anamorph("calibrate", *words, cwd=tmp_path).returncode == 2
    assert not list(tmp_path.iterdir())
