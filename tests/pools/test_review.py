from __future__ import annotations

from pathlib import Path

import numpy as np

from anamorph.pools.folder import Pool, PoolEntry, write_cutout, write_list
from anamorph.pools.review import review_page


def test_the_page_shows_every_cutout_and_which_ones_are_struck_out(tmp_path: Path) -> None:
    folder = tmp_path / "it's <" / "script> mine"
    folder.mkdir(parents=True)
    entries = []
    for level, label in ((10, "cup"), (20, "<b>dog</b>")):
        id, file, sha256 = write_cutout(folder, np.full((4, 5, 4), level, np.uint8), label)
        entries.append(PoolEntry(id, label, file, sha256, 5, 4, "scene 1", "1", score=0.5, struck=label == "cup"))
    write_list(folder, entries, {})
    page = review_page(Pool.open(folder))
    assert page.count("<button") == 2 and page.count('aria-pressed="true" data-was="true"') == 1
    assert "&lt;b&gt;dog&lt;/b&gt;" in page and "<b>dog</b>" not in page
    assert page.count("</script>") == 1 and "seen 0.50" in page
    assert all(entry.id in page and entry.file in page for entry in entries)
