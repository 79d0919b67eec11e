"""Probes that ask for descriptions, and the classes inserted into their images."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from anamorph.store.run import RunStore


class DescribedImage(NamedTuple):
    """A probe: its image with edits as JSON and file, its question, and whether it is for the witness."""

    probe: int
    image: int
    edits: str
    file: str | None
    question: str | None
    witness: int


def describing_probes(store: RunStore) -> Iterator[tuple[int, list[int]]]:
    """The probes that ask to describe an image, or ask about the unedited photo, a photo at a time."""
    rows = store.connection.execute(
        """SELECT i.scene, p.id FROM probes p JOIN images i ON i.id = p.image
        WHERE p.question IS NULL OR i.edits = '[]' ORDER BY 1, 2"""
    )
    for scene, some in itertools.groupby(rows, key=itemgetter(0)):
        yield scene, [probe for _, probe in some]


def described_images(store: RunStore, probes: Sequence[int]) -> list[DescribedImage]:
    """These probes with their images."""
    return store.records(
        DescribedImage,
        """SELECT p.id, i.id, i.edits, i.file, p.question, p.witness FROM probes p JOIN images i ON i.id = p.image
        WHERE p.id IN (SELECT value FROM json_each(?)) ORDER BY p.id""",
        json.dumps(probes),
    )


def kinds_of_edits(store: RunStore) -> list[str]:
    """The kinds of the plan's edits."""
    return store.records(
        str, "SELECT DISTINCT json_extract(edit.value, '$.kind') FROM images, json_each(images.edits) AS edit"
    )


class Insertions:
    """Classes inserted into images, in a temporary table, which SQLite keeps on disk."""

    def __init__(self, store: RunStore) -> None:
        self._connection = store.connection
        self._connection.execute("DROP TABLE IF EXISTS temp.insertions")
        self._connection.execute(
            "CREATE TEMP TABLE insertions (image INTEGER, label TEXT, PRIMARY KEY (image, label)) WITHOUT ROWID"
        )

    def add(self, labels_and_probes: Iterable[tuple[str, int]]) -> None:
        """Note classes inserted into the images of probes."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO temp.insertions SELECT image, ? FROM probes WHERE id = ?", labels_and_probes
        )

    def of(self, image: int) -> frozenset[str]:
        """The classes inserted into an image."""
        rows = self._connection.execute("SELECT label FROM temp.insertions WHERE image = ?", (image,))
        return frozenset(label for (label,) in rows)
