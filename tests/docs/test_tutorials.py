"""The tutorials, as a reader follows them: every block with a language is run, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.test_five_minutes import BLOCK, _shell, summary_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vlm", "tagger"])
def test_a_tutorial_does_what_it_says(name: str, tmp_path: Path) -> None:
    said = ""
    for language, text in BLOCK.findall((ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")):
        if language == "python":
            file = re.match(r"# (\w+\.py)\n", text)
            assert file, "a Python block begins with the name of its file"
            (tmp_path / file[1]).write_text(text, encoding="utf-8")
        else:
            assert language == "sh"
            done = _shell(text, tmp_path)
            assert done.returncode == 0, done.stderr
            said += done.stdout
    function, network = summary_of(tmp_path, "function"), summary_of(tmp_path, "network")
    assert function["cases"] == network["cases"] > 20
    # The function that does not look is worse than the network that does.
    assert function["violated"] > network["violated"] > 0
    assert "function" in said and "network" in said
