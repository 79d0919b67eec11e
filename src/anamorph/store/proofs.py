"""The closed questions that prove suspicions, and the results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from anamorph.model import Answer, Conflict, Verdict, canonical_json, encode
from anamorph.model.case import Probe, image_digest, proving_digest
from anamorph.store.answers import answer_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import ISSUE_PAGE, SOURCE, StoredCase, cases_with_verdicts, record_verdicts

# The edits of an image as JSON, the question, the total attempts, and whether the witness is asked.
PlainOrder: TypeAlias = tuple[str, str, int, bool]
# The fact with the number of rounds of closed questions planned.
ROUNDS = "proving_rounds"


@dataclass(frozen=True, slots=True)
class ProofLine:
    """One answer of a proof: its image, in words ("the source"), and the answer ("2")."""

    probe: int
    part: str
    said: str


@dataclass(frozen=True, slots=True)
class ProbeOrder:
    """A closed question about an image, to be asked `attempts` times in all, perhaps of the witness."""

    probe: Probe
    attempts: int = 1
    witness: bool = False

    @property
    def plain(self) -> PlainOrder:
        return canonical_json(encode(self.probe.edits)), self.probe.question or "", self.attempts, self.witness


@dataclass(frozen=True, slots=True)
class ClosedProbe:
    """A probe with a question about an image of a scene, and its answers by attempt.

    `wanted` is how often it is asked; None if the run says so. `problem` says why an image has none.
    """

    id: int
    edits: str
    question: str
    witness: bool
    wanted: int | None
    answers: Mapping[int, Answer]
    problem: str | None = None


def suspected_by_scene(store: RunStore) -> Iterator[tuple[int, list[tuple[StoredCase, Verdict]]]]:
    """Every case with a suspicion, with its verdict, a scene at a time."""
    store.connection.execute(
        'CREATE TEMP TABLE IF NOT EXISTS suspected (scene INTEGER, "case" INTEGER, PRIMARY KEY (scene, "case")) '
        "WITHOUT ROWID"
    )
    store.connection.execute("DELETE FROM temp.suspected")
    store.connection.execute(
        f"""INSERT INTO temp.suspected
        SELECT DISTINCT i.scene, c.id FROM suspicions k JOIN cases c ON c.id = k."case" {SOURCE}"""
    )
    scene = 0
    while scene := store.value("SELECT min(scene) FROM temp.suspected WHERE scene > ?", scene):
        cases = store.column('SELECT "case" FROM temp.suspected WHERE scene = ?', scene)
        yield scene, list(cases_with_verdicts(store, cases))


def closed_probes(store: RunStore, scene: int) -> list[ClosedProbe]:
    """Every probe of a scene with a question, and its answers."""
    rows = store.rows(
        """SELECT p.id, i.edits, p.question, p.witness, p.attempts, i.problem,
            (SELECT json_group_object(a.attempt, a.text) FROM answers a WHERE a.probe = p.id AND a.text IS NOT NULL)
        FROM images i JOIN probes p ON p.image = i.id WHERE i.scene = ? AND p.question IS NOT NULL ORDER BY p.id""",
        scene,
    )
    return [
        ClosedProbe(
            id,
            edits,
            question,
            bool(witness),
            wanted,
            {int(attempt): Answer(text=text) for attempt, text in json.loads(answers or "{}").items()},
            problem,
        )
        for id, edits, question, witness, wanted, problem, answers in rows
    ]


def probes_of_scene(store: RunStore, scene: int) -> dict[tuple[str, str | None], Answer | None]:
    """The system's first answer to every probe of a scene, by edits as JSON and question."""
    rows = store.rows(
        """SELECT i.edits, p.question, a.text, a.labels FROM images i JOIN probes p ON p.image = i.id
        LEFT JOIN answers a ON a.probe = p.id AND a.attempt = 0
        WHERE i.scene = ? AND NOT p.witness ORDER BY p.id""",
        scene,
    )
    return {
        (edits, question): None if text is None and labels is None else answer_of(text, labels)
        for edits, question, text, labels in rows
    }


def captions_of_scene(store: RunStore, scene: int) -> list[tuple[int, int, str, Answer]]:
    """First answers that describe images of a scene: probe, image, its edits as JSON, and the answer."""
    rows = store.rows(
        """SELECT p.id, i.id, i.edits, a.text, a.labels FROM images i JOIN probes p ON p.image = i.id
        JOIN answers a ON a.probe = p.id AND a.attempt = 0 WHERE i.scene = ? AND p.question IS NULL ORDER BY p.id""",
        scene,
    )
    return [(probe, image, edits, answer_of(text, labels)) for probe, image, edits, text, labels in rows]


