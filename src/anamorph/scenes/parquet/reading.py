"""The rows of Parquet files, read by a process with limited memory: a file may lie about its decompressed size.

Arrow allocates whatever a page states, and aborts its process on some damaged files; neither must end a run.
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
    """A reader process, started on first use, and again if a file crashed it; thread-safe."""

    _process: subprocess.Popen[bytes] | None = None
    _owner: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def describe(self, path: Path, shard: str) -> Description:
        """The columns and row groups of a file; BadPicture if it cannot be read."""
        found: Description = self._asked(path, shard)
        return found

    def rows(self, path: Path, shard: str, order: RowsOrder) -> Iterator[Mapping[str, Any]]:
        """The rows of a row group from one on, a few at a time; BadPicture if they cannot be read."""
        while True:
            found: Rows = self._asked((path, order), shard)
            yield from found.rows
            if found.last:
                return
            order = order.after(len(found.rows))

    def some_rows(self, path: Path, shard: str, order: RowsOrder) -> Sequence[Mapping[str, Any]]:
        """One batch of rows, from one on."""
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
            # Ctrl-C, for example: the pending reply would answer the next request.
            self.close()
            raise

    def _running(self) -> subprocess.Popen[bytes]:
        # After a fork, the reader is the parent's.
        if self._process is None or self._owner != os.getpid():
            if importlib.util.find_spec("pyarrow") is None:
                raise MissingExtra("The scene source 'parquet'", "parquet")
            # One malloc arena, because each takes 64 MB of the limit.
            environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
            self._process = subprocess.Popen(
                # Without -P, a file in the working directory could shadow the standard library.
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
# It would end by itself, but waiting for it avoids a ResourceWarning.
atexit.register(reader.close)
