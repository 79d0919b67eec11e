"""The pytest plugin, in projects of its own and in processes of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest_plugins = ["pytester"]

MODELS = """
import numpy as np
import pytest

SCENES = [np.full((24, 32, 3), 100 + 40 * place, dtype=np.uint8) for place in range(3)]
SETTINGS = {"deeptest": {"blur": [1], "brightness": [0.5], "contrast": [], "shear": []}}
pytestmark = pytest.mark.filterwarnings("ignore:All . answers about")

def same(image):
    return "a dog"

def bright(image):
    return "a dog on a bench in the sun" if image.mean() > 120 else "a cat in the dark"

def vague(image):
    return "a dog" if image.mean() > 120 else "a cat"

def broken(image):
    raise RuntimeError("out of memory")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project in a folder of its own, with the plugin as an installed package would bring it."""
    installed = pytester.mkdir("installed")
    info = installed / "brings_anamorph-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brings-anamorph\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pytest11]\nanamorph = anamorph.pytest_plugin\n")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{installed}")
    for name in ("PYTEST_ADDOPTS", "CI", "BUILD_NUMBER"):  # in CI, pytest repeats whole messages in its summary
        monkeypatch.delenv(name, raising=False)
    pytester.makeini("[pytest]\naddopts = --strict-markers --strict-config -W error\n")
    return pytester


def run(project: pytest.Pytester, *words: str) -> tuple[pytest.RunResult, str]:
    done = project.runpytest_subprocess("-p", "no:cacheprovider", *words)
    return done, done.stdout.str()


FAILING = (
    MODELS
    + """
@pytest.mark.anamorph(scenes=SCENES, methods=["deeptest"], settings=SETTINGS)
def test_captioner(anamorph):
    anamorph(bright)
"""
)


def test_a_system_that_holds_passes_and_gives_its_run(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes=SCENES, methods=["deeptest"])
def test_captioner(anamorph, tmp_path):
    run = anamorph(same)
    assert run.rate.share == 0 and run.folder == tmp_path / "anamorph"
    assert anamorph(same).folder == tmp_path / "anamorph-2"
"""
    )
    done, _ = run(project)
    done.assert_outcomes(passed=1)


def test_the_failure_has_the_rate_the_issues_and_the_path_of_the_report(project: pytest.Pytester) -> None:
    project.makepyfile(FAILING)
    done, said = run(project)
    assert done.ret == 1
    assert (
        "33.3% (95 % interval 3.1 to 88.8%)" in said
        and "of 6 decided cases are violated; the rate may be at most 0.0%." in said
    )
    assert "deeptest, same-objects, 00001.png" in said
    assert "source: a dog on a bench in the sun" in said and "follow-up [" in said and "]: a cat in the dark" in said
    report = re.search(r"report: (\S+)", said)
    assert report and Path(report[1]).is_file()
    assert said.count("decided cases are violated") == 1
    assert "pytest_plugin.py" not in said, "the plugin's own frames are nobody's business"


@pytest.mark.parametrize(
    ("most", "gate", "passes"), [(0.4, "rate", True), ("10%", "rate", False), (0.1, "interval", True)]
)
def test_the_rate_or_the_lower_end_of_its_interval_decides(
    project: pytest.Pytester, most: object, gate: str, passes: bool
) -> None:
    project.makepyfile(
        MODELS
        + f"""
@pytest.mark.anamorph(scenes=SCENES, settings=SETTINGS, max_rate={most!r}, gate={gate!r})
def test_captioner(anamorph):
    anamorph(bright)
"""
    )
    done, said = run(project)
    assert (done.ret == 0) is passes, said


def test_leads_fail_no_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes=SCENES, methods=["deeptest"], settings=SETTINGS)
def test_captioner(anamorph):
    assert len(anamorph(vague).leads) == 2
"""
    )
    done, _ = run(project)
    done.assert_outcomes(passed=1)


def test_each_method_and_relation_is_a_subtest(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes="toybox:6", methods=["deeptest", "rome"])
def test_captioner(anamorph):
    anamorph("toybox:captioner")
"""
    )
    done, said = run(project, "-v")
    assert done.ret == 1
    assert re.search(r"\[deeptest, same-objects\]", said) and re.search(r"\[rome, only-loses\]", said), said


def test_a_broken_system_never_passes(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes=SCENES, max_rate=1.0, settings={"ask": {"give_up_after": 3}})
def test_captioner(anamorph):
    anamorph(broken)

@pytest.mark.anamorph(scenes=SCENES, max_rate=1.0, settings={"ask": {"give_up_after": 0}})
def test_patient(anamorph):
    anamorph(broken)
