"""Questions that are asked to confirm an issue, one for each image and class, and what came back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph.model import Answer
from anamorph.model.case import probe_digest
from anamorph.store.answers import CHUNK, PAGE, AttemptResult, PendingProbe, storable
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class ConfirmingAnswer:
    """The answer to a confirming question about an image; None where there is none, and why."""

    question: str
    answer: Answer | None
    problem: str


@dataclass(frozen=True, slots=True)
class ConfirmingQuestions:
    """What is still to be asked to confirm issues, for the stage that asks."""

    store: RunStore

    def count(self) -> int:
        """How many have no answer yet."""
        return self.store.count("confirmations", "text IS NULL")

    def dropped(self, probes: Iterable[PendingProbe]) -> None:
        """Note that questions are not asked, because they have no image."""

    def pending(self) -> Iterator[PendingProbe]:
        """Those that have no answer yet, in the order in which they came up, a page at a time."""
        last = 0
        while True:
            rows = self.store.connection.execute(
                """
                SELECT k.id, lower(hex(i.digest)), k.question, i.id, i.scene, i.edits, i.file
                FROM confirmations k JOIN images i ON i.id = k.image
                WHERE k.id > ? AND k.text IS NULL AND NOT i.discarded ORDER BY k.id LIMIT ?
                """,
                (last, PAGE),
            ).fetchall()
            if not rows:
                return
            for id, image_digest, question, image, scene, edits, file in rows:
                last = id
                digest = probe_digest(image_digest, question)
                yield PendingProbe(id, digest, question, image, scene, edits, file, (0,))

    def is_known(self, result: AttemptResult) -> bool:
        """Whether this question had a result before, which is then a failure."""
        found = self.store.connection.execute("SELECT at FROM confirmations WHERE id = ?", (result.probe,)).fetchone()
        return result.answer is None and found is not None and found[0] is not None

    def record(self, results: Iterable[AttemptResult]) -> None:
        """Keep what came back; the caller holds the transaction."""
        now = time.time()
        for result in results:
            text = None if result.answer is None else result.answer.text
            problem = None if text is not None else result.problem or "the answer is not a text"
            self.store.connection.execute(
                "UPDATE confirmations SET text = ?, problem = ?, seconds = ?, at = ?, tries = ? WHERE id = ?",
                (
                    None if text is None else storable(text),
                    None if problem is None else storable(problem),
                    result.seconds,
                    now,
                    result.tries,
                    result.probe,
                ),
            )


def add_questions(store: RunStore, wanted: Iterable[tuple[int, str, str]]) -> None:
    """Note (image, class, question) as wanted, each once; the caller holds the transaction."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO confirmations (image, label, question) VALUES (?, ?, ?)", wanted
    )


def images_of(store: RunStore, probes: Sequence[int]) -> dict[int, int]:
    """The image of each probe."""
    found: dict[int, int] = {}
    for start in range(0, len(probes), CHUNK):
        some = probes[start : start + CHUNK]
        marks = ",".join("?" * len(some))
        found.update(store.connection.execute(f"SELECT id, image FROM probes WHERE id IN ({marks})", some).fetchall())
    return found


def count_images(store: RunStore, pages: Iterable[Sequence[int]]) -> int:
    """How many images some probes have, which come a page at a time; they are counted in a table and not in memory."""
    connection = store.connection
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS counted_images (image INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.counted_images")
    for probes in pages:
        connection.execute(
            """INSERT OR IGNORE INTO temp.counted_images
            SELECT image FROM probes WHERE id IN (SELECT value FROM json_each(?))""",
            (json.dumps(probes),),
        )
    count = int(connection.execute("SELECT count(*) FROM temp.counted_images").fetchone()[0])
    connection.execute("DELETE FROM temp.counted_images")
    return count


def answers_about(store: RunStore, images: Sequence[int]) -> Mapping[tuple[int, str], ConfirmingAnswer]:
    """What was asked about these images to confirm issues, by image and class."""
    found: dict[tuple[int, str], ConfirmingAnswer] = {}
    for start in range(0, len(images), CHUNK):
        some = images[start : start + CHUNK]
        rows = store.connection.execute(
            f"""SELECT image, label, question, text, problem FROM confirmations
            WHERE image IN ({",".join("?" * len(some))})""",
            some,
        )
        for image, label, question, text, problem in rows:
            answer = None if text is None else Answer(text=text)
            found[image, label] = ConfirmingAnswer(question, answer, problem or "")
    return found
