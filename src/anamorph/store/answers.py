"""Pending probes, and their answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from anamorph.errors import BadRecord
from anamorph.model import Answer, Kinds, Scene, Usage, decode
from anamorph.store.audit import MOST_ATTEMPTS
from anamorph.store.discards import discarded_images
from anamorph.store.run import RunStore

PAGE = 512


@dataclass(frozen=True, slots=True)
class PendingProbe:
    """A probe with attempts that lack an answer, or (`unreadable`) have one that cannot be read."""

    id: int
    digest: str
    question: str | None
    image: int
    scene: int
    edits: str
    file: str | None
    attempts: tuple[int, ...]
    unreadable: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of one attempt at a probe: an answer, or the failure and its tokens."""

    probe: int
    attempt: int
    answer: Answer | None
    problem: str
    seconds: float
    tries: int
    recalled: bool = False
    usage: Usage | None = None


# The plan's probes, and those that prove suspicions by asking the system, or the witness. Probes of the plan that a
# proof wants asked again are among the first two.
Asked: TypeAlias = Literal["planned", "proving", "witness", "all"]
_WHICH: Mapping[Asked, str] = {
    "planned": "p.round = 0",
    "proving": "p.attempts IS NOT NULL AND p.witness = 0",
    "witness": "p.attempts IS NOT NULL AND p.witness = 1",
    "all": "1",
}


_PROBE = "p.id, lower(hex(p.digest)), p.question, i.id, i.scene, i.edits, i.file"


def _wanted(which: Asked, repeats: int) -> str:
    """SQL for the number of attempts at a probe, set by the run or by a proof."""
    plan = str(int(repeats))
    if which == "planned":
        return plan
    return f"CASE p.round WHEN 0 THEN max({plan}, coalesce(p.attempts, 0)) ELSE coalesce(p.attempts, {plan}) END"


def _pending(which: Asked, repeats: int) -> str:
    return f"""
    SELECT {_PROBE}, (SELECT group_concat(a.attempt) FROM answers a WHERE a.probe = p.id AND NOT a.unreadable),
        (SELECT group_concat(a.attempt) FROM answers a WHERE a.probe = p.id AND a.unreadable),
        {_wanted(which, repeats)}
    FROM probes p JOIN images i ON i.id = p.image WHERE NOT i.discarded
    """


def pending_probes(store: RunStore, repeats: int, which: Asked = "all") -> Iterator[PendingProbe]:
    """Every probe that lacks an answer, in the order of the plan, a page at a time.

    An unreadable answer counts as missing, so that resume asks again. Probes of discarded images are left out.
    """
    query = f"{_pending(which, repeats)} AND p.id > :last AND {_WHICH[which]} ORDER BY p.id LIMIT :most"
    for rows in store.pages(query, PAGE):
        yield from _lacking(rows)


def pending_among(store: RunStore, repeats: int, probes: Sequence[int]) -> Iterator[PendingProbe]:
    """The given probes of the plan that lack an answer, as in `pending_probes`."""
    query = f"{_pending('planned', repeats)} AND p.id IN (SELECT value FROM json_each(?)) ORDER BY p.id"
    return _lacking(store.rows(query, json.dumps(list(probes))))


def _lacking(rows: Iterable[Sequence[Any]]) -> Iterator[PendingProbe]:
    for id, digest, question, image, scene, edits, file, answered, unread, wanted in rows:
        if wanted > MOST_ATTEMPTS:
            # A forged run could exhaust memory.
            raise BadRecord("probes.attempts", f"expected at most {MOST_ATTEMPTS}, got {wanted}")
        done = set(_numbers(answered))
        attempts = tuple(attempt for attempt in range(wanted) if attempt not in done)
        if attempts:
            yield PendingProbe(id, digest, question, image, scene, edits, file, attempts, _numbers(unread))


def _numbers(joined: str | None) -> tuple[int, ...]:
    return tuple(map(int, joined.split(","))) if joined else ()


