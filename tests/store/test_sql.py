"""SQL about runs is written in the store alone."""

from __future__ import annotations

import re

from tests.conftest import ROOT

# The index of captions is a database of the searcher's own.
_OTHERS = {"searchers/local/caption_index.py"}


def test_nothing_outside_the_store_executes_sql() -> None:
    source = ROOT / "src" / "anamorph"
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"\.execute(many|script)?\(", path.read_text(encoding="utf-8"))
    }
    assert {path for path in found if not path.startswith("store/")} == _OTHERS