def edits_of_probes(store: RunStore, probes: Sequence[int]) -> dict[int, str]:
    """The edits of the images of some probes, as JSON."""
    return _of_probes(store, "i.edits", probes)


def images_of_probes(store: RunStore, probes: Sequence[int]) -> dict[int, int]:
    """The images of some probes."""
    return _of_probes(store, "i.id", probes)


def scenes_of_probes(store: RunStore, probes: Sequence[int]) -> dict[int, int]:
    """The scene rows of some probes."""
    return _of_probes(store, "i.scene", probes)


def _of_probes(store: RunStore, column: str, probes: Sequence[int]) -> dict[int, Any]:
    rows = store.rows(
        f"""SELECT p.id, {column} FROM probes p JOIN images i ON i.id = p.image
        WHERE p.id IN (SELECT value FROM json_each(?))""",
        json.dumps(list(probes)),
    )
    return dict(rows)


def scene_row(store: RunStore, name: str) -> int | None:
    """The row of a scene, or None."""
    row: int | None = store.value("SELECT id FROM scenes WHERE name = ?", name)
    return row


def file_of_image(store: RunStore, scene: int, edits: str) -> str | None:
    """The file of an image of a scene, if it was made and not discarded."""
    digest = image_digest(store.value("SELECT name FROM scenes WHERE id = ?", scene), edits)
    query = "SELECT file FROM images WHERE digest = ? AND NOT discarded"
    file: str | None = store.value(query, bytes.fromhex(digest))
    return file


def record_proofs(store: RunStore, settled: Iterable[tuple[int, Verdict, Sequence[Sequence[ProofLine]]]]) -> None:
    """Keep the settled suspicions of some cases, with their proofs; the caller holds the transaction."""
    for case, verdict, proofs in settled:
        record_verdicts(store, [(case, verdict)])
        store.connection.executemany(
            "INSERT INTO proofs VALUES (?, ?, ?, ?, ?)",
            [
                (id, place, line.probe, line.part, line.said)
                for id, lines in zip(_suspicion_ids(store, case), proofs, strict=True)
                for place, line in enumerate(lines)
            ],
        )


def _suspicion_ids(store: RunStore, case: int) -> list[int]:
    return store.column('SELECT id FROM suspicions WHERE "case" = ? ORDER BY id', case)


@dataclass(frozen=True, slots=True)
class ShownProof:
    """A suspicion and the answers that settled it: each image's digest and file, the question and the answers."""

    conflict: Conflict
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One answer of a proof, for people; `file` is the image's name in the run's folder, `edits` its edits."""

    part: str
    said: str
    question: str
    file: str | None
    edits: str
    answers: tuple[str, ...]
    witness: bool


def proofs_of(store: RunStore, case: int, conflicts: Sequence[Conflict]) -> list[ShownProof]:
    """The proofs of a case's suspicions, in order."""
    ids = _suspicion_ids(store, case)
    found: list[ShownProof] = []
    for id, conflict in zip(ids, conflicts, strict=True):
        rows = store.rows(
            """SELECT k.part, k.said, p.question, i.file, i.edits, p.witness,
                (SELECT json_group_array(a.text) FROM
                    (SELECT text FROM answers WHERE probe = p.id AND text IS NOT NULL ORDER BY attempt) a)
            FROM proofs k JOIN probes p ON p.id = k.probe JOIN images i ON i.id = p.image
            WHERE k.suspicion = ? ORDER BY k.place""",
            id,
        )
        lines = tuple(
            ShownLine(part, said, question or "", file, edits, tuple(json.loads(answers)), bool(witness))
            for part, said, question, file, edits, witness, answers in rows
        )
        found.append(ShownProof(conflict, lines))
    return found


# Conflicts about existence come before those about numbers.
EXISTENCE = ("existence", "lost", "gained", "missing", "invented", "gone")
_LEADS = f"""
    SELECT v."case" FROM verdicts v JOIN suspicions k ON k."case" = v."case" AND k.state = 'lead'
    WHERE v.outcome = 'lead' GROUP BY v."case"
    ORDER BY min(k.what NOT IN {EXISTENCE}),
        min(CASE k.grade WHEN 'contradiction' THEN 0 WHEN 'invention' THEN 1 WHEN 'miscount' THEN 2 ELSE 3 END),
        v."case"
"""


