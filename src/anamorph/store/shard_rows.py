"""Copies the rows of shards into one run, in the order of a single run."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from anamorph.errors import RunError
from anamorph.store.case_records import RecordTable
from anamorph.store.images import ImageFolder
from anamorph.store.json_lines import line_of
from anamorph.store.marks import MARKS_FILE, encoded_mark, read_marks
from anamorph.store.own_files import open_own, refuse_link
from anamorph.store.run import RunStore

# Rows of all shards on their way to the run; temporary tables are in a file, so memory does not grow with them. Cases
# are ordered by method, scene number and row id, or by row id alone if shards planned all scenes.
_STAGED = """
CREATE TEMP TABLE scenes_in (number INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL);
CREATE TEMP TABLE scene_ids (number INTEGER PRIMARY KEY, id INTEGER NOT NULL);
CREATE TEMP TABLE skips_in (number INTEGER PRIMARY KEY, what TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TEMP TABLE images_in (shard, id, digest, scene, edits, file, problem, discarded, PRIMARY KEY (shard, id));
CREATE TEMP TABLE probes_in (
    shard, id, digest, image, question, round, attempts, witness, PRIMARY KEY (shard, id)
);
CREATE TEMP TABLE cases_in (
    method_place, scene, id, shard, digest, method, relation, claim, probes, tags,
    PRIMARY KEY (method_place, scene, id, shard)
) WITHOUT ROWID;
CREATE TEMP TABLE image_ids (shard, old, new, PRIMARY KEY (shard, old)) WITHOUT ROWID;
CREATE TEMP TABLE probe_ids (shard, old, new, PRIMARY KEY (shard, old)) WITHOUT ROWID;
CREATE TEMP TABLE case_ids (shard, old, new, PRIMARY KEY (shard, old)) WITHOUT ROWID;
CREATE TEMP TABLE suspicion_ids (shard, old, new, PRIMARY KEY (shard, old)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class ShardFolder:
    """A shard's folder, its number, and whether it planned all scenes and kept its part."""

    folder: Path
    index: int
    whole: bool


def copy_shards(store: RunStore, shards: Sequence[ShardFolder], methods: Sequence[str]) -> None:
    """Copy all rows, images and marks; RunError if any cannot be placed. The caller holds the transaction."""
    for shard in shards:
        with RunStore.open(shard.folder, read_only=True) as source:
            _stage(store.connection, source.connection, shard, methods)
    _write_scenes(store.connection)
    _write_plan(store.connection)
    _write_closed_questions(store.connection)
    for shard in shards:
        with RunStore.open(shard.folder, read_only=True) as source:
            _write_results(store, source, shard.index)
            _require_all_of(source, shard, store.connection)
    _require_all_results(store.connection, shards)


def prepare_copy(store: RunStore) -> None:
    """Create the staging tables; outside of a transaction."""
    store.connection.executescript(_STAGED)


def _stage(to: sqlite3.Connection, source: sqlite3.Connection, shard: ShardFolder, methods: Sequence[str]) -> None:
    index, whole = shard.index, shard.whole
    to.executemany("INSERT OR IGNORE INTO scenes_in VALUES (?, ?, ?)", source.execute("SELECT * FROM main.scenes"))
    to.executemany("INSERT INTO skips_in VALUES (?, ?, ?)", source.execute("SELECT * FROM main.skips"))
    to.executemany(
        "INSERT INTO images_in VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        source.execute("SELECT ?, id, digest, scene, edits, file, problem, discarded FROM images", (index,)),
    )
    to.executemany(
        "INSERT INTO probes_in VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        source.execute("SELECT ?, id, digest, image, question, round, attempts, witness FROM probes", (index,)),
    )
    cases = source.execute(
        """SELECT c.id, c.digest, c.method, c.relation, c.claim, c.probes, c.tags, i.scene FROM cases c
        JOIN probes p ON p.id = json_extract(c.probes, '$[0]') JOIN images i ON i.id = p.image"""
    )
    places = {name: place for place, name in enumerate(methods)}
    to.executemany(
        "INSERT INTO cases_in VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (*((0, 0) if whole else (places[method], scene)), id, index, digest, method, *rest)
            for id, digest, method, *rest, scene in cases
        ),
    )


def _write_scenes(to: sqlite3.Connection) -> None:
    twice = to.execute("SELECT name FROM scenes_in GROUP BY name HAVING count(*) > 1").fetchone()
    if twice is not None:
        raise RunError(f"The scene {twice[0]!r} is in two shards. They were not made from the same scenes.")
    to.execute("INSERT INTO scene_ids SELECT number, row_number() OVER (ORDER BY number) FROM scenes_in")
    to.execute(
        "INSERT INTO main.scenes SELECT k.id, name, body FROM scenes_in JOIN scene_ids k USING (number) ORDER BY 1"
    )
    to.execute("INSERT INTO main.skips (what, reason) SELECT what, reason FROM skips_in ORDER BY number")


def _write_plan(to: sqlite3.Connection) -> None:
    """Write cases in the order of a single run, and probes and images as they appear in them."""
    cases = to.execute(
        """SELECT shard, id, digest, method, relation, claim, probes, tags FROM cases_in
        ORDER BY method_place, scene, id, shard"""
    )
    for new, (shard, old, digest, method, relation, claim, probes, tags) in enumerate(cases, 1):
        ids = [_probe_id(to, shard, probe) for probe in json.loads(probes)]
        to.execute(
            "INSERT INTO main.cases VALUES (?, ?, ?, ?, ?, ?, ?)",
            (new, digest, method, relation, claim, json.dumps(ids), tags),
        )
        to.execute("INSERT INTO case_ids VALUES (?, ?, ?)", (shard, old, new))


def _write_closed_questions(to: sqlite3.Connection) -> None:
    """Copy the questions of proving, round by round and scene by scene, after the plan."""
    asked = to.execute(
        """SELECT p.shard, p.id FROM probes_in p JOIN images_in i ON i.shard = p.shard AND i.id = p.image
        WHERE p.round > 0 ORDER BY p.round, i.scene, p.id, p.shard"""
    )
    for shard, id in asked:
        _probe_id(to, shard, id)


def _probe_id(to: sqlite3.Connection, shard: int, old: int) -> int:
    known = to.execute("SELECT new FROM probe_ids WHERE shard = ? AND old = ?", (shard, old)).fetchone()
    if known is None:
        digest, image, *rest, attempts, witness = to.execute(
            "SELECT digest, image, question, round, attempts, witness FROM probes_in WHERE shard = ? AND id = ?",
            (shard, old),
        ).fetchone()
        # A user's method may ask about one image in cases of several scenes.
        known = to.execute("SELECT id FROM main.probes WHERE digest = ?", (digest,)).fetchone()
        new_image = _image_id(to, shard, image)
        if known is None:
            done = to.execute(
                """INSERT INTO main.probes (digest, image, question, round, attempts, witness)
                VALUES (?, ?, ?, ?, ?, ?)""",
                (digest, new_image, *rest, attempts, witness),
            )
            known = (done.lastrowid,)
        elif attempts is not None:
            to.execute(
                "UPDATE main.probes SET attempts = max(?1, coalesce(attempts, ?1)) WHERE id = ?2", (attempts, known[0])
            )
        to.execute("INSERT INTO probe_ids VALUES (?, ?, ?)", (shard, old, known[0]))
    return int(known[0])


def _image_id(to: sqlite3.Connection, shard: int, old: int) -> int:
    known = to.execute("SELECT new FROM image_ids WHERE shard = ? AND old = ?", (shard, old)).fetchone()
    if known is None:
        digest, *rest = to.execute(
            """SELECT i.digest, k.id, i.edits, i.file, i.problem, i.discarded FROM images_in i
            JOIN scene_ids k ON k.number = i.scene WHERE i.shard = ? AND i.id = ?""",
            (shard, old),
        ).fetchone()
        known = to.execute("SELECT id FROM main.images WHERE digest = ?", (digest,)).fetchone()
        if known is None:
            done = to.execute(
                """INSERT INTO main.images (digest, scene, edits, file, problem, discarded)
                VALUES (?, ?, ?, ?, ?, ?)""",
                (digest, *rest),
            )
            known = (done.lastrowid,)
        to.execute("INSERT INTO image_ids VALUES (?, ?, ?)", (shard, old, known[0]))
    return int(known[0])


def _write_results(store: RunStore, source: RunStore, shard: int) -> None:
    to, rows = store.connection, source.connection.execute
    to.executemany(
        """INSERT OR IGNORE INTO main.answers SELECT new, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
        FROM probe_ids WHERE shard = ?10 AND old = ?1""",
        ((*row, shard) for row in rows("SELECT * FROM answers")),
    )
    to.executemany(
        """INSERT INTO main.failures (probe, attempt, message, at, tries) SELECT new, ?2, ?3, ?4, ?5
        FROM probe_ids WHERE shard = ?6 AND old = ?1""",
        ((*row, shard) for row in rows("SELECT probe, attempt, message, at, tries FROM failures ORDER BY id")),
    )
    to.executemany(
        """INSERT INTO main.verdicts SELECT new, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
        FROM case_ids WHERE shard = ?10 AND old = ?1""",
        (
            (*row, shard)
            for row in rows(
                'SELECT "case", outcome, reason, grade, state, vacuous, wrong_anyway, score, body FROM verdicts'
            )
        ),
    )
    _write_suspicions(to, source.connection, shard)
    for (name,) in rows("SELECT DISTINCT file FROM images WHERE file IS NOT NULL"):
        _take_image(store.images, source.images, name)
    for table in get_args(RecordTable):
        for digest, body in rows(f"SELECT digest, body FROM {table}"):
            to.execute(f"INSERT OR REPLACE INTO main.{table} VALUES (?, ?)", (digest, body))
            for file in _files_in(json.loads(body)):
                _take_image(store.images, source.images, file)
    marks = source.folder / MARKS_FILE
    refuse_link(marks)
    if marks.exists():
        # Marks are about cases and their answers, so all lines of each file count.
        with open_own(store.folder / MARKS_FILE, "append") as all_marks:
            for line in read_marks(marks):
                all_marks.write(line_of(encoded_mark(line)))


# Rows of these map one to one; answers to a question that two shards asked are merged.
_SUMMED = ("cases", "verdicts", "failures", "suspicions", "proofs")


def _require_all_of(source: RunStore, shard: ShardFolder, to: sqlite3.Connection) -> None:
    """RunError if a row of a shard's plan is missing from the run."""
    for table, ids in (("images", "image_ids"), ("probes", "probe_ids"), ("cases", "case_ids")):
        (came,) = to.execute(f"SELECT count(*) FROM {ids} WHERE shard = ?", (shard.index,)).fetchone()
        if came != source.count(table):
            raise RunError(
                f"{shard.folder}: of its {source.count(table):,} {table}, only {came:,} belong to a case or a closed "
                "question. The run is damaged, or was not written by Anamorph."
            )


def _require_all_results(to: sqlite3.Connection, shards: Sequence[ShardFolder]) -> None:
    """RunError unless the run has as many rows as its shards together."""
    counts = dict.fromkeys(_SUMMED, 0)
    for shard in shards:
        with RunStore.open(shard.folder, read_only=True) as source:
            for table in _SUMMED:
                counts[table] += source.count(table)
    for table, wanted in counts.items():
        (there,) = to.execute(f"SELECT count(*) FROM main.{table}").fetchone()
        if there != wanted:
            raise RunError(f"The shards have {wanted:,} {table} together, and the run would have {there:,}.")


def _write_suspicions(to: sqlite3.Connection, source: sqlite3.Connection, shard: int) -> None:
    (last,) = to.execute("SELECT coalesce(max(id), 0) FROM main.suspicions").fetchone()
    rows = source.execute(
        'SELECT id, "case", label, grade, what, probes, known, state, why FROM suspicions ORDER BY "case", id'
    )
    for new, (old, *row) in enumerate(rows, last + 1):
        to.execute(
            """INSERT INTO main.suspicions SELECT ?1, new, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            FROM case_ids WHERE shard = ?10 AND old = ?2""",
            (new, *row, shard),
        )
        to.execute("INSERT INTO suspicion_ids VALUES (?, ?, ?)", (shard, old, new))
    to.executemany(
        """INSERT INTO main.proofs SELECT k.new, ?2, p.new, ?4, ?5
        FROM suspicion_ids k JOIN probe_ids p ON p.shard = ?6 AND p.old = ?3 WHERE k.shard = ?6 AND k.old = ?1""",
        ((*row, shard) for row in source.execute("SELECT suspicion, place, probe, part, said FROM proofs")),
    )


def _files_in(plain: Any) -> Iterator[str]:
    """Every image that a shrunk or explained case names."""
    if isinstance(plain, dict):
        for name, value in plain.items():
            if name in ("file", "picture") and isinstance(value, str):
                yield value
            else:
                yield from _files_in(value)
    elif isinstance(plain, list):
        for item in plain:
            yield from _files_in(item)


def _take_image(to: ImageFolder, source: ImageFolder, name: str) -> None:
    """Link an image, or copy it if linking fails; `resume` recreates a missing one."""
    found = source.find(name)
    if found is None:
        return
    path = to.path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(found, path)
    except FileExistsError:
        return
    except OSError:
        to.write(found.read_bytes(), found.suffix)
