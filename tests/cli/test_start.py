"""What a command imports before it needs it, which is most of the time that it takes to start."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

IMPORTED = """
import json, sys
sys.argv = ["anamorph", *json.loads(sys.argv[1])]
from anamorph.cli.main import main
try:
    main()
except SystemExit as leave:
    assert not leave.code, leave.code
print(json.dumps(sorted(sys.modules)))
"""


def imported_by(*words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, json.dumps(words)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def rooms(modules: set[str]) -> set[str]:
    return {module.split(".")[1] for module in modules if module.startswith("anamorph.")}


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_but_the_command_line(words: list[str]) -> None:
    modules = imported_by(*words)
    assert rooms(modules) <= {"cli", "concurrency", "errors"}
    assert not modules & {"numpy", "cv2", "simplejpeg", "onnxruntime", "rich", "sqlite3.dump", "jinja2"}


def test_a_check_imports_neither_the_report_nor_the_stages_of_a_run(
    tmp_path: Path, photos: Callable[..., Path]
) -> None:
    (tmp_path / "system.py").write_text("def caption(images, questions):\n    return ['a dog' for _ in images]\n")
    words = ["run", "-m", "deeptest", "-s", f"folder:{photos(1)}", "-y", f"callable:{tmp_path / 'system.py'}:caption"]
    modules = imported_by(*words, "-o", str(tmp_path / "run"), "--check")
    assert not rooms(modules) & {"report", "studies", "api"}
    stages = {"plan", "run", "ask.stage", "render", "enrich", "judge", "floor", "gate", "causes", "ray", "recogniser"}
    assert not {f"anamorph.engine.{stage}" for stage in stages} & modules
    assert not modules & {"onnxruntime", "jinja2", "pycurl", "ray", "rich", "torch"}
    assert not (tmp_path / "run").exists()
