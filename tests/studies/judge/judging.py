"""Rows judged one by one."""

from __future__ import annotations

import json
from typing import Any

from anamorph.config import resolve
from anamorph.studies.judge.files import BadLine, RecordedLine
from anamorph.studies.judge.judge import JudgedRow, TranscriptJudge

LINE = 7


def judging(profile: str = "default", **readers: Any) -> TranscriptJudge:
    return TranscriptJudge(resolve({"readers": readers}).readers(), profile)


JUDGE = judging()


def judged(plain: dict[str, Any], by: TranscriptJudge = JUDGE) -> JudgedRow | BadLine:
    return by.judge(RecordedLine(LINE, {"id": "x", **plain}))


def verdict(plain: dict[str, Any], by: TranscriptJudge = JUDGE) -> dict[str, Any]:
    found = judged(plain, by)
    assert isinstance(found, JudgedRow), found
    return json.loads(json.dumps(found.record()))  # type: ignore[no-any-return]


def problem(plain: dict[str, Any]) -> str:
    found = judged(plain)
    assert isinstance(found, BadLine) and found.line == LINE, found
    return found.problem
