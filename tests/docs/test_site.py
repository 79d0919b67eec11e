"""The documentation site: it builds without a warning, offline, with everything that is made from the code."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anamorph
from anamorph import catalog
from anamorph.cli.main import COMMANDS
from tests.conftest import ROOT

for needed in ("sphinx", "furo", "myst_parser", "nbclient"):
    pytest.importorskip(needed, reason="needs pip install 'anamorph[docs]'; .ci/run has it", exc_type=ImportError)

pytestmark = pytest.mark.slow


def build(docs: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """What `make docs` does; tests/docs/test_notebook.py executes the notebook."""
    options = ["-W", "--keep-going", "-q", "-E", "-b", "html", "-D", "execute_notebooks=0"]
    return subprocess.run([sys.executable, "-m", "sphinx", *options, docs, out], capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT / "docs", out)
    assert done.returncode == 0, done.stderr
    return out


def test_every_page_is_there(site: Path) -> None:
    pages = [page.relative_to(ROOT / "docs") for kind in ("md", "ipynb") for page in (ROOT / "docs").rglob(f"*.{kind}")]
    assert len(pages) > 100
    for page in pages:
        assert (site / page.with_suffix(".html")).is_file(), page


def test_every_command_every_setting_and_every_name_is_in_the_reference(site: Path) -> None:
    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'id="{name}"' in commands, name
    for group, entries in catalog.CATALOG.items():
        page = (site / "reference" / "settings" / f"{group}.html").read_text(encoding="utf-8")
        for name in entries:
            assert re.search(rf'<section id="(?:{name}|id\d+)">\s*(?:<span[^>]*></span>)?<h2>{name}<', page), (
                group,
                name,
            )
    names = (site / "reference" / "names.html").read_text(encoding="utf-8")
    for name in {*anamorph.__all__} - {"__version__", "Pixels"}:
        assert f'id="anamorph.{name}"' in names, name


def test_the_run_settings_are_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "settings" / "run.html").read_text(encoding="utf-8")
    for key in ("seed", "fail_over", "timeout_seconds", "min_score"):
        assert f">{key}</span>" in page, key
    assert "at least 0.001" in page


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]+src=\"([^\"]+)\"", text)
        loaded += re.findall(r"<link[^>]+rel=\"(?:stylesheet|preload|icon)[^>]+href=\"([^\"]+)\"", text)
        assert not [address for address in loaded if re.match(r"(?:[a-z]+:)?//", address)], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copytree(ROOT / "docs" / "site_pages", docs / "site_pages")
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    (docs / "other.md").write_text("# Two\n\n## There\n")
    links = "[a](other.md#there) [b](nowhere.md) [c](other.md#no-such-heading)"
    (docs / "index.md").write_text(f"# One\n\n{links}\n\n:::{{toctree}}\nother\n:::\n")
    done = build(docs, tmp_path / "site")
    assert done.returncode != 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if "WARNING" in line]
    assert len(complaints) == 2 and "nowhere.md" in complaints[0] and "no-such-heading" in complaints[1]


def test_a_marker_for_which_nothing_is_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    made = importlib.import_module("site_pages.reference").made
    with pytest.raises(ValueError, match="Nothing is made for 'nonsense'; known: commands"):
        made("nonsense")