def probes_by_id(store: RunStore, ids: Sequence[int]) -> list[PendingProbe]:
    """These probes, in this order, each with its first attempt."""
    found = _probes(store, "p.id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))
    by_id = {probe.id: probe for probe in found}
    return [by_id[id] for id in ids]


def find_probe(store: RunStore, digest: str) -> PendingProbe | None:
    """The probe with a digest, or None."""
    return next(iter(_probes(store, "p.digest = ?", bytes.fromhex(digest))), None)


def photo_of_probe(store: RunStore, digest: str) -> str | None:
    """The name of a probe's scene, or None."""
    name: str | None = store.value(
        """SELECT s.name FROM probes p JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
        WHERE p.digest = ?""",
        bytes.fromhex(digest),
    )
    return name


def _probes(store: RunStore, where: str, value: str | bytes) -> list[PendingProbe]:
    query = f"SELECT {_PROBE}, NULL, NULL, 1 FROM probes p JOIN images i ON i.id = p.image WHERE {where}"
    return list(_lacking(store.rows(query, value)))


def count_pending(store: RunStore, repeats: int, which: Asked = "all") -> int:
    """How many answers are missing, by the rules of `pending_probes`."""
    if (
        which in ("all", "planned")
        and not store.count("probes", "attempts IS NOT NULL")
        and not discarded_images(store)
    ):
        # Every probe is asked equally often: no lookup for each of a million answers.
        have = store.count("answers", f"attempt < {int(repeats)} AND NOT unreadable")
        return int(repeats) * store.count("probes") - have
    wanted = _wanted(which, repeats)
    total, have = store.row(
        f"""SELECT coalesce(sum({wanted}), 0), coalesce(sum(
            (SELECT count(*) FROM answers a WHERE a.probe = p.id AND a.attempt < {wanted} AND NOT a.unreadable)
        ), 0) FROM probes p
        WHERE {_WHICH[which]} AND NOT EXISTS (SELECT 1 FROM images i WHERE i.id = p.image AND i.discarded)"""
    )
    return int(total) - int(have)


@dataclass(frozen=True, slots=True)
class PlannedProbes:
    """Pending probes for the asking stage: the plan's, or those that prove suspicions."""

    store: RunStore
    repeats: int
    which: Asked = "planned"
    # For recorded answers: whether there is one, by the probe's digest and the attempt.
    has: Callable[[str, int], bool] | None = None

    def count(self) -> int:
        """How many obtainable answers are missing."""
        if self.has is not None:
            return sum(len(probe.attempts) for probe in self.pending())
        return count_pending(self.store, self.repeats, self.which)

    def pending(self) -> Iterator[PendingProbe]:
        """Every probe that lacks an answer, in the order of the plan."""
        for probe in pending_probes(self.store, self.repeats, self.which):
            if self.has is None:
                yield probe
            elif there := tuple(attempt for attempt in probe.attempts if self.has(probe.digest, attempt)):
                yield replace(probe, attempts=there)

    def dropped(self, probes: Iterable[PendingProbe]) -> None:
        """Note that probes are not asked because they have no image."""

    def record(self, results: Iterable[AttemptResult]) -> None:
        """Keep results; the caller holds the transaction."""
        record_results(self.store, results)

    def is_known(self, result: AttemptResult) -> bool:
        """Whether this attempt had the same kind of result before: an unreadable answer, or a failure."""
        table = "failures" if result.answer is None else "answers"
        query = f"SELECT 1 FROM {table} WHERE probe = ? AND attempt = ?"
        return self.store.row(query, result.probe, result.attempt) is not None


def scene_of(store: RunStore, scene: int, kinds: Kinds) -> Scene:
    """The scene with this row id."""
    return decode(Scene, json.loads(store.row("SELECT body FROM scenes WHERE id = ?", scene)[0]), kinds)


def untouched_labels(store: RunStore) -> dict[int, dict[str, float]]:
    """The first label scores that each scene's untouched image got, by the scene's row id."""
    rows = store.rows(
        """SELECT i.scene, a.labels FROM answers a JOIN probes p ON p.id = a.probe JOIN images i ON i.id = p.image
        WHERE a.labels IS NOT NULL AND i.edits = '[]' AND p.question IS NULL AND p.witness = 0
        ORDER BY a.attempt DESC, a.probe DESC"""
    )
    return {scene: json.loads(labels) for scene, labels in rows}


def record_image(
    store: RunStore, image: int, file: str | None, problem: str | None, *, discarded: bool = False
) -> None:
    """Keep the file of an image, or why it could not be made or was discarded."""
    store.connection.execute(
        "UPDATE images SET file = ?, problem = ?, discarded = ? WHERE id = ?", (file, problem, discarded, image)
    )


def record_results(store: RunStore, results: Iterable[AttemptResult]) -> None:
    """Keep results; an answer replaces an unreadable one, which goes to the failures.

    The caller holds the transaction.
    """
    now, connection = time.time(), store.connection
    for result in results:
        key = (result.probe, result.attempt)
        answer = result.answer
        if answer is None:
            connection.execute(
                "INSERT INTO failures (probe, attempt, message, at, tries) VALUES (?, ?, ?, ?, ?)",
                (*key, storable(result.problem), now, result.tries),
            )
            continue
        connection.execute(
            """
            INSERT INTO failures (probe, attempt, message, at, tries)
            SELECT probe, attempt, 'unreadable answer: ' || coalesce(text, labels), at, tries
            FROM answers WHERE probe = ? AND attempt = ? AND unreadable
            """,
            key,
        )
        labels = None if answer.labels is None else json.dumps(dict(answer.labels), ensure_ascii=False)
        connection.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (*key, storable(answer.text), storable(labels), result.seconds, now, result.tries, result.recalled),
        )


