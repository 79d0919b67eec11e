"""Issues for studies of single cases, which captions alone would leave as leads, and a system that makes issues."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import numpy as np

from anamorph.engine.causes import causes_stage
from anamorph.store.causes import forget_causes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues, record_verdicts


def prove_leads(store: RunStore) -> None:
    """Make every lead of a run an issue, as if closed answers had proved it."""
    leads = list(issues(store, ("lead",)))
    with store.transaction():
        for case, verdict in leads:
            conflicts = tuple(replace(each, state="proved", why="Asked, it says so.") for each in verdict.conflicts)
            record_verdicts(store, [(case.id, replace(verdict, outcome="violated", conflicts=conflicts))])
        forget_causes(store)
    causes_stage(store)


def of_two_minds(pictures: list[Any], questions: list[Any]) -> list[str]:
    """The same picture and question always get the same answer, and that is all that can be said for it."""
    said = []
    for picture, question in zip(pictures, questions, strict=True):
        number = zlib.crc32(np.ascontiguousarray(picture).tobytes(), zlib.crc32((question or "").encode()))
        captions = ("A dog and a car.", "Two dogs and a person.", "A person, two cars and a tree.")
        said.append(captions[number % 3] if question is None else str(number % 3))
    return said
