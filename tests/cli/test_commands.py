"""The command line as people use it: real files, what is printed, exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamorph.store.run import RunStore
from tests.cli.command_line import anamorph, anamorph_process
from tests.conftest import ROOT

CAPTIONER = """
def caption(images, questions):
    return ["a bird in a bright photo" if image.mean() > 120 else "a cat in a dark photo" for image in images]

def same(images, questions):
    return ["a dog"] * len(images)

def tags(images, questions):
    return [{"red": float(image[..., 0].mean()) / 255} for image in images]

def broken(images, questions):
    raise RuntimeError("out of memory")
"""


@pytest.fixture
def folder(tmp_path: Path, photos: Callable[..., Path]) -> Path:
    photos(8)
    (tmp_path / "captioner.py").write_text(CAPTIONER)
    return tmp_path


def run(folder: Path, *words: object, function: str = "same", out: str = "run") -> subprocess.CompletedProcess[str]:
    system = f"callable:captioner.py:{function}"
    return anamorph("run", "-m", "deeptest", "-s", "folder:photos", "-y", system, "-o", out, *words, cwd=folder)


def test_a_run_whose_relations_hold_ends_with_0_and_a_report(folder: Path) -> None:
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert "Passed: all 32 decided cases hold." in done.stdout
    assert "planned 32 cases: 40 images" in done.stderr
    for name in ("index.html", "report.json", "issues.csv", "junit.xml"):
        assert (folder / "run" / "report" / name).is_file()


def test_a_process_ends_with_the_codes_that_commands_end_with_here(folder: Path) -> None:
    words = ("-m", "deeptest", "-s", "folder:photos", "-y")
    done = anamorph_process("run", *words, "callable:captioner.py:broken", "-o", "run", "--json", cwd=folder)
    here = anamorph("run", *words, "callable:captioner.py:broken", "-o", "again", "--json", cwd=folder)
    assert done.returncode == here.returncode == 3
    assert json.loads(done.stdout).keys() == json.loads(here.stdout).keys()
    assert "RuntimeError: out of memory" in done.stderr and "anamorph resume" in done.stderr
    asked = anamorph_process("run", "-m", "deptest", cwd=folder)
    again = anamorph("run", "-m", "deptest", cwd=folder)
    assert (asked.returncode, asked.stdout, asked.stderr) == (2, again.stdout, again.stderr)
    assert "Did you mean 'deeptest'?" in asked.stderr and "Traceback" not in asked.stderr


def test_a_run_with_violations_ends_with_1_and_shows_some(folder: Path) -> None:
    done = run(folder, "--set", "deeptest.brightness=0.5", function="caption")
    assert done.returncode == 1, done.stderr
    assert "Failed:" in done.stdout and "more than the 0% that the gate allows" in done.stdout
    assert "source" in done.stdout and "a cat in a dark photo" in done.stdout


def test_thresholds_decide_what_fails(folder: Path) -> None:
    words = ("--set", "deeptest.brightness=0.5", "--json")
    found = json.loads(run(folder, *words, function="caption").stdout)
    assert run(folder, *words, "--fail-over", "99%", function="caption", out="b").returncode == 0
    more = found["violated"] + 1
    assert run(folder, *words, "--fail-on", more, function="caption", out="c").returncode == 0
    assert run(folder, *words, "--fail-on", found["violated"], function="caption", out="d").returncode == 1


def test_the_summary_leads_with_causes_and_only_chosen_grades_fail_it(folder: Path) -> None:
    words = ("--set", "deeptest.brightness=0.5")
    done = run(folder, *words, function="caption")
    found = json.loads(anamorph("rejudge", "run", "--json", cwd=folder).stdout)
    issues = "1 issue" if found["violated"] == 1 else f"{found['violated']} issues"
    headline, evidence, proved, first = done.stdout.splitlines()[:4]
    assert headline.startswith("This captioner leaves out objects in ")
    assert evidence == "Evidence: captions or labels alone, since the system was asked no closed question."
    assert proved.startswith(f"{found['proving']['proved_cases']} proved, {found['leads']} lead")
    assert first.startswith(issues) and f"{found['cause_count']} cause" in first
    assert [each["grade"] for each in found["grades"] if each["violated"]] == ["omission"]
    assert len(found["causes"]) == min(20, found["cause_count"]) and found["patterns"][0]["words"]
    passed = anamorph("rejudge", "run", "--grades", "contradiction,invention", cwd=folder)
    assert passed.returncode == 0 and "counting only contradictions and inventions" in passed.stdout
    assert anamorph("report", "run", "--grades", "omission", cwd=folder).returncode == 1
    single = anamorph("report", "run", "--single-file", "-o", "all.html", "--max-size", "2MB", cwd=folder)
    assert single.returncode == 0 and "All " in single.stdout and "are in this file." in single.stdout
    assert (folder / "all.html").stat().st_size < 2_000_000
    unclear = anamorph("report", "run", "--max-size", "huge", cwd=folder)
    assert unclear.returncode == 2 and "'huge' is not a size. Examples: 500KB, 20MB, 1GB." in unclear.stderr
    bad = anamorph("rejudge", "run", "--grades", "guess", cwd=folder)
    assert bad.returncode == 2 and "expected one of 'contradiction'" in bad.stderr


def test_json_is_one_object_on_standard_output_and_nothing_else(folder: Path) -> None:
    record = json.loads(run(folder, "--json", function="tags").stdout)
    assert (record["cases"], record["images"], record["answers"], record["scenes"]) == (32, 40, 40, 8)
    assert record["tables"][0]["rows"][-1][0] == "all"


def test_a_broken_system_ends_with_3_and_never_looks_like_a_pass_or_a_bug(folder: Path) -> None:
    done = run(folder, "--json", function="broken")
    assert done.returncode == 3
    assert "RuntimeError: out of memory" in done.stderr
    assert "anamorph resume" in done.stderr
    assert json.loads(done.stdout)["exit_code"] == 3


def test_a_run_that_a_broken_system_stopped_goes_on_once_it_is_mended(folder: Path) -> None:
    assert run(folder, function="broken").returncode == 3
    source = (
        (folder / "captioner.py").read_text().replace('raise RuntimeError("out of memory")', "return same(images, 0)")
    )
    (folder / "captioner.py").write_text(source)
    # It gave no answer, so none is mixed with another system's.
    done = anamorph("resume", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Passed: all 32 decided cases hold." in done.stdout


def test_resume_works_from_another_directory(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    anamorph(
        "plan", "-m", "deeptest", "-s", "folder:photos", "-o", "run", "-y", "callable:captioner.py:same", cwd=folder
    )
    done = anamorph("resume", folder / "run", cwd=tmp_path_factory.mktemp("elsewhere"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run"], "Nothing to test. Name a configuration file"),
        (["run", "-m", "deptest"], "Unknown method 'deptest'. Did you mean 'deeptest'?"),
        (["run", "-m", "deeptest"], "No scenes given. Use --scenes KIND:"),
        (["run", "-m", "deeptest", "-s", "folder:photos"], "No system given. Use --system KIND:"),
        (["run", "-m", "deeptest", "-s", "folder:gone", "-y", "callable:captioner.py:same"], "gone"),
        (["run", "-m", "deeptest", "-s", "folder:photos", "-y", "callable:captioner.py:sane"], "sane"),
        (["run", "gone.toml"], "gone.toml: cannot be read (No such file or directory)."),
        (["run", "-m", "deeptest", "--set", "deeptest.blur=x"], "--set deeptest.blur: expected a number, got 'x'"),
        (["resume", "nowhere"], "is not a run"),
        (["list", "metods"], "Unknown group 'metods'. Did you mean 'methods'?"),
        (["plan", "-m", "deeptest", "-s", "folder:photos", "--requests", "r.jsonl"], "--requests needs --out RUN"),
        (["rum"], "No such command"),
    ],
)
def test_wrong_usage_ends_with_2_and_one_clear_sentence(folder: Path, words: list[str], complaint: str) -> None:
    done = anamorph(*words, cwd=folder)
    assert done.returncode == 2, done.stdout + done.stderr
    assert complaint in " ".join(done.stderr.split())
    assert not (folder / "runs").exists() or not list((folder / "runs").iterdir())
    assert "Traceback" not in done.stderr


def test_a_folder_with_a_run_is_not_overwritten(folder: Path) -> None:
    assert run(folder).returncode == 0
    done = run(folder)
    assert done.returncode == 2 and "holds a run already" in done.stderr


def test_a_toml_file_and_flags_together_make_a_run(folder: Path) -> None:
    (folder / "anamorph.toml").write_text(
        'methods = ["deeptest"]\nout = "run"\nscenes = "folder:photos"\n'
        '[system]\nkind = "callable"\ntarget = "captioner.py:same"\n[deeptest]\nblur = []\nshear = []\n'
    )
    record = json.loads(anamorph("run", "anamorph.toml", "--limit", "3", "--json", cwd=folder).stdout)
    assert (record["scenes"], record["cases"], record["images"]) == (3, 6, 9)


def test_plan_counts_without_asking_and_leaves_nothing_behind(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = anamorph("plan", "-m", "deeptest", "-s", "folder:photos", "--repeats", 3, "--json", cwd=folder)
    counts = json.loads(done.stdout)
    assert (counts["cases"], counts["images"], counts["calls"]) == (32, 40, 120)
    assert counts["relations"] == [{"method": "deeptest", "relation": "same-objects", "cases": 32}]
    assert sorted(folder.iterdir()) == before


def test_a_plan_counts_the_questions_that_the_scenes_bring_and_those_that_are_asked(folder: Path) -> None:
    first, second = [path.name for path in sorted((folder / "photos").iterdir())][:2]
    asked = [(first, "How many dogs are there?"), (first, "What is this?"), (second, "Is there a dog?")]
    (folder / "asked.jsonl").write_text(
        "".join(json.dumps({"image": image, "question": question}) + "\n" for image, question in asked)
    )
    command = ("plan", "-m", "deeptest", "-s", "folder:photos,questions=asked.jsonl")
    said = json.loads(anamorph(*command, "--json", cwd=folder).stdout)
    assert (said["scene_questions"], said["scene_questions_asked"]) == (3, 3)
    assert re.search(r"scene questions asked +│ +3 ", anamorph(*command, cwd=folder).stdout)
    own = json.loads(anamorph(*command, "--set", "deeptest.questions=own", "--json", cwd=folder).stdout)
    assert (own["scene_questions"], own["scene_questions_asked"]) == (3, 0)


def test_a_plan_tells_what_its_methods_left_out(folder: Path) -> None:
    command = ("plan", "-m", "rome", "-s", "toybox:4", "--set", "rome.melt.min_area=0.9")
    left_out = json.loads(anamorph(*command, "--json", cwd=folder).stdout)["left_out"]
    assert [each["count"] for each in left_out if each["noun"] == "scene"] == [4]
    assert all(each["method"] == "rome" and each["examples"] for each in left_out)
    assert "rome left out 4 scenes: 4 no object of it can be melted." in anamorph(*command, cwd=folder).stdout


def test_making_the_images_of_requests_is_not_called_asking(folder: Path) -> None:
    words = ("plan", "-m", "deeptest", "-s", "folder:photos", "-o", "planned", "--requests", "requests.jsonl")
    done = anamorph(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "making images: 40 of 40" in done.stderr and "asking" not in done.stderr


def test_a_plan_can_be_answered_elsewhere(folder: Path) -> None:
    done = anamorph(
        "plan", "-m", "deeptest", "-s", "folder:photos", "-o", "run", "--requests", "requests.jsonl", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    assert len(requests) == 40 and all(Path(request["image"]).is_file() for request in requests)
    answers = "".join(json.dumps({"id": request["id"], "text": "a dog"}) + "\n" for request in requests)
    (folder / "answers.jsonl").write_text(answers)
    done = anamorph("resume", "run", "--system", "recorded:answers.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Passed: all 32 decided cases hold." in done.stdout


def test_bad_photos_are_skipped_by_name_and_never_stop_a_run(folder: Path) -> None:
    (folder / "photos" / "empty.jpg").touch()
    (folder / "photos" / "text.png").write_text("not a picture")
    done = run(folder)
    assert done.returncode == 0, done.stderr
    assert "skipped empty.jpg" in done.stderr and "skipped text.png" in done.stderr
    assert "2 photos could not be used" in done.stdout


def test_rejudge_asks_nobody(folder: Path) -> None:
    assert run(folder, function="tags").returncode in (0, 1)
    (folder / "captioner.py").unlink()
    done = anamorph("rejudge", "run", "--json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["answers"] == 40


def test_replay_asks_about_one_case_again(folder: Path) -> None:
    run(folder, "--set", "deeptest.brightness=0.5", function="caption")
    issue = json.loads((folder / "run" / "report" / "report.json").read_text())["issues"][0]
    done = anamorph("replay", "run", issue["digest"][:12], "--json", cwd=folder)
    assert done.returncode == 1, done.stderr
    replayed = json.loads(done.stdout)
    now, before = ({**replayed[when], "reason": None, "conflicts": None} for when in ("now", "before"))
    assert now == before and now["outcome"] == "violated"
    assert {each["state"] for each in replayed["now"]["conflicts"]} == {"open"}, "nothing is proved again"
    assert "proved" in {each["state"] for each in replayed["before"]["conflicts"]}
    assert [probe["before"] == probe["now"] for probe in replayed["probes"]] == [True, True]
    assert anamorph("replay", "run", "ffffffffffff", cwd=folder).returncode == 2


def test_events_can_be_logged_as_json_lines(folder: Path) -> None:
    run(folder, "--log", "events.jsonl")
    events = [json.loads(line)["event"] for line in (folder / "events.jsonl").read_text().splitlines()]
    assert events.count("Answered") == 40 and events.count("Judged") == 32 and events[-1] == "Finished"


def test_extensions_of_ones_own_work_from_the_command_line(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass(frozen=True)\nclass Flip:\n    '''Swap left and right.'''\n    kind: ClassVar[str] = 'flip'\n"
        "    def apply(self, picture):\n        return picture.with_pixels(picture.pixels[:, ::-1].copy())\n"
    )
    only = [f"deeptest.{name}=[]" for name in ("blur", "brightness", "contrast", "shear")]
    words = [word for each in [*only, 'deeptest.also=["flip"]'] for word in ("--set", each)]
    record = json.loads(run(folder, "--load", "mine.py", *words, "--json").stdout)
    assert record["cases"] == 8 and record["tables"][0]["rows"][0][0] == "flip"
    assert anamorph("rejudge", "run", cwd=folder).returncode == 0


def test_secrets_come_from_the_environment_and_are_nowhere_in_a_run(folder: Path) -> None:
    words = ["-m", "deeptest", "-s", "folder:photos", "-y", "http:http://127.0.0.1:9/caption", "-o", "run"]
    secret = "hunter2-hunter2"
    words += ["--set", "system.headers.Authorization='Bearer ${ANAMORPH_TEST_TOKEN}'", "--set", "ask.give_up_after=2"]
    words += ["--set", "ask.backoff_seconds=0"]
    done = anamorph("run", *words, cwd=folder, ANAMORPH_TEST_TOKEN=secret)
    assert done.returncode == 3, done.stderr
    anamorph("report", "run", cwd=folder, ANAMORPH_TEST_TOKEN=secret)
    kept = b"".join(path.read_bytes() for path in (folder / "run").rglob("*") if path.is_file())
    assert secret.encode() not in kept and b"ANAMORPH_TEST_TOKEN" in kept
    assert secret not in done.stdout + done.stderr
    assert anamorph("run", *words[:-1], "ask.retries=0", "--out", "b", cwd=folder).returncode == 2


def test_doctor_finds_this_machine_fit(folder: Path) -> None:
    done = anamorph("doctor", "--json", cwd=folder)
    assert done.returncode == 0
    states = {check["what"]: check["state"] for check in json.loads(done.stdout)}
    assert states["writing a run file"] == states["numpy"] == "ok" and "pytest" not in states


@pytest.mark.parametrize(
    ("tool", "source", "extra", "line"),
    [
        ("pip", "", "aws", "/v/python -m pip install 'anamorph[aws]'"),
        ("pip", "/my work", "aws", "/v/python -m pip install -e '/my work[aws]'"),
        ("pip", "", "", "/v/python -m pip install 'boto3>=1.35'"),
        ("uv pip", "", "aws", "uv pip install --python /v/python 'anamorph[aws]'"),
        ("pipx", "", "aws", "pipx inject anamorph 'boto3>=1.35'"),
        ("uv tool", "", "aws", "uv tool install --reinstall 'anamorph[aws,pandas]'"),
        ("uv tool", "", "", "uv tool install --reinstall 'anamorph[pandas]'"),
    ],
)
def test_doctor_says_how_to_install_more_the_way_it_was_installed(
    monkeypatch: pytest.MonkeyPatch, tool: Any, source: str, extra: str, line: str
) -> None:
    from anamorph.cli.doctor import _Installation

    monkeypatch.setattr(sys, "executable", "/v/python")
    assert _Installation(tool, source).line("boto3>=1.35", extra, ["pandas"]) == line


def test_doctor_recognises_how_it_was_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from anamorph.cli import doctor

    class Distribution:
        url = {"url": "file:///my%20work", "dir_info": {"editable": True}}

        def read_text(self, name: str) -> str | None:
            return json.dumps(self.url) if name == "direct_url.json" else None

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Distribution())
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert doctor._installation().how == "installed with pip, editable from /my work"
    Distribution.url = {"url": "file:///wheels/anamorph.whl", "archive_info": {}}
    assert doctor._installation().how == "installed with pip"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert doctor._installation().how == "installed with uv pip"
    (tmp_path / "pipx_metadata.json").touch()
    assert doctor._installation().how == "installed with pipx"
    (tmp_path / "uv-receipt.toml").touch()
    assert doctor._installation().how == "installed with uv tool"


def test_groups_show_whole_summaries(folder: Path) -> None:
    for group in ("models", "pool", "toybox"):
        assert "..." not in anamorph(group, "--help", cwd=folder).stdout.partition("Commands:")[2]


def test_resume_takes_settings_that_the_plan_does_not_depend_on_and_keeps_them(folder: Path) -> None:
    assert run(folder, "--no-report").returncode == 0
    for assignment in (
        "seed=8",
        "deeptest.blur=2",
        "images.quality=50",
        "scenes.path=x",
        "system.kind=http",
        "aks.batch=2",
    ):
        bad = anamorph("resume", "run", "--set", assignment, cwd=folder)
        name = assignment.partition("=")[0] if assignment.startswith("system") else re.split("[.=]", assignment)[0]
        assert bad.returncode == 2 and f"Error: {name} cannot be changed in a run that was begun" in bad.stderr
        changeable = (
            "ask.KEY, cache, confirm_with, engine, gate.KEY, labels, prove.KEY, questions.KEY, ray.KEY, "
            "readers.NAME.KEY, system.KEY."
        )
        assert f"What can: {changeable}" in bad.stderr
    assert "Did you mean 'ask'?" in bad.stderr
    bad = anamorph("resume", "run", "--set", "ask.retrys=1", cwd=folder)
    assert bad.returncode == 2 and "--set ask.retrys" in bad.stderr and "retries" in bad.stderr
    good = ("--set", "ask.retries=1", "--set", "ask.repeats=2", "--set", "gate.max_same=99%")
    done = anamorph("resume", "run", *good, "--json", "--no-report", cwd=folder)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["probes_asked_repeatedly"] == told["probes"] and told["answers"] == 2 * told["probes"]
    with RunStore.open(folder / "run", read_only=True) as store:
        kept = store.fact("config")
        assert (kept["ask"]["retries"], kept["ask"]["repeats"]) == (1, 2) and "max_same" not in kept.get("gate", {})
    assert anamorph("resume", "run", "--no-report", cwd=folder).returncode == 0, "it is still signed"


def test_every_command_teaches_with_help(folder: Path) -> None:
    from anamorph.cli.main import COMMANDS, GROUPS

    told = anamorph("--help", cwd=folder).stdout
    for name in (*COMMANDS, *GROUPS):
        assert f"  {name} " in told
    every = [(name,) for name in COMMANDS] + [(group, name) for group, (_, own) in GROUPS.items() for name in own]
    for words in every:
        page = anamorph(*words, "--help", cwd=folder)
        assert page.returncode == 0 and len(page.stdout) > 150, words
    readme = (ROOT / "README.md").read_text()
    for name in (*COMMANDS, *GROUPS):
        assert f"anamorph {name}" in readme, f"README does not tell of `anamorph {name}`"


def test_help_fits_into_80_columns(folder: Path) -> None:
    assert max(map(len, anamorph("--help", cwd=folder, COLUMNS="80").stdout.splitlines())) <= 80


def test_an_old_name_works_and_says_the_new_one(folder: Path) -> None:
    from anamorph.cli.main import ALIASES

    assert ALIASES["rejudge"] == ("judge", "run") and ALIASES["models"] == ("list", "models")
    for name, new in ALIASES.items():
        done = anamorph(name, "--help", cwd=folder)
        assert done.returncode == 0 and f"`anamorph {name}` is now `anamorph {' '.join(new)}`." in done.stderr


def test_a_group_with_a_default_takes_its_arguments(folder: Path) -> None:
    assert "openai" in anamorph("list", "systems", cwd=folder).stdout
    assert "nothing.jsonl" in anamorph("judge", "nothing.jsonl", cwd=folder).stderr
    assert "Unknown group 'nonsense'" in anamorph("list", "nonsense", cwd=folder).stderr


def test_colour_is_left_out_on_request_and_in_pipes(folder: Path) -> None:
    assert "\x1b[" not in anamorph("list", cwd=folder).stdout
    assert "\x1b[" in anamorph("list", cwd=folder, FORCE_COLOR="1").stdout
    assert "\x1b[3" not in anamorph("list", cwd=folder, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_resume_rejudge_and_report_take_other_limits_and_the_run_keeps_its_own(folder: Path) -> None:
    words = ("--set", "deeptest.brightness=0.5", "--json")
    first = run(folder, *words, function="caption")
    found = json.loads(first.stdout)
    assert first.returncode == 1 and found["gate"]["outcome"] == "failed"
    (reason,) = found["gate"]["reasons"]
    assert (reason["kind"], reason["count"], reason["total"]) == ("violations", found["violated"], found["cases"])
    for command in ("rejudge", "resume"):
        done = anamorph(command, "run", "--fail-over", "99%", "--json", cwd=folder)
        assert (done.returncode, json.loads(done.stdout)["gate"]["outcome"]) == (0, "passed"), done.stderr
        assert anamorph(command, "run", "--fail-on", found["violated"] + 1, cwd=folder).returncode == 0
        assert anamorph(command, "run", "--json", cwd=folder).returncode == 1
    bad = anamorph("rejudge", "run", "--set", "ask.retries=0", cwd=folder)
    assert bad.returncode == 2 and "only limits can be set here, such as gate.max_undecided=10%" in bad.stderr
    junit = folder / "run" / "report" / "junit.xml"
    written = anamorph("report", "run", cwd=folder)
    assert written.returncode == 0 and written.stdout.splitlines()[-1].startswith("Failed: ")
    assert "<failure" in junit.read_text()
    assert anamorph("report", "run", "--fail-on", 1, cwd=folder).returncode == 1
    written = anamorph("report", "run", "--set", "gate.fail_over=99%", cwd=folder)
    assert written.returncode == 0 and written.stdout.splitlines()[-1].startswith("Passed: ")
    assert "<failure" not in junit.read_text() and "<error" not in junit.read_text()


def test_a_captioner_that_names_nothing_ends_with_4_and_says_why_in_every_file(folder: Path) -> None:
    source = (folder / "captioner.py").read_text()
    (folder / "captioner.py").write_text(source.replace('["a dog"]', '["a photo of things"]'))
    done = run(folder, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == found["exit_code"] == 4 and (found["holds"], found["vacuous"]) == (32, 32)
    assert [reason["kind"] for reason in found["gate"]["reasons"]] == ["vacuous"]
    assert "32 of 32 decided cases of deeptest hold only because the answers name nothing" in found["gate"]["sentence"]
    report = folder / "run" / "report"
    assert json.loads((report / "report.json").read_text())["summary"]["gate"]["exit_code"] == 4
    assert '<error type="inconclusive"' in (report / "junit.xml").read_text()
    assert "hold only because the answers name nothing" in (report / "index.html").read_text()


def test_a_method_that_planned_nothing_does_not_hide_behind_another(folder: Path) -> None:
    done = run(folder, "-m", "rome")
    assert done.returncode == 4, done.stderr
    assert done.stdout.splitlines()[-1] == (
        "Inconclusive: rome planned no case for these scenes: no scene has objects; use annotated scenes (coco:, voc:, "
        "labelme:), or --segmenter KIND:... to find them."
    )
    planned = anamorph("plan", "-m", "rome", "-m", "atom", "-s", "folder:photos", cwd=folder)
    assert "rome planned no case: no scene has objects; use annotated scenes" in planned.stdout
    assert "atom planned no case: no scene has labels or objects or captions; use " in planned.stdout
    assert "coco:FILE,captions=FILE" in planned.stdout


def test_a_system_whose_one_answer_cannot_be_read_is_not_ready(folder: Path) -> None:
    (folder / "mute.py").write_text("def mute(image):\n    return ''\n\ndef seeing(image):\n    return 'a dog'\n")
    words = ("run", "-m", "deeptest", "-s", "photos", "--check", "--ask", "--system")
    mute, seeing = (anamorph(*words, f"mute.py:{name}", cwd=folder) for name in ("mute", "seeing"))
    assert mute.returncode == 2 and "Not ready: 1 problem." in mute.stdout
    assert seeing.returncode == 0 and "Ready: one photo was asked about" in seeing.stdout


def test_check_says_whether_a_run_could_start_and_asks_nothing(folder: Path) -> None:
    done = run(folder, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ready: nothing was asked, and no folder was made." in done.stdout
    assert not (folder / "run").exists()
    done = run(folder, "--check", "--set", "pools=['nowhere']", function="sane")
    assert done.returncode == 2
    assert "Not ready: 2 problems." in done.stdout and "Traceback" not in done.stderr
    record = json.loads(run(folder, "--check", "--json", function="sane").stdout)
    assert record["exit_code"] == 2
    assert {each["what"]: each["ok"] for each in record["checks"]}["system"] is False


def test_a_start_that_fails_leaves_no_folder(folder: Path) -> None:
    for words in (("--set", "pools=['nowhere']"), ("--set", "scenes.path=gone")):
        assert run(folder, *words, out="some/where/run").returncode == 2
        assert not (folder / "some").exists()
    assert anamorph("plan", "-m", "deeptest", "-s", "folder:gone", "-o", "some/run", cwd=folder).returncode == 2
    assert not (folder / "some").exists()


def test_a_plan_of_a_wrong_file_names_the_key_and_leaves_no_folder(folder: Path) -> None:
    (folder / "wrong.toml").write_text('methods = ["deeptest"]\nscenes = { kind = "folder", place = "photos" }\n')
    done = anamorph("plan", "wrong.toml", "-o", "planned", cwd=folder)
    assert done.returncode == 2 and "scenes.place: unknown key." in done.stderr and "damaged" not in done.stderr
    assert not (folder / "planned").exists()


def test_github_gets_annotations_and_a_summary(folder: Path) -> None:
    words = ("run", "-m", "deeptest", "-s", "folder:photos", "-y", "callable:captioner.py:caption", "--github")
    darker = ("--set", "deeptest.brightness=0.5")
    summary = folder / "summary.md"
    summary.write_text("earlier\n")
    done = anamorph(*words, *darker, "-o", "a", cwd=folder, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    assert "\n::error title=Anamorph::Failed:" in done.stdout
    assert summary.read_text().startswith("earlier\n## ") and "| deeptest |" in summary.read_text()
    done = anamorph(*words, *darker, "-o", "b", "--json", cwd=folder, GITHUB_STEP_SUMMARY="")
    assert json.loads(done.stdout)["exit_code"] == 1 and "::error title=Anamorph" in done.stderr


def test_a_command_that_does_not_exist_is_guessed(folder: Path) -> None:
    assert "No such command 'rnu'. Did you mean 'run'?" in anamorph("rnu", cwd=folder).stderr


def test_help_shows_whole_summaries_and_imports_no_command() -> None:
    import click
    from click.testing import CliRunner

    from anamorph.cli.groups import first_paragraph
    from anamorph.cli.main import GROUPS, cli

    context = click.Context(cli)
    for path in ([], *([group] for group in GROUPS)):
        group = cli if not path else cli.get_command(context, path[0])
        assert isinstance(group, click.Group)
        shown = " ".join(CliRunner().invoke(cli, [*path, "--help"]).output.split())
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None and first_paragraph(command) in shown, name
    code = """
import sys
from anamorph.cli.main import cli
cli.main(["research", "--help"], standalone_mode=False)
print(sorted(name for name in sys.modules if name.startswith("anamorph.cli.")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = [f"anamorph.cli.{name}" for name in ("groups", "main", "options", "signals")]
    assert done.stdout.splitlines()[-1] == str(imported)
