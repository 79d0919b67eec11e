from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import RunError
from anamorph.model import Answer, Verdict, encode
from anamorph.store.case_records import record_case
from anamorph.store.run import RunStore
from anamorph.store.shrinks import ShrunkCase, ShrunkProbe, StoredReply, record_shrink, shrinks_of

PROBE = ShrunkProbe("ab", "[]", "How many?", "cd.jpg", (Answer("2"), Answer(labels={"dog": 0.5})))
SHRUNK_CASE = ShrunkCase(
    '{"kind": "same-objects"}',
    (PROBE,),
    Verdict("violated", "No."),
    False,
    7,
    (StoredReply("ef", None, (Answer("1"),)),),
)


def test_what_was_found_is_found_again_and_other_cases_have_nothing(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {}) as store:
        with store.transaction():
            record_shrink(store, "12", SHRUNK_CASE)
        assert shrinks_of(store, ["12", "34"]) == {"12": SHRUNK_CASE}
        assert shrinks_of(store, []) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"claim": "["},
        {"claim": "[]"},
        {"verdict": None},
        {"probes": []},
        {"calls": "many"},
        {"probes": [{**encode(PROBE), "edits": "{}"}]},
        {"probes": [{**encode(PROBE), "answers": []}]},
    ],
)
def test_what_no_run_could_have_written_is_refused_with_its_place(tmp_path: Path, changes: dict[str, Any]) -> None:
    with RunStore.create(tmp_path / "run", {}) as store:
        with store.transaction():
            record_case(store, "shrinks", "12", {**encode(SHRUNK_CASE), **changes})
        with pytest.raises(RunError, match=r"run.sqlite: shrinks.12: "):
            shrinks_of(store, ["12"])
