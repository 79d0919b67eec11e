from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import anamorph

CONFIG = """
methods = ["rome"]
scenes = {kind = "toybox", count = 6, seed = 7}
[system]
kind = "faulty"
fault = "co-occurrence"
pair = ["dog", "kite"]
inner = {kind = "toybox", model = "captioner"}
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explained")
    (folder / "run.toml").write_text(CONFIG)
    done = anamorph("run", "run.toml", "-o", "run", "--no-report", cwd=folder)
    assert done.returncode == 1, done.stderr
    return folder


def test_the_clearest_causes_are_explained_and_the_report_shows_them(finished: Path) -> None:
    done = anamorph("explain", "run", "--all", 2, "--calls", 40, "--json", cwd=finished)
    assert done.returncode == 0, done.stderr
    first, *_ = json.loads(done.stdout)["explained"]
    assert first["label"] == "kite" and first["carrier"] == "part" and first["images_sent"] <= 40
    assert Path(first["picture"]).is_file()
    shown = anamorph("explain", "run", first["case"][:12], "--calls", 0, cwd=finished)
    assert "  found    'kite' in the answer to " in shown.stdout and first["picture"] in shown.stdout
    assert "  0 images were sent" in shown.stdout
    assert anamorph("report", "run", cwd=finished).returncode in (0, 1)
    report = json.loads((finished / "run" / "report" / "report.json").read_text())
    (issue,) = [issue for issue in report["issues"] if issue["digest"] == first["case"]]
    assert issue["explained"]["sentence"] == first["sentence"]
    assert (finished / "run" / "report" / issue["explained"]["image"]).is_file()


def test_a_case_or_a_number_is_needed_and_a_case_that_is_none_is_a_usage_error(finished: Path) -> None:
    for words in ((), ("abc", "--all", 2)):
        refused = anamorph("explain", "run", *words, cwd=finished)
        assert refused.returncode == 2 and "Give a case, such as" in refused.stderr
    refused = anamorph("explain", "run", "nobody", cwd=finished)
    assert refused.returncode == 2 and "a case is named by the first digits of its digest" in refused.stderr
