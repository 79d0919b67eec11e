"""Audit of a run file: finds the row and table that holds something that no run writes.

It runs only when reading a run fails, so that a damaged or forged file is reported as such, with the place, and never
mistaken for a fault of Anamorph or of the machine.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, get_args

from anamorph.errors import BadRecord
from anamorph.model import SUSPICION_STATES, Answer, Conflict, Scene, Verdict, decode
from anamorph.model.case import case_digest, image_digest, proving_digest
from anamorph.model.codec import check_plain
from anamorph.model.verdict import ConflictKind
from anamorph.statistics.blame import Pattern, Standing
from anamorph.store.schema import TABLES

# The storage classes that SQLite allows in a column of each declared type.
_STORED_AS = {"TEXT": ("text",), "INTEGER": ("integer",), "REAL": ("real", "integer"), "BLOB": ("blob",)}
# The machine's fault, not the file's: no memory, no space, no permission, another process, a failing disk.
_OF_THE_MACHINE = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in ("PERM", "BUSY", "LOCKED", "NOMEM", "READONLY", "INTERRUPT", "IOERR", "FULL", "CANTOPEN")
)
_LATEST_MOMENT = 253_402_300_799.0
# The limit of the setting `ask.repeats`.
MOST_ATTEMPTS = 100
_CAUSE_KINDS = (*get_args(ConflictKind), "relation")

FactCheck: TypeAlias = tuple[str, Callable[[Any], bool]]
# A query for a key and values, the column that it checks, and the complaint about the values.
RowCheck: TypeAlias = tuple[str, str, Callable[..., str | None]]


def complaint_about(connection: sqlite3.Connection) -> str | None:
    """The first error in a run file, with its table, column and row, or None."""
    try:
        return next(_complaints(connection), None)
    except sqlite3.Error as problem:
        if of_the_machine(problem):
            return None
        return f"the file is damaged ({problem})"


def of_the_machine(problem: BaseException) -> bool:
    """Whether an error of SQLite says nothing about the file."""
    return _code_of(problem) in _OF_THE_MACHINE


def says_damaged(problem: BaseException) -> bool:
    """Whether SQLite itself found the file damaged; the audit may miss that."""
    return _code_of(problem) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code_of(problem: BaseException) -> int | None:
    # Python's own errors, such as for text that is not UTF-8, have no code.
    code = getattr(problem, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def missing_columns(connection: sqlite3.Connection) -> str | None:
    """The first table or column that a run file lacks."""
    for table, columns in _layout().items():
        there = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}
        if not there:
            return f"it has no table {table!r}"
        if lacking := [name for name in columns if name not in there]:
            return f"its table {table!r} has no column {lacking[0]!r}"
    return None


def complaint_about_fact(name: str, text: Any) -> str | None:
    """The problem with a stored fact."""
    try:
        value = json.loads(text)
        check_plain(value)
    except (ValueError, TypeError, RecursionError) as problem:
        return f"facts.{name} is not JSON ({_short(problem)})"
    except BadRecord as problem:
        return f"facts.{name}: {problem}"
    expected, is_right = _FACTS.get(name, ("", lambda _: True))
    if is_right(value) or (value is None and name in _OPTIONAL_FACTS):
        return None
    return f"facts.{name}: expected {expected}, got {_short(json.dumps(value))}"


def _complaints(connection: sqlite3.Connection) -> Iterator[str]:
    lacking = missing_columns(connection)
    if lacking is not None:
        yield lacking
        return
    for (said,) in connection.execute("PRAGMA quick_check(1)"):
        if said != "ok":
            yield f"the file is damaged ({_short(said)})"
    yield from _wrong_types(connection)
    for name, text in connection.execute("SELECT name, value FROM facts"):
        said = complaint_about_fact(name, text)
        if said is not None:
            yield said
    yield from _broken_references(connection)
    yield from _wrong_rows(connection, _ROWS_OF_THE_PLAN)
    yield from _wrong_digests(connection)
    yield from _wrong_rows(connection, _ROWS_OF_RESULTS)


def _layout() -> Mapping[str, Mapping[str, tuple[str, bool]]]:
    """Table -> column -> its type, and whether it may be empty; from the statements that create a run file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(TABLES)
        names = [name for (name,) in empty.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {
            table: {
                name: (kind, not required and not key)
                for _, name, kind, required, _, key in empty.execute(f"PRAGMA table_info({table})")
            }
            for table in names
        }
    empty.close()
    return found


def _wrong_types(connection: sqlite3.Connection) -> Iterator[str]:
    for table, columns in _layout().items():
        key = next(iter(columns))
        for name, (kind, optional) in columns.items():
            allowed = [*_STORED_AS[kind], *(["null"] if optional else [])]
            marks = ",".join("?" * len(allowed))
            wrong = f'SELECT "{key}", typeof("{name}") FROM {table} WHERE typeof("{name}") NOT IN ({marks}) LIMIT 1'
            for row, found in connection.execute(wrong, allowed):
                yield f"{table}.{name} of row {row}: expected {' or '.join(allowed)}, got {found}"
            if kind == "REAL":
                infinite = f'SELECT "{key}" FROM {table} WHERE "{name}" NOT BETWEEN -1e300 AND 1e300 LIMIT 1'
                for (row,) in connection.execute(infinite):
                    yield f"{table}.{name} of row {row}: expected a finite number"
            if kind == "TEXT":
                yield from _broken_texts(connection, table, key, name)


def _broken_texts(connection: sqlite3.Connection, table: str, key: str, name: str) -> Iterator[str]:
    rows = connection.execute(f'SELECT "{key}", CAST("{name}" AS BLOB) FROM {table} WHERE "{name}" IS NOT NULL')
    for row, content in rows:
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            yield f"{table}.{name} of row {row}: not UTF-8 text"
            return


# Not covered by declared keys: in tables without row ids SQLite does not name the row, and causes are derived.
_REFERENCES = (
    ("proofs", "suspicion", "suspicions", "id"),
    ("proofs", "probe", "probes", "id"),
    ("answers", "probe", "probes", "id"),
    ("causes", "scene", "scenes", "id"),
    ("causes", "blamed", "probes", "id"),
    ("causes", "example", "cases", "id"),
    ("cause_cases", "case", "cases", "id"),
    ("cause_cases", "cause", "causes", "rank"),
    ("ranked_issues", "case", "cases", "id"),
    ("ranked_issues", "cause", "causes", "rank"),
)


def _broken_references(connection: sqlite3.Connection) -> Iterator[str]:
    keys = {table: next(iter(columns)) for table, columns in _layout().items()}
    for table, column, parent, key in _REFERENCES:
        orphans = f"""SELECT "{keys[table]}" FROM {table} t
            WHERE NOT EXISTS (SELECT 1 FROM {parent} p WHERE p.{key} = t."{column}") LIMIT 1"""
        for (row,) in connection.execute(orphans):
            yield f"{table}.{column} of row {row}: names a row of {parent!r} that is not there"
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        at = "" if row is None else f" {row}"
        yield f"a row{at} of {table!r} names a row of {parent!r} that is not there"
        return
    cases = """SELECT c.id FROM cases c, json_each(CASE WHEN json_valid(c.probes) THEN c.probes ELSE '[]' END) j
        WHERE NOT EXISTS (SELECT 1 FROM probes p WHERE p.id = j.value) LIMIT 1"""
    for (row,) in connection.execute(cases):
        yield f"cases.probes of row {row}: names a probe that is not there"


def _wrong_digests(connection: sqlite3.Connection) -> Iterator[str]:
    """Images, probes and cases whose digest does not fit their content: the plan was changed."""
    images = connection.execute(
        "SELECT i.id, lower(hex(i.digest)), s.name, i.edits FROM images i JOIN scenes s ON s.id = i.scene"
    )
    for id, digest, scene, edits in images:
        if image_digest(scene, edits) != digest:
            yield f"images.digest of row {id}: not that of its scene and edits"
    probes = connection.execute(
        """SELECT p.id, lower(hex(p.digest)), lower(hex(i.digest)), p.question, p.witness
        FROM probes p JOIN images i ON i.id = p.image"""
    )
    digests: dict[int, str] = {}
    for id, digest, image, question, witness in probes:
        digests[id] = digest
        if proving_digest(image, question, bool(witness)) != digest:
            yield f"probes.digest of row {id}: not that of its image and question"
    cases = connection.execute("SELECT id, lower(hex(digest)), method, claim, probes, tags FROM cases")
    for id, digest, method, claim, text, tags in cases:
        if case_digest(method, [digests[probe] for probe in json.loads(text)], claim, tags) != digest:
            yield f"cases.digest of row {id}: not that of its probes, claim and tags"


# --- rows -----------------------------------------------------------------------------------------------------------


def _wrong_rows(connection: sqlite3.Connection, checks: Sequence[RowCheck]) -> Iterator[str]:
    for select, where, check in checks:
        for key, *values in connection.execute(select):
            said = _said_by(check, values)
            if said is not None:
                yield f"{where} of row {key}: {said}"


def _said_by(check: Callable[..., str | None], values: list[Any]) -> str | None:
    try:
        return check(*values)
    except (BadRecord, ValueError, TypeError, KeyError, OverflowError, RecursionError) as problem:
        return f"no run writes this ({_short(problem)})"


def _scene(body: str) -> str | None:
    scene = decode(Scene, json.loads(body))
    if not 0 < scene.width < 10**6 or not 0 < scene.height < 10**6:
        return f"a scene of {scene.width} x {scene.height}"
    for thing in scene.things:
        if thing.mask is not None and (thing.mask.height, thing.mask.width) != (scene.height, scene.width):
            return f"the mask of {thing.id!r} is not of the scene's size"
    return None


def _edits(text: str) -> str | None:
    plain = json.loads(text)
    check_plain(plain)
    if not isinstance(plain, list) or not all(isinstance(e, dict) and isinstance(e.get("kind"), str) for e in plain):
        return "expected a list of edits"
    return None


def _claim(text: str) -> str | None:
    plain = json.loads(text)
    check_plain(plain)
    return None if isinstance(plain, dict) and isinstance(plain.get("kind"), str) else "expected a relation"


def _probes(text: str) -> str | None:
    plain = json.loads(text)
    whole = isinstance(plain, list) and plain and all(type(id) is int and 0 < id < 2**63 for id in plain)
    return None if whole else "expected a list of numbers of probes"


def _tags(text: str) -> str | None:
    plain = json.loads(text)
    whole = isinstance(plain, dict) and all(isinstance(value, str) for value in plain.values())
    return None if whole else "expected a table of strings"


def _answer(text: str | None, labels: str | None) -> None:
    decode(Answer, {"text": text, "labels": None if labels is None else json.loads(labels)})


def _verdict(
    body: str,
    outcome: str,
    reason: str,
    grade: str | None,
    state: str | None,
    vacuous: int,
    wrong_anyway: int | None,
    score: float | None,
    probes: str,
) -> str | None:
    told = {"outcome": outcome, "reason": reason, "grade": grade, "vacuous": bool(vacuous), "score": score}
    verdict = decode(Verdict, {**json.loads(body), **told})
    if vacuous not in (0, 1) or wrong_anyway not in (None, 0, 1):
        return "vacuous or wrong_anyway is neither true nor false"
    if state is not None and state not in SUSPICION_STATES:
        return f"expected a state of suspicions, got {_short(state)!r}"
    count = len(json.loads(probes))
    if not all(0 <= item.probe < count for item in verdict.evidence):
        return "the evidence names a probe that the case does not have"
    return None


def _asked(question: str | None, round: int, attempts: int | None, witness: int) -> str | None:
    if round < 0:
        return f"expected a round from 0, got {round}"
    if witness not in (0, 1) or (witness and not round):
        return f"expected no witness, or one in a later round, got {witness} in round {round}"
    if attempts is None if round else attempts is not None and question is None:
        return "closed questions need attempts, and only questions have them"
    if attempts is not None and not 0 < attempts <= MOST_ATTEMPTS:
        return f"expected 1 to {MOST_ATTEMPTS} attempts, got {attempts}"
    return "a closed question without text" if round and question is None else None


def _suspicion(label: str, grade: str, what: str, own: str, known: int, state: str, probes: str) -> str | None:
    told = {"label": label, "grade": grade, "what": what, "probes": json.loads(own), "state": state}
    conflict = decode(Conflict, told)
    if known not in (0, 1):
        return "known is neither true nor false"
    if not all(0 <= probe < len(json.loads(probes)) for probe in conflict.probes):
        return "a conflict names a probe that the case does not have"
    return None


def _cause(
    digest: str, what: str, grade: int, cases: int, methods: str, answers: int, standing: str | None
) -> str | None:
    if what not in _CAUSE_KINDS:
        return f"unknown kind {_short(what)!r}"
    if grade < 0 or cases < 1 or answers < 1 or len(digest) != 32:
        return "lacks a grade, cases, answers or a digest"
    if standing is not None and standing not in get_args(Standing):
        return f"unknown standing {_short(standing)!r}"
    plain = json.loads(methods)
    whole = isinstance(plain, list) and all(isinstance(each, str) for each in plain)
    return None if whole else "expected a list of methods"


def _pattern(body: str) -> None:
    decode(Pattern, json.loads(body))


def _cases(text: str) -> str | None:
    plain = json.loads(text)
    whole = isinstance(plain, list) and all(type(id) is int and 0 < id < 2**63 for id in plain)
    return None if whole else "expected a list of numbers of cases"


def _record(body: str) -> str | None:
    plain = json.loads(body)
    check_plain(plain)
    return None if isinstance(plain, dict) else "expected a record"


_ROWS_OF_THE_PLAN: tuple[RowCheck, ...] = (
    ("SELECT id, body FROM scenes", "scenes.body", _scene),
    ("SELECT id, edits FROM images", "images.edits", _edits),
    ("SELECT id, question, round, attempts, witness FROM probes", "probes.round, attempts and witness", _asked),
    ("SELECT id, claim FROM cases", "cases.claim", _claim),
    ("SELECT id, probes FROM cases", "cases.probes", _probes),
    ("SELECT id, tags FROM cases", "cases.tags", _tags),
)
_ROWS_OF_RESULTS: tuple[RowCheck, ...] = (
    ("SELECT probe, text, labels FROM answers", "answers.text and labels", _answer),
    (
        'SELECT v."case", v.body, v.outcome, v.reason, v.grade, v.state, v.vacuous, v.wrong_anyway, v.score, '
        'c.probes FROM verdicts v JOIN cases c ON c.id = v."case"',
        "verdicts.body",
        _verdict,
    ),
    (
        "SELECT k.id, k.label, k.grade, k.what, k.probes, k.known, k.state, c.probes "
        'FROM suspicions k JOIN cases c ON c.id = k."case"',
        "suspicions",
        _suspicion,
    ),
    ("SELECT suspicion, place FROM proofs WHERE place < 0", "proofs.place", "expected a place from 0, got {}".format),
    ("SELECT rank, digest, what, grade, cases, methods, answers, standing FROM causes", "causes", _cause),
    ("SELECT rank, body FROM patterns", "patterns.body", _pattern),
    ("SELECT number, even FROM rounds", "rounds.even", _cases),
    ("SELECT number, chosen FROM rounds", "rounds.chosen", _cases),
    ("SELECT digest, body FROM shrinks", "shrinks.body", _record),
    ("SELECT digest, body FROM explanations", "explanations.body", _record),
)


def _is_spending(value: Any) -> bool:
    counts = [value.get(name, 0) for name in ("images_sent", "tokens_in", "tokens_out", "uncounted", "perhaps_twice")]
    amounts = [value.get(name, 0.0) for name in ("spent", "said", "dearest")]
    return all(map(_is_count, counts)) and all(type(each) in (int, float) and 0 <= each < math.inf for each in amounts)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


# What is expected of a fact, and whether a value is it.
_TEXT: FactCheck = "a string", lambda value: isinstance(value, str) and value.isprintable()
_TABLE: FactCheck = "a table", lambda value: isinstance(value, dict)
_FLAG: FactCheck = "true or false", lambda value: isinstance(value, bool)
_COUNT: FactCheck = "a count", _is_count
_LIST: FactCheck = (
    "a list of tables",
    lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
)
_MOMENT: FactCheck = ("seconds since 1970", lambda value: type(value) in (int, float) and 0 <= value <= _LATEST_MOMENT)
_FACTS: Mapping[str, FactCheck] = {
    "version": _TEXT,
    "created_at": _MOMENT,
    "config": _TABLE,
    "directory": _TEXT,
    "planned": _FLAG,
    "judged": _FLAG,
    "judged_as": _TEXT,
    "fingerprint": _TABLE,
    "spending": ("a table of counts and amounts", lambda value: isinstance(value, dict) and _is_spending(value)),
    "left_out": _LIST,
    "inpainters": _TABLE,
    "painters": _TABLE,
    "under_way": _COUNT,
    "evidence": ("answers, witness or captions", lambda value: value in ("answers", "witness", "captions")),
    "proving_rounds": _COUNT,
    "causes_found": _FLAG,
    "segmenter": _TABLE,
}
_OPTIONAL_FACTS = ("judged_as", "fingerprint", "segmenter")


def _short(problem: object) -> str:
    said = " ".join(str(problem).split())
    return said if len(said) <= 120 else f"{said[:117]}..."
