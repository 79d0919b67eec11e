"""The notebook of the tutorials, executed as the site executes it."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

for needed in ("nbclient", "nbformat", "ipykernel", "pandas", "myst_parser"):
    pytest.importorskip(needed, reason="needs pip install 'anamorph[docs]'; .ci/run has it", exc_type=ImportError)

NOTEBOOK = ROOT / "docs" / "tutorials" / "notebook.ipynb"


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.delitem(sys.modules, "site_pages", raising=False)
    return importlib.import_module("site_pages.notebooks")


def read() -> Any:
    return importlib.import_module("nbformat").read(NOTEBOOK, as_version=4)


def test_it_has_ten_cells_of_code_and_no_stored_results() -> None:
    code = [cell for cell in read().cells if cell.cell_type == "code"]
    assert len(code) == 10
    assert not any(cell.outputs or cell.execution_count for cell in code)


@pytest.mark.slow
# asyncio and pyzmq leave sockets to the garbage collector when a kernel ends.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_every_cell_runs_and_shows_what_the_text_says(
    notebooks: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = read()
    notebooks.execute(notebook)
    page = notebooks.markdown(notebook)
    assert "decided cases are violated" in page and "invents " in page
    assert re.search(r"issues? from \d+ causes? in \d+ photos?", page)
    # The run shows its issues, an issue shows its picture, and frames are tables.
    assert page.count("data:image/jpeg;base64,") >= 6 and "data:image/png;base64," in page
    assert page.count('class="dataframe"') == 3
    rates = [float(rate) for rate in re.findall(r"^(?:network|shortsighted): +([\d.]+)%", page, re.MULTILINE)]
    assert len(rates) == 2 and 0 < rates[0] < rates[1] < 100
