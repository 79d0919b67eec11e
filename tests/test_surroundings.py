"""Tests see only what they bring: no home, key, cache, weight or variable of the user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamorph.store.shelf import default_file
from anamorph.store.signing import key_file
from anamorph.weights.files import models_folder
from tests.conftest import ROOT
from tests.surroundings import is_kept

ODD = {
    "ANAMORPH_MODELS": "{home}/models",
    "ANAMORPH_KEY": "{home}/run.key",
    "XDG_DATA_HOME": "{home}/data",
    "XDG_CACHE_HOME": "{home}/cache",
    "OPENAI_API_KEY": "sk-of-the-user",
    "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
    "ANTHROPIC_API_KEY": "of-the-user",
    "GEMINI_API_KEY": "of-the-user",
    "AWS_PROFILE": "no-such-profile",
    "HF_TOKEN": "of-the-user",
    "RAY_ADDRESS": "127.0.0.1:1",
    "GITHUB_STEP_SUMMARY": "{home}/summary.md",
    "https_proxy": "http://127.0.0.1:1",
    "HTTP_PROXY": "http://127.0.0.1:1",
    "SSL_CERT_FILE": "{home}/no-such-file",
    "COLUMNS": "20",
    "NO_COLOR": "1",
    "FORCE_COLOR": "1",
    "TERM": "dumb",
    "LANG": "C",
    "LC_ALL": "C",
    "TZ": "Pacific/Kiritimati",
}


def test_nothing_of_the_user_is_seen() -> None:
    own = {"HOME", "USERPROFILE", "LANG", "ANAMORPH_KEY"}
    own |= {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA"}
    # What libraries set themselves while they are imported.
    libraries = {name for name in os.environ if name.startswith(("KMP_", "TF_", "RAY_", "SE_", "QT_"))}
    assert {name for name in os.environ if not is_kept(name)} <= own | libraries
    assert "anamorph-home-" in str(Path.home()) and not list(Path.home().glob(".local/share/anamorph/**/*.onnx"))
    assert not models_folder().exists() and not default_file("readings.sqlite").exists()
    assert key_file().parent.parent != Path.home()


def test_a_user_with_weights_keys_and_odd_variables_is_not_seen_either(tmp_path: Path) -> None:
    for folder in ("models", "data/anamorph/models", ".local/share/anamorph/models"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "yolo11n-seg.onnx").write_bytes(b"weights of the user")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {name: value.format(home=tmp_path) for name, value in ODD.items()}
    test = "tests/test_surroundings.py::test_nothing_of_the_user_is_seen"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0 and "1 passed" in ended.stdout, ended.stdout + ended.stderr


@pytest.mark.xdist_group("surroundings")
def test_groups_of_tests_reach_the_plugin_that_spreads_them(request: pytest.FixtureRequest) -> None:
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("runs in a worker of --dist loadgroup")
    assert request.node.nodeid.endswith("@surroundings")
