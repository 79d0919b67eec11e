from __future__ import annotations

from pathlib import Path

from anamorph.pools.folder import Pool
from anamorph.toybox.pool import toybox_pool


def test_a_pool_of_many_classes_is_made_once(tmp_path: Path) -> None:
    folder = toybox_pool(tmp_path / "pool")
    pool = Pool.open(folder)
    assert len(pool.labels()) >= 15 and all(count <= 2 for count in pool.labels().values())
    before = (folder / "pool.json").stat().st_mtime_ns
    toybox_pool(folder)
    assert (folder / "pool.json").stat().st_mtime_ns == before
