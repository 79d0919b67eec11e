"""Images that a check discarded: neither shown to the system nor counted as failures."""

from __future__ import annotations

from anamorph.store.run import RunStore


def discarded_images(store: RunStore) -> int:
    """The number of discarded images."""
    return store.count("images", "discarded")


def discarded_cases(store: RunStore) -> int:
    """The number of cases that cannot be decided because an image was discarded."""
    if not discarded_images(store):
        return 0
    count = store.value(
        """
        WITH lost AS (SELECT p.id FROM probes p JOIN images i ON i.id = p.image WHERE i.discarded)
        SELECT count(*) FROM cases c WHERE EXISTS (SELECT 1 FROM json_each(c.probes) j WHERE j.value IN lost)
        """
    )
    return int(count)


def discard_reasons(store: RunStore, most: int = 5) -> list[tuple[str, int]]:
    """The most common reasons for discarding images, with counts."""
    return store.rows(
        """SELECT problem, count(*) AS n FROM images WHERE discarded
        GROUP BY problem ORDER BY n DESC, problem LIMIT ?""",
        most,
    )
