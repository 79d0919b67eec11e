"""Every command of the pages about other people's tools is run, with a model of ours in the place of a vendor's."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import anamorph
from anamorph.cli.main import cli
from tests.conftest import ROOT
from tests.plugs.chat_model import chat_server, reply
from tests.plugs.marks import needs

GUIDES = ROOT / "docs" / "guides"


def commands(page: str) -> list[list[str]]:
    text = (GUIDES / page).read_text(encoding="utf-8")
    lines = re.findall(r"^(?: {4})?((?:anamorph|inspect eval) [^\n]*)$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def programs(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (GUIDES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(*words: str) -> int:
    done = CliRunner().invoke(cli, list(words))
    assert done.exit_code in (0, 1, 4), f"{words}: {done.output} {done.exception}"
    return done.exit_code


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def toys(here: Path) -> Path:
    run("toybox", "make", "--scenes", "2", "--out", "toys")
    (here / "val2017").symlink_to(here / "toys" / "images")
    (here / "photos").symlink_to(here / "toys" / "images")
    shutil.copy(here / "toys" / "instances.json", here)
    return here


def test_the_page_about_fiftyone(here: Path) -> None:
    run("run", "-m", "crosscheck", "-s", "toybox:2", "-y", "toybox:answerer", "-o", "runs/first", "--no-report")
    exported, tested = commands("fiftyone.md")
    assert run(*exported[1:]) == 0
    assert run(*["toybox:answerer" if word == "openai:my-model" else word for word in tested[1:]], "-o", "again") < 2
    assert anamorph.open_run("again").numbers.counts.cases > 5


def test_the_page_about_promptfoo(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    made, planned, resumed = commands("promptfoo.md")
    to_tests, to_answers = programs("promptfoo.md")
    assert run(*made[1:]) == 0 and run(*planned[1:]) == 0
    exec(to_tests, {})
    tests = [json.loads(line) for line in Path("tests.jsonl").read_text().splitlines()]
    assert len(tests) > 10
    # In the shape of promptfoo's own results.json; promptfoo itself is not installed for tests.
    said = [
        {"vars": test["vars"], "response": {"output": reply(_decoded(test["vars"]["image"]), test["vars"]["question"])}}
        for test in tests
    ]
    failed = {"vars": tests[0]["vars"], "response": {"error": "busy"}}
    Path("results.json").write_text(json.dumps({"results": {"results": [*said, failed]}}))
    exec(to_answers, {})
    assert run(*resumed[1:]) in (0, 1, 4)
    counts = anamorph.open_run("runs/first").numbers
    assert counts.answer_count == len(tests) and counts.counts.holds


def _decoded(image: str) -> bytes:
    import base64

    return base64.b64decode(image)


class TestTrackers:
    pytestmark = [*needs("mlflow"), pytest.mark.filterwarnings("ignore")]

    def test_the_page_about_trackers(self, toys: Path) -> None:
        import mlflow

        address = (toys / "mlruns").as_uri()
        # In processes of their own, as a user's: both libraries keep what their first run was told in globals.
        environment = {
            **os.environ,
            "MLFLOW_TRACKING_URI": address,
            "MLFLOW_ALLOW_FILE_STORE": "true",
            "WANDB_MODE": "offline",
            "WANDB_DIR": str(toys),
            "WANDB_SILENT": "true",
        }
        with_mlflow, with_wandb, again = commands("trackers.md")
        for command in ([*with_mlflow, "-o", "runs/first"], [*with_wandb, "-o", "runs/second"], again):
            words = ["toybox:answerer" if word == "openai:my-model" else word for word in command[1:]]
            program = [sys.executable, "-m", "anamorph.cli.main", *words]
            done = subprocess.run(program, cwd=toys, env=environment, capture_output=True, text=True, timeout=300)
            assert done.returncode in (0, 1) and "Logged to " in done.stderr, done.stdout + done.stderr
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
            client = mlflow.MlflowClient(address)
            (experiment,) = [each for each in client.search_experiments() if each.name == "anamorph"]
            assert len(client.search_runs([experiment.experiment_id])) == 2
        assert list((toys / "wandb").glob("offline-run-*"))


class TestInspect:
    pytestmark = [*needs("inspect_ai"), pytest.mark.filterwarnings("ignore")]

    def test_the_page_about_inspect(self, toys: Path) -> None:
        evaluations = commands("inspect.md")
        assert [words[2] for words in evaluations] == ["anamorph/crosscheck", "anamorph/metavqa", "anamorph/rome"]
        program = Path(sys.executable).parent / "inspect"
        with chat_server() as server:
            environment = {**os.environ, "LOCAL_BASE_URL": server.url, "LOCAL_API_KEY": "none"}
            for words in evaluations:
                place = words.index("--model") + 1
                words[place] = "openai-api/local/toy"
                command = [str(program), *words[1:], "--display", "plain", "--log-dir", "logs"]
                done = subprocess.run(command, cwd=toys, env=environment, capture_output=True, text=True, timeout=300)
                assert done.returncode == 0 and "violation_rate_low" in done.stdout, done.stdout + done.stderr
        assert len(list((toys / "logs").glob("*.eval"))) == 3
