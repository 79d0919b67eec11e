"""Writes a plan into a run in batches, each distinct image and probe once."""

from __future__ import annotations

import functools
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from anamorph.errors import UsageError
from anamorph.model import FROM_SCENES, QUESTIONS_TAG, Case, Kinds, Probe, Scene, Skip, canonical_json, decode, encode
from anamorph.model.case import case_digest, image_digest, probe_digest
from anamorph.store.omissions import FACT
from anamorph.store.run import RunStore

# Digests are random, so each row of a batch touches other pages of a large file; larger batches share more of them.
# For 300,000 cases, batches of 2,000 wrote 3.8 GB, and batches of 10,000 wrote 0.8 GB.
BATCH = 10_000
# Ids kept in memory, of probes and scenes; those of a scene come in sequence, and others are looked up.
REMEMBERED = 5_000
PAGE = 500
# Tables of answers and what they mean, each before those that it refers to.
RESULTS = ("proofs", "suspicions", "verdicts", "failures", "answers")
# The fact with the number of rounds planned from answers, after the plan.
PLAN_ROUNDS = "plan_rounds"
SAME_ID = "another scene of this source has the same id"
WRONG_SIZE = "its mask is not of its photo's size, so it is not edited and only takes up ground"


@dataclass(frozen=True, slots=True)
class StoredScenes:
    """The scenes of a run, read a page at a time; may be iterated repeatedly."""

    store: RunStore
    kinds: Kinds

    def __iter__(self) -> Iterator[Scene]:
        return (scene for _, scene in self.numbered())

    def numbered(self, last: int = 0) -> Iterator[tuple[int, Scene]]:
        """Every scene with its row id, after the one with the id `last`."""
        query = "SELECT id, body FROM scenes WHERE id > :last ORDER BY id LIMIT :most"
        for rows in self.store.pages(query, PAGE, last):
            for id, body in rows:
                yield id, decode(Scene, json.loads(body), self.kinds)

    def __len__(self) -> int:
        return self.store.count("scenes")


def values_in_edits(store: RunStore, field: str) -> set[str]:
    """Every string that the plan's edits have in a field of this name, at any depth."""
    values = store.column(
        """SELECT DISTINCT part.atom FROM images, json_tree(images.edits) AS part
        WHERE part.key = ? AND part.type = 'text'""",
        field,
    )
    return set(values)


def planned_images(store: RunStore) -> int:
    """The number of images in the plan; proving may need more."""
    return int(store.value("SELECT count(DISTINCT image) FROM probes WHERE round = 0"))


def scene_rows(store: RunStore) -> list[int]:
    """The row ids of all scenes, in order."""
    return store.column("SELECT id FROM scenes ORDER BY id")


def some_scene_has(store: RunStore, field: str) -> bool:
    """Whether some scene has a non-empty list of this name, such as things."""
    has = "SELECT 1 FROM scenes WHERE json_array_length(body, '$.' || ?) > 0 LIMIT 1"
    return store.row(has, field) is not None


def read_skips(store: RunStore) -> Iterator[Skip]:
    """Every skipped input, in the order of the scan."""
    for what, reason in store.connection.execute("SELECT what, reason FROM skips ORDER BY id"):
        yield Skip(what, reason)


def scene_classes(store: RunStore) -> list[str]:
    """The classes of all objects, sorted."""
    return store.column(
        """SELECT DISTINCT json_extract(thing.value, '$.label') FROM scenes, json_each(scenes.body, '$.things') AS thing
        ORDER BY 1"""
    )


def labels_in_claims(store: RunStore, relation: str) -> list[str]:
    """The labels that cases of a relation have in their setting `labels`, sorted."""
    return store.column(
        """SELECT DISTINCT label.value FROM cases, json_each(cases.claim, '$.labels') AS label
        WHERE cases.relation = ? ORDER BY 1""",
        relation,
    )


def note_scene_questions(store: RunStore, count: int) -> None:
    """Keep the number of questions in the scenes; the caller holds the transaction."""
    store.set_fact("scene_questions", count)


def scene_questions(store: RunStore) -> tuple[int, int]:
    """The number of questions in the scenes, and how many of them the plan asks."""
    brought = int(store.fact("scene_questions", 0))
    if not brought:
        return 0, 0
    asked = "SELECT count(DISTINCT json_extract(probes, '$[0]')) FROM cases WHERE json_extract(tags, ?) = ?"
    return brought, int(store.value(asked, f"$.{QUESTIONS_TAG}", FROM_SCENES))