def ranked_leads(store: RunStore) -> Iterator[tuple[StoredCase, Verdict]]:
    """Every lead with its verdict: those about existence first, then the surest."""
    cases = store.column(_LEADS)
    for start in range(0, len(cases), ISSUE_PAGE):
        yield from cases_with_verdicts(store, cases[start : start + ISSUE_PAGE])


def count_proving(store: RunStore, repeats: int) -> tuple[int, int]:
    """How many closed questions were planned to prove suspicions, and how many calls these are in all; to ask a probe
    of the plan more often than the run does also takes calls.
    """
    row: tuple[int, int] = store.row(
        """SELECT coalesce(sum(round > 0), 0),
            coalesce(sum(CASE round WHEN 0 THEN max(0, attempts - ?) ELSE attempts END), 0)
        FROM probes WHERE attempts IS NOT NULL""",
        repeats,
    )
    return row


def is_ordered(store: RunStore, order: ProbeOrder, repeats: int) -> bool:
    """Whether a closed question has the wanted attempts planned; a probe of the plan has `repeats`."""
    digest = bytes.fromhex(proving_digest(order.probe.image_digest, order.probe.question, order.witness))
    row = store.row("SELECT attempts FROM probes WHERE digest = ?", digest)
    return row is not None and (repeats if row[0] is None else int(row[0])) >= order.attempts


class OrderBook:
    """Orders for closed questions, kept on disk and returned by rank."""

    def __init__(self, store: RunStore) -> None:
        self._store, self._connection = store, store.connection
        self._connection.execute(
            """CREATE TEMP TABLE IF NOT EXISTS wanted_proofs (
                number INTEGER, doubtful INTEGER, size REAL, id INTEGER PRIMARY KEY, scene INTEGER, orders TEXT
            )"""
        )
        self._connection.execute("DELETE FROM temp.wanted_proofs")

    def add(self, rank: tuple[bool, bool, float], scene: int, orders: Sequence[ProbeOrder]) -> None:
        """Note the next questions for a suspicion; a smaller rank comes first."""
        self._connection.execute(
            "INSERT INTO temp.wanted_proofs (number, doubtful, size, scene, orders) VALUES (?, ?, ?, ?, ?)",
            (*rank, scene, json.dumps([order.plain for order in orders])),
        )

    def __len__(self) -> int:
        return self._store.count("temp.wanted_proofs")

    def ranked(self) -> Iterator[tuple[int, str, list[PlainOrder]]]:
        """The scene, its name and the orders of each suspicion."""
        for id in self._store.column("SELECT id FROM temp.wanted_proofs ORDER BY number, doubtful, size, id"):
            scene, name, text = self._store.row(
                """SELECT w.scene, s.name, w.orders FROM temp.wanted_proofs w JOIN scenes s ON s.id = w.scene
                WHERE w.id = ?""",
                id,
            )
            yield scene, name, [tuple(order) for order in json.loads(text)]


def order_probes(store: RunStore, scene: int, name: str, orders: Sequence[PlainOrder], round: int, repeats: int) -> int:
    """Plan closed questions about images of a scene, each distinct image and probe once; returns the number of new
    calls.

    The caller holds the transaction. An existing probe gets more attempts if wanted.
    """
    connection, new = store.connection, 0
    for edits, question, attempts, witness in orders:
        digest = image_digest(name, edits)
        connection.execute(
            "INSERT OR IGNORE INTO images (digest, scene, edits) VALUES (?, ?, ?)",
            (bytes.fromhex(digest), scene, edits),
        )
        image = store.value("SELECT id FROM images WHERE digest = ?", bytes.fromhex(digest))
        own = bytes.fromhex(proving_digest(digest, question, witness))
        row = store.row("SELECT id, attempts FROM probes WHERE digest = ?", own)
        planned = 0 if row is None else repeats if row[1] is None else int(row[1])
        if row is None:
            connection.execute(
                "INSERT INTO probes (digest, image, question, round, attempts, witness) VALUES (?, ?, ?, ?, ?, ?)",
                (own, image, question, round, attempts, witness),
            )
        elif planned < attempts:
            connection.execute("UPDATE probes SET attempts = ? WHERE id = ?", (attempts, row[0]))
        new += max(0, attempts - planned)
    return new
