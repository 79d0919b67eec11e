from __future__ import annotations

import pytest

from anamorph.statistics.ranks import spearman


def test_the_rank_correlation_is_spearmans_and_ties_share_their_rank() -> None:
    # As scipy.stats.spearmanr has it.
    assert spearman([1, 2, 2, 4, 5], [3, 1, 4, 4, 9]) == pytest.approx(0.763157894736842)
    assert spearman([1, 2], [3, 3]) is None and spearman([], []) is None
