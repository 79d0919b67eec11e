"""The rows of Parquet files, read by a process with little memory: a file may lie about how much it unpacks to.

Arrow makes room for whatever a page says that it unpacks to, and ends its process where some damaged files are
described; neither is to be the end of a run.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamorph.errors import BadPicture, MissingExtra
from anamorph.photos.files import shown
from anamorph.scenes.parquet.messages import Description, Refusal, Rows, RowsOrder

_BEGIN = (
    "import sys; sys.path[:] = __import__('json').loads(sys.argv[1]); "
    "from anamorph.scenes.parquet.process import serve; serve()"
)


@dataclass(slots=True, eq=False)
class ParquetReader:
    """A process that reads, started when it is first needed, and again when a file ended it; for several threads."""

    _process: subprocess.Popen[bytes] | None = None
    _owner: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def describe(self, path: Path, shard: str) -> Description:
        """The columns and row groups of a file; BadPicture for one that cannot be read."""
        found: Description = self._asked(path, shard)
        return found

    def rows(self, path: Path, shard: str, order: RowsOrder) -> Iterator[Mapping[str, Any]]:
        """The rows of a row group from one on, a few at a time; BadPicture where they cannot be read."""
        while True:
            found: Rows = self._asked((path, order), shard)
            yield from found.rows
            if found.last:
                return
            order = order.after(len(found.rows))

    def some_rows(self, path: Path, shard: str, order: RowsOrder) -> Sequence[Mapping[str, Any]]:
        """As many rows, from one on, as come together."""
        found: Rows = self._asked((path, order), shard)
        return found.rows

    def _asked(self, question: Any, shard: str) -> Any:
        with self._lock:
            answer = self._answer(question, shard)
        if isinstance(answer, Refusal):
            raise BadPicture(f"{shown(shard)} is not a Parquet file, or is damaged ({shown(answer.reason)}).")
        return answer

    def _answer(self, question: Any, shard: str) -> Any:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as problem:
            self.close()
            raise BadPicture(
                f"{shown(shard)} is not a Parquet file, or is damaged (it ended the process that read it, with "
                f"{process.returncode})."
            ) from problem
        except BaseException:
            # Of Ctrl-C, for one: whatever is still on its way would answer the next question.
            self.close()
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        # A fork of this process has a reader that is its parent's.
        if self._process is None or self._owner != os.getpid():
            if importlib.util.find_spec("pyarrow") is None:
                raise MissingExtra("The scene source 'parquet'", "parquet")
            # One arena of malloc, because each takes 64 MB of what the process may have.
            environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
            self._process = subprocess.Popen(
                # Without -P, a file in the working directory could stand in for one of the standard library.
                [sys.executable, "-P", "-c", _BEGIN, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
            self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.kill()
        process.wait()


reader = ParquetReader()
# It would end by itself, but a process that is waited for leaves nothing to be warned of.
atexit.register(reader.close)
