"""`make fuzz`: damaged inputs for every parser of foreign bytes, from a seed and for a bounded time.

A crash is an exception that is not an AnamorphError. Its input is kept, and the seed that is printed makes it again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from anamorph.errors import AnamorphError
from tests.hostile.parsers import Parser, all_parsers

# Parsers take turns of this length; one that has had its share leaves its time to the slow ones until all have.
TURN_SECONDS = 0.25
# In memory, where there is such a place: most of the time would go into writing small files.
MEMORY = Path("/dev/shm")


def crash_of(parser: Parser, seed: str) -> tuple[bytes, BaseException] | None:
    """What one damaged input did, where that was not an answer, a skip or an error of ours."""
    content = parser.make(Random(f"{parser.name}:{seed}"))
    try:
        parser.read(content)
    except AnamorphError:
        return None
    except Exception as problem:
        return content, problem
    return None


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=120)
    arguments.add_argument("--seed", type=int, default=15)
    arguments.add_argument("--least", type=int, default=2000, help="inputs for each parser, if there is time")
    arguments.add_argument("--only", default="", help="part of the name of a parser")
    chosen = arguments.parse_args()
    warnings.simplefilter("ignore")
    began = time.monotonic()
    place = str(MEMORY) if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="anamorph-fuzz-", dir=place) as folder, all_parsers(Path(folder)) as found:
        parsers = [parser for parser in found if chosen.only in parser.name]
        tried: Counter[str] = Counter()
        seconds = dict.fromkeys((parser.name for parser in parsers), 0.0)
        crashes: dict[tuple[str, str], str] = {}
        while (left := chosen.seconds - (time.monotonic() - began)) > 0:
            done = all(tried[parser.name] >= chosen.least for parser in parsers)
            for parser in parsers:
                start = time.monotonic()
                until = start + min(TURN_SECONDS, left)
                while (done or tried[parser.name] < chosen.least) and time.monotonic() < until:
                    seed = f"{chosen.seed}:{tried[parser.name]}"
                    crash = crash_of(parser, seed)
                    tried[parser.name] += 1
                    if crash is not None:
                        content, problem = crash
                        frame = traceback.extract_tb(problem.__traceback__)[-1]
                        where = f"{type(problem).__name__} in {Path(frame.filename).name}:{frame.lineno}"
                        if (parser.name, where) not in crashes:
                            file = Path(tempfile.gettempdir()) / f"fuzz-{parser.name.replace(' ', '-')}-{len(crashes)}"
                            file.write_bytes(content)
                            crashes[parser.name, where] = f"{str(problem)[:300]} (seed {seed}, input in {file})"
                seconds[parser.name] += time.monotonic() - start
    for parser in parsers:
        print(f"{parser.name:32} {tried[parser.name]:6} inputs {seconds[parser.name]:7.1f} s")
    for (name, where), said in crashes.items():
        print(f"CRASH {name}: {where}: {said}", file=sys.stderr)
    least = min(tried.values(), default=0)
    print(
        f"{sum(tried.values()):,} inputs, at least {least:,} for each of {len(parsers)} parsers, {len(crashes)} crashes"
    )
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
