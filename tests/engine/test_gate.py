from __future__ import annotations

import pytest

from anamorph.config import GateSettings
from anamorph.engine.events import Finished
from anamorph.engine.gate import gate


@pytest.mark.parametrize(
    ("counts", "settings", "code"),
    [
        ((10, 0, 0), {}, 0),
        ((9, 1, 0), {}, 1),
        ((95, 5, 0), {"fail_over": "5%"}, 0),
        ((94, 6, 0), {"fail_over": "5%"}, 1),
        ((90, 10, 0), {"fail_on": 11}, 0),
        ((90, 10, 0), {"fail_on": 10}, 1),
        ((90, 10, 0), {"fail_on": 11, "fail_over": "5%"}, 1),
        ((999, 3, 0), {"fail_on": 3, "fail_over": "50%"}, 1),
        ((0, 0, 10), {}, 3),
        ((0, 0, 0), {}, 3),
        ((4, 0, 6), {}, 3),
        ((4, 0, 6), {"max_undecided": "60%"}, 0),
        ((4, 1, 6), {}, 1),
        ((4, 1, 90), {"fail_over": "50%"}, 3),
    ],
)
def test_the_exit_code_follows_the_thresholds(
    counts: tuple[int, int, int], settings: dict[str, object], code: int
) -> None:
    result = gate(Finished(*counts), GateSettings(**settings))  # type: ignore[arg-type]
    assert result.exit_code == code, result.sentence
    assert result.sentence.endswith(".")
