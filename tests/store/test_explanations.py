from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import RunError
from anamorph.model import Answer, Box, encode
from anamorph.store.case_records import record_case
from anamorph.store.explanations import (
    CoveredPatch,
    ExplainedCase,
    Patch,
    PatchReply,
    SeenBox,
    explanations_of,
    record_explanation,
    replies_about,
)
from anamorph.store.run import RunStore

PATCH = Patch(0, 0, 4, 5)
FOUND = ExplainedCase(
    1,
    "dog",
    "part",
    False,
    20,
    10,
    (CoveredPatch(PATCH, 0.5),),
    "ab.jpg",
    (3, 4),
    "cat",
    (SeenBox("dog", Box(1, 2, 3, 4), 0.5),),
    False,
    7,
    (PatchReply("ab", PATCH, (Answer("1"),)), PatchReply("ab", None, (Answer(labels={"dog": 0.5}),))),
)


def test_what_was_found_is_found_again_and_so_are_answers_about_an_image(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {}) as store:
        with store.transaction():
            record_explanation(store, "12", FOUND)
        assert explanations_of(store, ["12", "34"]) == {"12": FOUND}
        assert replies_about(store, "ab") == list(FOUND.replies) and replies_about(store, "cd") == []


@pytest.mark.parametrize(
    "changes", [{"width": 0}, {"position": -1}, {"peak": None}, {"picture": None}, {"calls": "many"}, {"carrier": "?"}]
)
def test_what_no_run_could_have_written_is_refused_with_its_place(tmp_path: Path, changes: dict[str, Any]) -> None:
    with RunStore.create(tmp_path / "run", {}) as store:
        with store.transaction():
            record_case(store, "explanations", "12", {**encode(FOUND), **changes})
        with pytest.raises(RunError, match=r"run.sqlite: explanations.12: "):
            explanations_of(store, ["12"])
