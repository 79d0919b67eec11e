"""What the test cases of runs cost: how many a photo gives, and how many images and calls they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anamorph.model import Table
from anamorph.statistics.tables import share
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class RunCost:
    """One run: photos that cases were made of, cases, edited images that were made and discarded, calls, seconds of the
    system under test, and cases that are violated."""

    run: str
    photos: int
    cases: int
    images: int
    discarded: int
    calls: int
    seconds: float
    violated: int


_COUNTS = """
SELECT (SELECT count(DISTINCT i.scene) FROM cases c JOIN probes p ON p.id = json_extract(c.probes, '$[0]')
        JOIN images i ON i.id = p.image),
    (SELECT count(*) FROM cases),
    (SELECT count(*) FROM images WHERE edits <> '[]' AND file IS NOT NULL AND NOT discarded),
    (SELECT count(*) FROM images WHERE edits <> '[]' AND discarded),
    (SELECT count(*) FROM answers WHERE NOT recalled),
    (SELECT total(seconds) FROM answers WHERE NOT recalled),
    (SELECT count(*) FROM verdicts WHERE outcome = 'violated')
"""


def cost_of(name: str, store: RunStore) -> RunCost:
    """What one run took."""
    return RunCost(name, *store.connection.execute(_COUNTS).fetchone())


def cost_table(costs: Sequence[RunCost]) -> Table:
    """The runs below each other."""
    rows = tuple(
        (
            each.run,
            each.photos,
            each.cases,
            f"{each.cases / each.photos:.1f}" if each.photos else "-",
            each.images,
            each.discarded,
            each.calls,
            f"{each.seconds:.1f}",
            f"{each.violated} ({share(each.violated, each.cases)})",
            f"{each.calls / each.violated:.1f}" if each.violated else "-",
        )
        for each in costs
    )
    columns = ("run", "photos", "cases", "per photo", "images", "discarded", "calls", "seconds", "violated")
    return Table("Cost", (*columns, "calls per report"), rows)
