"""Prints the lowest versions that pyproject.toml declares for what Anamorph always needs, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str:
    """A requirement such as click>=8.1.7 as click==8.1.7."""
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[a-z,]+\])?>=([0-9.]+)(?:,.*)?", requirement)
    if match is None:
        raise SystemExit(f"{requirement}: expected NAME>=VERSION, so that its lowest version is known")
    return f"{match[1]}=={match[2]}"


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    print("\n".join(map(lowest, project["dependencies"])))
