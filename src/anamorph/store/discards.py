"""Images that the melt check discarded: they are not shown to the system, and are counted apart from failures."""

from __future__ import annotations

from anamorph.store.run import RunStore

# The reason of a discard begins so, and no other problem of an image does.
MELT_CHECK = "The melt check "
# SQL that is true for the row of a discarded image; GLOB, unlike LIKE, minds the case.
IS_DISCARDED = f"(problem IS NOT NULL AND problem GLOB '{MELT_CHECK}*')"


def is_discard(problem: str | None) -> bool:
    """Whether an image has this problem because the melt check discarded it."""
    return problem is not None and problem.startswith(MELT_CHECK)


def discarded_images(store: RunStore) -> int:
    """How many images were discarded."""
    return store.count("images", IS_DISCARDED)


def discarded_cases(store: RunStore) -> int:
    """How many cases cannot be decided because one of their images was discarded."""
    if not discarded_images(store):
        return 0
    row = store.connection.execute(
        f"""
        WITH lost AS (SELECT p.id FROM probes p JOIN images i ON i.id = p.image WHERE {IS_DISCARDED})
        SELECT count(*) FROM cases c WHERE EXISTS (SELECT 1 FROM json_each(c.probes) j WHERE j.value IN lost)
        """
    ).fetchone()
    return int(row[0])


def discard_reasons(store: RunStore, most: int = 5) -> list[tuple[str, int]]:
    """The commonest reasons for discarding an image, with how many images each."""
    rows = store.connection.execute(
        f"""SELECT problem, count(*) AS n FROM images WHERE {IS_DISCARDED}
        GROUP BY problem ORDER BY n DESC, problem LIMIT ?""",
        (most,),
    )
    return [(reason, count) for reason, count in rows]
