"""The command line in this process, as a user would see it: exit code, what it printed, and its last error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anamorph.cli.main import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def crashed(self) -> bool:
        """Whether it failed in a way that nobody foresaw, or blamed the machine."""
        return "in a way that it should not" in self.err or "The machine failed" in self.err or "Traceback" in self.err


def run_command(*words: object) -> Ended:
    """Run `anamorph WORDS`; the working directory is as before afterwards."""
    out, err, before, arguments = io.StringIO(), io.StringIO(), Path.cwd(), sys.argv
    sys.argv = ["anamorph", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
            code = 0
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 1
    finally:
        sys.argv = arguments
        os.chdir(before)
    return Ended(code, out.getvalue(), err.getvalue())


def reading_commands(run: Path, other: Path, out: Path, case: str) -> Sequence[tuple[object, ...]]:
    """Every command that opens a run."""
    return (
        ("report", run, "--out", out / "report"),
        ("rejudge", run, "--no-report", "--json"),
        ("resume", run, "--no-report", "--json"),
        ("replay", run, case),
        ("shrink", run, case),
        ("explain", run, case, "--calls", 6),
        ("export", run, "--to", "jsonl", "--out", out / "export"),
        ("compare", run, other, "--out", out / "compare"),
        ("label-errors", run),
        ("baseline", run, "-o", out / "known.json"),
        ("sheet", run, "-o", out / "sheet.jpg"),
        ("combinations", run),
        ("metrics", run, "--no-java", "--json"),
        ("review", run, "--summary"),
        ("merge", run, other, "-o", out / "merged"),
        ("study", "new", "pairwise", run, "-o", out / "pairs.json"),
        ("study", "new", "caption", run, "-o", out / "captions.json"),
        ("study", "new", "relevance", run, "-o", out / "relevance.json"),
    )
