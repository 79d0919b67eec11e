"""The guide to Python, as a reader follows it: its blocks are run, one after another, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

GUIDE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


class Generator:
    def generate(self, images: Any) -> list[str]:
        return ["a photo"] * len(images)


@pytest.mark.parametrize("place", range(len(BLOCKS)))
def test_every_block_runs(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    import anamorph

    names: dict[str, Any] = {"anamorph": anamorph, "model": Generator(), "__name__": "guide"}
    exec(compile(BLOCKS[place].replace("toybox:20", "toybox:4"), "python.md", "exec", dont_inherit=True), names)
    if place == 0:
        assert names["run"].report().is_file() and len(list(tmp_path.glob("*.png"))) == min(3, len(names["run"].issues))
        assert "False" in capsys.readouterr().out
    if place == len(BLOCKS) - 1:
        assert capsys.readouterr().out == "violated\n"


def test_the_blocks_are_those_that_were_meant() -> None:
    assert len(BLOCKS) == 3
