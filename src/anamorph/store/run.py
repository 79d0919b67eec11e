"""A run on disk: creating, opening, and its facts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from anamorph import __version__
from anamorph.errors import AnamorphError, BadPicture, BadRecord, RunError, UnknownName
from anamorph.store.audit import complaint_about, complaint_about_fact, missing_columns, of_the_machine, says_damaged
from anamorph.store.images import ImageFolder
from anamorph.store.own_files import refuse_link, sync_folder
from anamorph.store.schema import bring_up_to_date, connect, create_tables, is_stillborn
from anamorph.store.signing import sign

if sys.platform != "win32":
    import fcntl

RUN_FILE = "run.sqlite"
LOCK_FILE = "run.lock"
CUTOUTS_FOLDER = "own-pool"
IMAGES_FOLDER = "images"
_DRAFT_FILE = f".{RUN_FILE}.partial"
_PAGES_OF_LOG = 16_000
# SQLite's oldest limit on the number of variables in one statement is 999.
_CHUNK = 900

T = TypeVar("T")


@dataclass(slots=True)
class RunStore:
    """An open run; `connection` belongs to the thread that opened it."""

    folder: Path
    connection: sqlite3.Connection
    images: ImageFolder
    lock: FileLock | None = None
    # The folders made when the run was created, the innermost first.
    made: tuple[Path, ...] = ()

    @property
    def cutouts(self) -> Path:
        """The folder of cut-outs of the run's own scenes; most runs have none."""
        return self.folder / CUTOUTS_FOLDER

    @classmethod
    def create(cls, folder: Path, facts: Mapping[str, Any]) -> RunStore:
        """Create this user's run in a folder without one; `facts` are kept as JSON.

        The run file appears whole; leftovers of a killed attempt do no harm.
        """
        _refuse_run(folder)
        made = tuple(path for path in (folder, *folder.parents) if not path.exists())
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise RunError(f"{folder}: cannot be made ({problem.strerror or problem}).") from problem
        lock = _lock(folder)
        try:
            # Another process may have been faster.
            _refuse_run(folder)
            _remove_run_file(folder)
            cls._write_run_file(folder, facts)
            for each in {folder, *(path.parent for path in made)}:
                sync_folder(each)
            connection = connect(folder / RUN_FILE)
        except BaseException:
            lock.release()
            raise
        return cls(folder, connection, ImageFolder(folder / IMAGES_FOLDER), lock, made)

    @classmethod
    def _write_run_file(cls, folder: Path, facts: Mapping[str, Any]) -> None:
        draft = folder / _DRAFT_FILE
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            create_tables(connection)
            store = cls(folder, connection, ImageFolder(folder / IMAGES_FOLDER))
            with store.transaction():
                store.set_fact("version", __version__)
                store.set_fact("created_at", time.time())
                for name, value in facts.items():
                    store.set_fact(name, value)
                sign(store)
        draft.replace(folder / RUN_FILE)

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> RunStore:
        """Open an existing run; only one process at a time may write to it."""
        path = folder / RUN_FILE
        if not path.is_file():
            raise RunError(f"{folder}: is not a run (it has no {RUN_FILE}).")
        if not read_only:
            _refuse_links(folder)
        if is_stillborn(path):
            raise RunError(f"{folder}: this run was stopped before it began. Start it again with `anamorph run`.")
        lock = None if read_only else _lock(folder)
        try:
            connection = _opened(path, read_only=read_only)
            try:
                images = ImageFolder(folder / IMAGES_FOLDER)
                if not read_only:
                    images.sweep()
            except BaseException:
                connection.close()
                raise
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        return cls(folder, connection, images, lock)

    def close(self) -> None:
        """Close the file and release the lock."""
        self.connection.close()
        if self.lock is not None:
            self.lock.release()

    def discard(self) -> None:
        """Remove the run from disk, and the folders made for it unless they hold other files."""
        self.close()
        _remove_run_file(self.folder)
        (self.folder / LOCK_FILE).unlink(missing_ok=True)
        shutil.rmtree(self.cutouts, ignore_errors=True)
        with contextlib.suppress(OSError):
            for path in self.made or (self.folder,):
                path.rmdir()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if problem is not None:
                self._blame_the_file(problem)
        finally:
            self.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Within this, and on closing, an error from a damaged file becomes a RunError."""
        try:
            yield
        except BaseException as problem:
            self._blame_the_file(problem)
            raise

    def require_sound(self) -> None:
        """RunError, with the place, unless every row of the run file is valid."""
        said = complaint_about(self.connection)
        if said is not None:
            raise self._damaged(said)

    def _damaged(self, said: str) -> RunError:
        return RunError(f"{self.folder / RUN_FILE}: {said}. The file is damaged, or was not written by Anamorph.")

    def _blame_the_file(self, problem: BaseException) -> None:
        # A discarded run has no file to blame.
        if not _may_be_the_file(problem) or not (self.folder / RUN_FILE).exists():
            return
        said = complaint_about(self.connection)
        if said is None and says_damaged(problem):
            said = str(problem)
        if said is not None:
            raise self._damaged(said) from problem

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """A consistent view of the run, even while another process works on it."""
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def not_synced(self) -> Iterator[None]:
        """Within this, a power failure may undo the latest transactions; the first one after it makes them durable. For
        work that is repeated if interrupted.
        """
        # The log is also written back less often: pages that change again and again are then written back once.
        changes = {"synchronous": "NORMAL", "wal_autocheckpoint": _PAGES_OF_LOG}
        before = {name: self.value(f"PRAGMA {name}") for name in changes}
        for name, value in changes.items():
            self.connection.execute(f"PRAGMA {name} = {value}")
        try:
            yield
        finally:
            for name, value in before.items():
                self.connection.execute(f"PRAGMA {name} = {value}")

    def set_fact(self, name: str, value: Any) -> None:
        """Store one JSON value about the run."""
        text = json.dumps(value, sort_keys=True)
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))

    def forget_fact(self, name: str) -> None:
        """Remove a value."""
        self.connection.execute("DELETE FROM facts WHERE name = ?", (name,))

    def fact(self, name: str, default: Any = None) -> Any:
        """A value stored with `set_fact`."""
        row = self.row("SELECT value FROM facts WHERE name = ?", name)
        if row is None:
            return default
        said = complaint_about_fact(name, row[0])
        if said is not None:
            raise RunError(f"{self.folder / RUN_FILE}: {said}.")
        return json.loads(row[0])

    def fact_names(self) -> list[str]:
        """The names of all stored values."""
        return self.column("SELECT name FROM facts ORDER BY name")

    def count(self, table: str, where: str = "1") -> int:
        """The number of rows; `table` and `where` must not come from users."""
        return int(self.value(f"SELECT count(*) FROM {table} WHERE {where}"))

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows of a query."""
        return self.connection.execute(query, values).fetchall()

    def records(self, make: Callable[..., T], query: str, *values: Any) -> list[T]:
        """A record of every row, made from its columns."""
        return [make(*row) for row in self.connection.execute(query, values)]

    def row(self, query: str, *values: Any) -> Any:
        """The first row, or None."""
        return self.connection.execute(query, values).fetchone()

    def value(self, query: str, *values: Any) -> Any:
        """The first column of the first row; None if there is no row."""
        row = self.row(query, *values)
        return None if row is None else row[0]

    def column(self, query: str, *values: Any) -> list[Any]:
        """The first column of every row."""
        return [row[0] for row in self.connection.execute(query, values)]

    def pages(self, query: str, most: int, last: int = 0) -> Iterator[list[Any]]:
        """The rows, `most` at a time; the query begins with a key, and takes `:last`, the key before, and `:most`."""
        while rows := self.connection.execute(query, {"last": last, "most": most}).fetchall():
            last = rows[-1][0]
            yield rows

    def with_digests(self, query: str, digests: Iterable[bytes]) -> Iterator[Any]:
        """The rows of a query with `IN ({})`, for the digests."""
        wanted = list(digests)
        for start in range(0, len(wanted), _CHUNK):
            some = wanted[start : start + _CHUNK]
            yield from self.connection.execute(query.format(",".join("?" * len(some))), some).fetchall()


