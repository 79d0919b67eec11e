"""The figures of the reader english on gold: `python -m tests.reading.scoring [--show wrong] [FILE ...]`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from anamorph.cli.readers import readers
from anamorph.model import Answer, Reading, ReadingKind, Wanted
from anamorph.studies.reading_scores.scoring import Row, answer_outcome, caption_outcomes, holds, rows_of, score

__all__ = ["GOLD", "answer_outcome", "caption_outcomes", "holds", "rows_of", "scored"]
GOLD = Path(__file__).resolve().parent / "gold"


def scored(rows: Iterable[Row], reader: Any, space: Any) -> Iterator[tuple[str, Row, str]]:
    """The outcomes of a reader in a label space."""

    def read(kind: ReadingKind, answer: Answer, question: str | None) -> Reading:
        reading: Reading = reader.read(answer, Wanted(kind, space, question))
        return reading

    return score(rows, read)


if __name__ == "__main__":
    files = [each for each in sys.argv[1:] if each.endswith(".jsonl")]
    gold = [] if files else sorted(str(path) for path in GOLD.glob("*s_*.jsonl"))
    result = CliRunner().invoke(readers, [*sys.argv[1:], *gold], catch_exceptions=False)
    sys.stdout.write(result.output)
