"""User files of one JSON value, such as a baseline or a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError


def read_json_file(path: Path, most_bytes: int, how_to_make: str) -> Any:
    """The JSON value of a file; UsageError, with the command that makes one, if it is missing or cannot be read."""
    try:
        # A pipe or a device could block, or never end.
        if not path.is_file():
            raise UsageError(f"{path}: does not exist. {how_to_make}")
        if path.stat().st_size > most_bytes:
            raise UsageError(f"{path}: is larger than {most_bytes // 2**20} MB, so it is not read.")
        return json.loads(path.read_bytes())
    except OSError as problem:
        raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{path}: is damaged: it is not JSON ({problem}).") from problem