def storable(text: str | None) -> str | None:
    """The text with lone surrogates, which no file can hold, escaped."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def answers_of(store: RunStore, probes: Sequence[int]) -> Mapping[int, dict[int, Answer]]:
    """The answers of some probes: probe -> attempt -> answer."""
    found: dict[int, dict[int, Answer]] = {probe: {} for probe in probes}
    rows = store.connection.execute(
        "SELECT probe, attempt, text, labels FROM answers WHERE probe IN (SELECT value FROM json_each(?))",
        (json.dumps(list(found)),),
    )
    for probe, attempt, text, labels in rows:
        found[probe][attempt] = answer_of(text, labels)
    return found


def answer_of(text: str | None, labels: str | None) -> Answer:
    """The answer in a row."""
    return Answer(text, None if labels is None else json.loads(labels))


def answers_to_photos(store: RunStore, most: int) -> Iterator[tuple[int, bool, Answer]]:
    """First answers about untouched photos, at most `most`: the scene, whether a question was asked, the answer."""
    rows = store.connection.execute(
        """SELECT i.scene, p.question IS NOT NULL, a.text, a.labels
        FROM answers a JOIN probes p ON p.id = a.probe JOIN images i ON i.id = p.image
        WHERE a.attempt = 0 AND i.edits = '[]' AND p.round = 0 ORDER BY a.probe LIMIT ?""",
        (most,),
    )
    return ((scene, bool(asked), answer_of(*answer)) for scene, asked, *answer in rows)


def forms_of_answers(store: RunStore) -> tuple[bool, bool, bool, bool]:
    """Whether some answers are labels, and some text; whether the plan asks questions, and shows images alone."""
    row = store.row(
        """SELECT EXISTS (SELECT 1 FROM answers WHERE labels IS NOT NULL),
            EXISTS (SELECT 1 FROM answers WHERE labels IS NULL),
            EXISTS (SELECT 1 FROM probes WHERE question IS NOT NULL AND round = 0),
            EXISTS (SELECT 1 FROM probes WHERE question IS NULL)"""
    )
    labels, texts, asked, shown = map(bool, row)
    return labels, texts, asked, shown


def answering_times(store: RunStore) -> tuple[int, int, float]:
    """The number of answers asked for and of those recalled from a cache, and the seconds of asking."""
    calls, recalled, seconds = store.row(
        """SELECT count(*) - total(recalled), total(recalled), total(CASE WHEN recalled THEN 0 ELSE seconds END)
        FROM answers"""
    )
    return int(calls), int(recalled), float(seconds)


def questions_of(store: RunStore, probes: Sequence[int]) -> Mapping[int, str | None]:
    """The questions of some probes; None for those that only show a picture."""
    query = "SELECT id, question FROM probes WHERE id IN (SELECT value FROM json_each(?))"
    return dict(store.rows(query, json.dumps(list(probes))))


def problems_of(store: RunStore, probes: Sequence[int]) -> Mapping[int, str]:
    """Why probes have no answer: the image's problem, or the latest failure."""
    ids = json.dumps(list(probes))
    failed = "SELECT probe, message FROM failures WHERE probe IN (SELECT value FROM json_each(?)) ORDER BY id"
    unmade = """SELECT p.id, i.problem FROM probes p JOIN images i ON i.id = p.image
        WHERE p.id IN (SELECT value FROM json_each(?)) AND i.problem IS NOT NULL"""
    return dict(store.rows(failed, ids) + store.rows(unmade, ids))


def mark_unreadable(store: RunStore, keys: Iterable[tuple[int, int]]) -> None:
    """Mark these answers (probe, attempt) as unreadable, so that resume asks again."""
    store.connection.executemany("UPDATE answers SET unreadable = 1 WHERE probe = ? AND attempt = ?", list(keys))