"""
    )
    done, said = run(project)
    done.assert_outcomes(failed=2)
    assert "SystemDown" in said and "out of memory" in said
    assert "The system does not work" in said


def test_options_stand_in_for_the_marker_and_the_nearest_wins(project: pytest.Pytester) -> None:
    (project.path / "tox.ini").unlink()
    project.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        addopts = "--strict-markers --strict-config -W error"
        anamorph_scenes = "toybox:3"
        anamorph_methods = "deeptest"
        anamorph_max_rate = "100%"
        anamorph_limit = "2"
        anamorph_out = "runs"
        """
    )
    project.makepyfile(
        MODELS
        + """
def test_options(anamorph):
    assert anamorph(bright).numbers.scene_count == 2

@pytest.mark.anamorph(limit=1)
class TestMarked:
    def test_class(self, anamorph):
        assert anamorph(same).numbers.scene_count == 1

    @pytest.mark.anamorph(limit=3)
    def test_nearest(self, anamorph):
        assert anamorph(same).numbers.scene_count == 3
        assert anamorph(same, limit=2).numbers.scene_count == 2
"""
    )
    for _ in range(2):
        done, said = run(project)
        assert done.ret == 0, said
    folders = sorted(path.name for path in (project.path / "runs").iterdir())
    assert len(folders) == 4 and any("test_options" in name for name in folders)


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ("", "No scenes given. Use @pytest.mark.anamorph"),
        ("scenes=SCENES, max_rates=1", "unknown argument 'max_rates'. Did you mean 'max_rate'?"),
        ("scenes=SCENES, max_rate=2", "max_rate must be a share such as 5% or 0.05, got 2"),
        ("scenes=SCENES, gate='median'", "gate must be one of rate, interval, floor, got 'median'"),
        ("scenes=SCENES, methods='romme'", "Unknown method 'romme'. Did you mean 'rome'?"),
    ],
)
def test_wrong_arguments_are_named(project: pytest.Pytester, marker: str, complaint: str) -> None:
    project.makepyfile(f"{MODELS}\n@pytest.mark.anamorph({marker})\ndef test_it(anamorph):\n    anamorph(same)\n")
    done, said = run(project)
    done.assert_outcomes(failed=1)
    assert complaint in said


def test_it_works_with_xdist(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes=SCENES, settings=SETTINGS)
@pytest.mark.parametrize("model", [same, bright])
def test_captioner(anamorph, model):
    anamorph(model)
"""
    )
    done, said = run(project, "-n", "2")
    done.assert_outcomes(passed=1, failed=1)
    assert "source: a dog on a bench in the sun" in said


def test_without_the_plugin_pytest_works_and_the_fixture_is_gone(project: pytest.Pytester) -> None:
    project.makepyfile("def test_it():\n    pass\n\ndef test_other(anamorph):\n    pass\n")
    done, said = run(project, "-p", "no:anamorph")
    done.assert_outcomes(passed=1, errors=1)
    assert "fixture 'anamorph' not found" in said


def test_unused_the_plugin_imports_nothing_of_anamorph(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
import sys

def test_it():
    loaded = {name for name in sys.modules if name.split(".")[0] in ("anamorph", "numpy", "cv2", "PIL")}
    assert loaded == {"anamorph", "anamorph.pytest_plugin"}
"""
    )
    done, said = run(project)
    assert done.ret == 0, said
    done, said = run(project, "--markers")
    assert "@pytest.mark.anamorph(scenes, methods=" in said


def test_what_a_baseline_knows_does_not_fail_a_test_and_what_is_new_does(project: pytest.Pytester) -> None:
    project.makepyfile(
        MODELS
        + """
@pytest.mark.anamorph(scenes=SCENES, methods=["deeptest"], settings=SETTINGS)
def test_captioner(anamorph, request):
    anamorph(bright, max_rate=request.config.getini("anamorph_max_rate") or None)
"""
    )
    options = "anamorph_out = runs\nanamorph_baseline = known.json\nanamorph_fail_on_new = true\n"
    project.makeini(f"[pytest]\naddopts = --strict-markers --strict-config -W error\n{options}")
    plain = {"format": "anamorph-baseline", "version": 1, "seed": 7, "methods": [], "plan": "0" * 32, "causes": []}
    (project.path / "known.json").write_text(json.dumps(plain))
    done, said = run(project)
    assert done.ret == 1 and "Against known.json: " in said and "(new, " in said
    done, said = run(project, "-o", "anamorph_max_rate=100%")
    assert done.ret == 1 and "new to the baseline, and none may be." in said
    done, said = run(project, "-o", "anamorph_max_rate=100%", "-o", "anamorph_fail_on_new=false")
    done.assert_outcomes(passed=1)
    (folder,) = (project.path / "runs").iterdir()
    words = [sys.executable, "-m", "anamorph.cli.main", "baseline", str(folder), "-o", "known.json"]
    subprocess.run(words, cwd=project.path, check=True, capture_output=True)
    done, said = run(project)
    done.assert_outcomes(passed=1)
