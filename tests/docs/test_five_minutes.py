"""The guide, as a reader follows it: every block is run in an empty folder, with a server where one is needed."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamorph import catalog
from tests.conftest import ROOT
from tests.systems.servers import Handler, Server, serving
from tests.systems.test_openai import chat

GUIDE = (ROOT / "docs" / "guides" / "five-minutes.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {"A Python function", "A chat model", "A Hugging Face model", "Recorded outputs"}


def blocks(section: str) -> list[tuple[str, str]]:
    return BLOCK.findall(SECTIONS[section])


def follow(section: str, folder: Path, **replaced: str) -> list[subprocess.CompletedProcess[str]]:
    """Write the section's files and run its commands, one shell for each block, as a reader would."""
    done = []
    for language, text in blocks(section):
        for old, new in replaced.items():
            text = text.replace(_STANDS_FOR[old], new)
        if language == "python":
            name = re.match(r"# ([\w/]+\.py)\n", text)
            assert name, "a Python block begins with the name of its file"
            (folder / name[1]).write_text(text, encoding="utf-8")
        else:
            assert language == "sh"
            done.append(_shell(text, folder))
    return done


_STANDS_FOR = {
    "server": "http://localhost:8000",
    "model": "Salesforce/blip-image-captioning-base",
    "pip": "pip install",
}


def _shell(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    bin = folder / "bin"
    bin.mkdir(exist_ok=True)
    for name, command in (("anamorph", f"'{sys.executable}' -m anamorph.cli.main"), ("python", f"'{sys.executable}'")):
        (bin / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (bin / name).chmod(0o755)
    unset = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"PATH": f"{bin}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120"}
    return subprocess.run(
        ["bash", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def summary_of(folder: Path, run: str) -> dict[str, int]:
    report = json.loads((folder / "runs" / run / "report" / "report.json").read_text(encoding="utf-8"))
    counts: dict[str, int] = report["summary"]["counts"]
    return counts


@pytest.fixture
def server() -> Iterator[Server]:
    # A system that gave one list for all photos would be refused.
    listed = itertools.count()

    def caption(request: Handler) -> None:
        text, image = json.loads(request.body)["messages"][0]["content"]
        odd = len(image["image_url"]["url"]) % 2
        prompt = text["text"]
        if prompt.endswith("Answer with a single number."):
            request.reply(chat("1" if odd else "2"))
        elif prompt.endswith("Answer true or false."):
            request.reply(chat("False" if "There is no" in prompt else "True"))
        elif "Answer with one of" in prompt:
            request.reply(chat(prompt.rpartition(": ")[2].partition(",")[0]))
        elif prompt.endswith("Answer yes or no."):
            request.reply(chat("Yes."))
        else:
            request.reply(chat(f"dog, {('chair', 'car')[next(listed) % 2]}"))

    with serving() as server:
        server.behaviour = caption
        yield server


def test_every_section_with_a_block_is_followed_by_a_test() -> None:
    assert {name for name in SECTIONS if blocks(name)} == RUN
    assert not BLOCK.findall(GUIDE.partition("\n## ")[0])


def test_a_python_function(tmp_path: Path) -> None:
    (done,) = follow("A Python function", tmp_path)
    assert done.returncode in (0, 1), done.stderr
    counts = summary_of(tmp_path, "function")
    assert counts["scenes"] == 8 and counts["cases"] > 8 and counts["undecided"] == 0


def test_an_openai_compatible_server(tmp_path: Path, server: Server) -> None:
    (done,) = follow("A chat model", tmp_path, server=server.url)
    assert done.returncode in (0, 1), done.stderr
    assert re.search(r"Cost: (\d+) calls \u00d7 0.001 per image = ", done.stdout)
    counts = summary_of(tmp_path, "server")
    assert counts["cases"] > 0 and counts["undecided"] == 0
    assert "No method was given: crosscheck" in done.stderr and "closed answers are false" in done.stdout
    asked = len(server.requests)
    questions = sum(b"Answer with a single number." in request.body for request in server.requests)
    assert asked >= counts["answers"] and questions > 0 and f"Spent: {asked / 1000:g}" in done.stdout
    assert server.last.path == "/v1/chat/completions"


def test_recorded_outputs(tmp_path: Path) -> None:
    planned, resumed = follow("Recorded outputs", tmp_path)
    assert planned.returncode == 0, planned.stderr
    assert resumed.returncode in (0, 1), resumed.stderr
    counts = summary_of(tmp_path, "recorded")
    assert counts["answers"] == len((tmp_path / "answers.jsonl").read_text().splitlines()) > 8
    assert counts["undecided"] == 0


@pytest.mark.heavy
def test_a_hugging_face_model(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs torch, which is not installed here")
    pytest.importorskip("transformers", reason="needs transformers, which is not installed here")
    assert "transformers" in catalog.names("systems")
    tiny_models = importlib.import_module("tests.tiny_models")
    model = tiny_models.blip_captioner(tmp_path / "captioner")
    (done,) = follow("A Hugging Face model", tmp_path, model=str(model), pip=": already installed:")
    # Its weights are random, so what it says may name nothing at all; then the run says just that.
    says_nothing = "the answers name nothing that could be compared" in done.stdout
    assert done.returncode == 4 if says_nothing else done.returncode in (0, 1), done.stdout + done.stderr
    counts = summary_of(tmp_path, "model")
    assert counts["answers"] > 4 and counts["undecided"] == 0