def _refuse_run(folder: Path) -> None:
    """RunError if a folder holds a run that began."""
    path = folder / RUN_FILE
    if path.exists() and not is_stillborn(path):
        raise RunError(
            f"{folder}: holds a run already. Continue it with `anamorph resume {folder}`, or choose another --out."
        )


def _remove_run_file(folder: Path) -> None:
    """Remove a run file with its logs, which SQLite would replay into a new one."""
    for name in (RUN_FILE, _DRAFT_FILE):
        for end in ("", "-wal", "-shm", "-journal"):
            (folder / f"{name}{end}").unlink(missing_ok=True)


def _opened(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a run file, in the current schema; RunError if it is not one."""
    connection = None
    try:
        connection = connect(path, read_only=read_only)
        bring_up_to_date(connection, path, read_only=read_only)
        lacking = missing_columns(connection)
        if lacking is not None:
            raise RunError(f"{path}: not a whole run file: {lacking}.")
    except BaseException as problem:
        if connection is not None:
            connection.close()
        broken = isinstance(problem, sqlite3.Error) and not of_the_machine(problem)
        # SQLite's messages quote file content.
        if broken or isinstance(problem, UnicodeDecodeError):
            raise RunError(f"{path}: not a run file, or damaged ({problem}).") from problem
        raise
    return connection


def _may_be_the_file(problem: BaseException) -> bool:
    """Whether an error may come from the file's content: an unexpected one, or one about a record."""
    if isinstance(problem, sqlite3.Error):
        return not of_the_machine(problem)
    if isinstance(problem, AnamorphError):
        return type(problem) in (BadRecord, UnknownName, BadPicture)
    return isinstance(problem, Exception) and not isinstance(problem, OSError)


def _refuse_links(folder: Path) -> None:
    """UsageError if a file of the run that is written to is a link; the folder itself may be one."""
    for name in (RUN_FILE, *(f"{RUN_FILE}{end}" for end in ("-wal", "-shm", "-journal")), LOCK_FILE, IMAGES_FOLDER):
        refuse_link(folder / name)
    refuse_link(folder / CUTOUTS_FOLDER)


@contextlib.contextmanager
def held_still(folder: Path) -> Iterator[None]:
    """Lock a run against writers; RunError if it has one. Nothing is written, so that it may be on
    media that cannot be.
    """
    with contextlib.ExitStack() as stack:
        if sys.platform != "win32":
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            try:
                descriptor = os.open(folder / LOCK_FILE, flags)
            except FileNotFoundError:
                # The run has never been locked here.
                yield
                return
            except OSError as problem:
                raise RunError(f"{folder / LOCK_FILE}: cannot be opened ({problem.strerror}).") from problem
            stack.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError as problem:
                raise _worked_on(folder) from problem
        elif (folder / LOCK_FILE).exists():
            stack.callback(_lock(folder).release)
        yield


def _worked_on(folder: Path) -> RunError:
    return RunError(f"{folder}: another process is working on this run. Wait for it, or stop it.")


def _lock(folder: Path) -> FileLock:
    _refuse_links(folder)
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout as problem:
        raise _worked_on(folder) from problem
    return lock
