from __future__ import annotations

import pytest

from anamorph.statistics.tables import fewest_to_most


@pytest.mark.parametrize(
    ("numbers", "words"), [((), "objects"), ((1, 1), "1 object"), ((2,), "2 objects"), ((3, 1, 2), "1 to 3 objects")]
)
def test_numbers_are_said_from_the_fewest_to_the_most(numbers: tuple[int, ...], words: str) -> None:
    assert fewest_to_most(numbers, "object", "objects") == words
