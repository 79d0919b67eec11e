from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command_line import anamorph
from tests.cli.test_commands import CAPTIONER, run


@pytest.fixture
def finished(tmp_path: Path, photos: Callable[..., Path]) -> Path:
    photos(8)
    (tmp_path / "captioner.py").write_text(CAPTIONER)
    # A bird in the bright becomes a cat in the dark.
    done = run(tmp_path, "--set", "deeptest.brightness=0.2", function="caption")
    assert done.returncode == 1, done.stderr
    return tmp_path


def cases(folder: Path) -> dict[str, str]:
    """The first issue by what its case changes."""
    report = json.loads((folder / "run" / "report" / "report.json").read_text())
    return {issue["probes"][1]["edits"][0]["kind"]: issue["digest"] for issue in reversed(report["issues"])}


def test_a_case_is_shrunk_and_the_report_shows_it(finished: Path) -> None:
    case = cases(finished)["brightness"]
    done = anamorph("shrink", "run", case[:12], cwd=finished)
    assert done.returncode == 0, done.stderr
    assert "was     brightness, factor 0.2" in done.stdout and "now     brightness, factor " in done.stdout
    assert "Nothing smaller breaks the relation; 5 images were sent." in done.stdout
    again = json.loads(anamorph("shrink", "run", case, "--json", cwd=finished).stdout)
    assert (again["finished"], again["images_sent"], again["images_sent_in_all"]) == (True, 0, 5)
    assert 0.2 < again["shrunk"]["probes"][1]["edits"][0]["factor"] < 1
    assert anamorph("report", "run", cwd=finished).returncode in (0, 1)
    report = json.loads((finished / "run" / "report" / "report.json").read_text())
    (issue,) = [issue for issue in report["issues"] if issue["digest"] == case]
    assert issue["shrunk"]["probes"][1]["edits"] == again["shrunk"]["probes"][1]["edits"]
    assert (finished / "run" / "report" / issue["shrunk"]["probes"][1]["image"]).is_file()


def test_without_calls_nothing_is_known_and_a_case_that_is_none_is_a_usage_error(finished: Path) -> None:
    done = anamorph("shrink", "run", cases(finished)["brightness"], "--most-calls", 0, cwd=finished)
    assert done.returncode == 4, done.stderr
    assert "Nothing smaller was found so far: 0 images were sent, and no more may be." in done.stdout
    refused = anamorph("shrink", "run", "nobody", cwd=finished)
    assert refused.returncode == 2 and "a case is named by the first digits of its digest" in refused.stderr
