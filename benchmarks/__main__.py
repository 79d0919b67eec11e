"""Runs every benchmark, or those that are named: `python -m benchmarks engine images`.

What takes many minutes is run only by name: `python -m benchmarks million`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ONLY_BY_NAME = ("million", "newcomer", "order", "ray", "report", "soak")


def main(names: list[str]) -> None:
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    for name in names or [name for name in known if name not in ONLY_BY_NAME]:
        if name not in known:
            sys.exit(f"Unknown benchmark {name!r}. Known: {', '.join(known)}.")
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
