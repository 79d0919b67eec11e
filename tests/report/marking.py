"""Marks for the issues of runs made by hand."""

from __future__ import annotations

import hashlib
from typing import Any

from anamorph.report.reviews import answers_of_case
from anamorph.store.marks import MARKS_FILE, Mark, MarkVerdict, answers_digest, append_mark, read_marks
from anamorph.store.run import RunStore
from anamorph.store.verdicts import find_cases


def mark(store: RunStore, case: str, reviewer: str, verdict: MarkVerdict, repeats: int = 1, **more: Any) -> Mark:
    """Append a mark of the case as it is answered now to the run's own file."""
    (stored,) = find_cases(store, case)
    id = hashlib.blake2b(f"{case} {reviewer} {verdict} {more}".encode(), digest_size=16).hexdigest()
    answers = answers_digest(answers_of_case(store, stored, repeats))
    file = store.folder / MARKS_FILE
    # Each mark is later than those before it.
    second = len(read_marks(file))
    made = Mark(id, case, answers, reviewer, verdict, f"2026-11-17T09:{second // 60:02}:{second % 60:02}+00:00", **more)
    append_mark(file, made)
    return made