def clear_plan(store: RunStore) -> None:
    """Clear an unfinished plan; nothing is asked before a plan is finished."""
    with store.transaction() as connection:
        for table in (*RESULTS, "cases", "probes", "images", "scenes", "skips"):
            connection.execute(f"DELETE FROM {table}")
        store.set_fact(FACT, [])


@dataclass(frozen=True, slots=True)
class ItemIds:
    """The row ids for an item and its skips; `twice` if its name is a duplicate."""

    scene: int
    first_skip: int
    twice: bool = False


def write_scenes(
    store: RunStore, found: Iterable[Scene | Skip], limit: int | None, ids_of_next: Callable[[], ItemIds] | None = None
) -> Iterator[Scene | Skip]:
    """Keep scenes and skips, and yield them again, up to `limit` scenes.

    Row ids count up, unless `ids_of_next` supplies them.
    """
    batch: list[tuple[Scene | Skip, ItemIds | None, int]] = []
    count = 0
    for item in found:
        skips: list[Skip] = []
        ids = None if ids_of_next is None else ids_of_next()
        if isinstance(item, Scene):
            if limit is not None and count >= limit:
                break
            count += 1
            item, skips = _usable(item)
        for place, each in enumerate((item, *skips)):
            batch.append((each, ids, place))
            yield each
        if len(batch) >= PAGE:
            _write_scene_batch(store, batch)
            batch = []
    _write_scene_batch(store, batch)


def _usable(scene: Scene) -> tuple[Scene, list[Skip]]:
    """The scene without masks that differ in size from the photo. Objects with such masks, like crowd regions, are
    neither edited nor counted, but take up ground."""
    size = (scene.height, scene.width)
    wrong = [t for t in scene.things if t.mask is not None and (t.mask.height, t.mask.width) != size]
    if not wrong:
        return scene, []
    things = tuple(replace(t, mask=None, crowd=True) if t in wrong else t for t in scene.things)
    return replace(scene, things=things), [Skip(f"{scene.id}: {t.label} {t.id}", WRONG_SIZE) for t in wrong]


def _write_scene_batch(store: RunStore, batch: list[tuple[Scene | Skip, ItemIds | None, int]]) -> None:
    with store.transaction() as connection:
        for item, ids, place in batch:
            skip = item if isinstance(item, Skip) else Skip(item.id, SAME_ID)
            if isinstance(item, Scene) and not (ids is not None and ids.twice):
                done = connection.execute(
                    "INSERT OR IGNORE INTO scenes (id, name, body) VALUES (?, ?, ?)",
                    (None if ids is None else ids.scene, item.id, canonical_json(encode(item))),
                )
                if done.rowcount:
                    continue
            connection.execute(
                "INSERT INTO skips (id, what, reason) VALUES (?, ?, ?)",
                (None if ids is None else ids.first_skip + place, skip.what, skip.reason),
            )


@dataclass(slots=True, eq=False)
class _PlannedProbe:
    """A probe on its way to the store; its id is known once it is written."""

    digest: bytes
    image: bytes
    scene: int
    edits: str
    question: str | None
    id: int = 0


@dataclass(slots=True)
class PlanWriter:
    """Takes cases one by one; `flush` writes the rest.

    Stored probes and images are looked up a batch at a time: digests are random, and in a large plan each is on
    another page of the file.
    """

    store: RunStore
    # For later rounds: the number of attempts, which makes the stage of later rounds ask.
    attempts: int | None = None
    _cases: list[tuple[int | None, bytes, str, str, str, list[_PlannedProbe], str]] = field(default_factory=list)
    _unwritten: dict[bytes, _PlannedProbe] = field(default_factory=dict)
    _probes: OrderedDict[Probe, _PlannedProbe] = field(default_factory=OrderedDict)
    _scene_ids: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _next_image: int = 0
    _next_probe: int = 0
    # The highest scene that the store has images of: what is planned for a later one cannot be there.
    _last_scene: int = 0

    def __post_init__(self) -> None:
        self._next_image, self._next_probe = self._highest("images", "id"), self._highest("probes", "id")
        self._last_scene = self._highest("images", "scene")

    def add(self, case: Case, id: int | None = None) -> None:
        """Add a case, perhaps with its own row id; duplicates count once."""
        probes = [self._probes.get(probe) or self._planned(probe) for probe in case.probes]
        claim, tags = _json(case.relation), canonical_json(dict(case.tags))
        digest = case_digest(case.method, [probe.digest.hex() for probe in probes], claim, tags)
        self._cases.append((id, bytes.fromhex(digest), case.method, case.relation.kind, claim, probes, tags))
        if len(self._cases) >= BATCH or len(self._unwritten) >= 2 * BATCH:
            self.flush()

    def add_probe(self, probe: Probe) -> None:
        """Add a probe without a case."""
        if probe not in self._probes:
            self._planned(probe)

    def flush(self) -> None:
        """Write everything added since the last flush."""
        images, probes = self._new_rows()
        with self.store.transaction() as connection:
            connection.executemany("INSERT INTO images (id, digest, scene, edits) VALUES (?, ?, ?, ?)", images)
            connection.executemany(
                "INSERT INTO probes (id, digest, image, question, attempts) VALUES (?, ?, ?, ?, ?)",
                ((*probe, self.attempts) for probe in probes),
            )
            connection.executemany(
                """INSERT OR IGNORE INTO cases (id, digest, method, relation, claim, probes, tags)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                ((*row, json.dumps([probe.id for probe in probes]), tags) for *row, probes, tags in self._cases),
            )
        self._cases, self._unwritten = [], {}
        for memory in (self._probes, self._scene_ids):
            while len(memory) > REMEMBERED:
                memory.popitem(last=False)

    def _new_rows(self) -> tuple[list[tuple[int, bytes, int, str]], list[tuple[int, bytes, int, str | None]]]:
        """The images and probes that the store lacks, in order of appearance; probes get their ids."""
        known = self._stored(
            "probes", (probe.digest for probe in self._unwritten.values() if self._may_be_there(probe))
        )
        new = [probe for digest, probe in self._unwritten.items() if digest not in known]
        image_ids = self._stored("images", dict.fromkeys(probe.image for probe in new if self._may_be_there(probe)))
        for digest, id in known.items():
            self._unwritten[digest].id = id
        images: list[tuple[int, bytes, int, str]] = []
        for probe in new:
            if probe.image not in image_ids:
                self._next_image += 1
                image_ids[probe.image] = self._next_image
                images.append((self._next_image, probe.image, probe.scene, probe.edits))
            self._next_probe += 1
            probe.id = self._next_probe
        self._last_scene = max((self._last_scene, *(scene for _, _, scene, _ in images)))
        return images, [(probe.id, probe.digest, image_ids[probe.image], probe.question) for probe in new]

    def _planned(self, probe: Probe) -> _PlannedProbe:
        edits = _json(probe.edits)
        image = image_digest(probe.scene, edits)
        digest = bytes.fromhex(probe_digest(image, probe.question))
        found = self._unwritten.get(digest)
        if found is None:
            scene = self.scene_id(probe.scene)
            found = _PlannedProbe(digest, bytes.fromhex(image), scene, edits, probe.question)
            self._unwritten[digest] = found
        self._probes[probe] = found
        return found

    def scene_id(self, name: str) -> int:
        """The row id of a scene; UsageError if it is not in the run."""
        known = self._scene_ids.get(name)
        if known is None:
            known = self.store.value("SELECT id FROM scenes WHERE name = ?", name)
            if known is None:
                raise UsageError(
                    f"A method planned a probe on the scene {name!r}, which is not among the run's scenes."
                )
            self._scene_ids[name] = known
        return known

    def _may_be_there(self, probe: _PlannedProbe) -> bool:
        return probe.scene <= self._last_scene

    def _stored(self, table: str, digests: Iterable[bytes]) -> dict[bytes, int]:
        """The row ids of the stored ones."""
        return dict(self.store.with_digests(f"SELECT digest, id FROM {table} WHERE digest IN ({{}})", digests))

    def _highest(self, table: str, column: str) -> int:
        return int(self.store.value(f"SELECT coalesce(max({column}), 0) FROM {table}"))


@functools.lru_cache(maxsize=4096)
def _json(record: Hashable) -> str:
    return canonical_json(encode(record))
