"""How fast recorded outputs are judged: ROME's pairs with captions read, and ATOM's oracle on label sets.

Both beside a plain implementation in the same run, as a ratio, so that a slow machine does not look like slow code.
"""

from __future__ import annotations

import io
import itertools
import json
import random
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from anamorph.config import resolve
from anamorph.methods.atom.scores import LabelTally
from anamorph.model import LabelSet
from anamorph.relations.stable_labels import StableLabels, image_group
from anamorph.studies.judge.files import rows_of
from anamorph.studies.judge.judge import TranscriptJudge

RECORDED = Path(__file__).parent.parent.parent / "shared" / "recorded" / "rome-azure.jsonl"
PAIRS = 9250
# COCO with k = 2 in ATOM's paper.
IMAGES, OUTPUTS, LABELS = 13_297, 8, 80
ROME_SECONDS, ATOM_SECONDS = 3.0, 1.0

NOUNS = ("man", "dog", "cat", "horse", "bus", "car", "person", "bench", "kite", "umbrella", "pizza", "laptop")
PLACES = ("on a field", "in the street", "next to a wall", "in a kitchen", "under a tree", "at night")


def cpu_seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def rome_lines() -> bytes:
    """The recorded pairs, or made ones of the same number and variety where they are not at hand."""
    if RECORDED.is_file():
        return RECORDED.read_bytes()
    rng = random.Random(7)
    captions = [f"a {a} and two {b}s {p}" for a, b, p in itertools.product(NOUNS, NOUNS, PLACES)][:834]
    pairs = [(rng.choice(captions), rng.choice(captions)) for _ in range(PAIRS)]
    rows = [
        {"id": n, "method": "rome", "ancestor": a, "descendant": d, "removed": [rng.choice(NOUNS[1:])]}
        for n, (a, d) in enumerate(pairs)
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def judge_rome(lines: bytes, profile: str) -> int:
    judge = TranscriptJudge(resolve({}).readers(), profile)
    return sum(1 for _ in judge.judge_all(rows_of(io.BytesIO(lines), "rome.jsonl")))


def plain_rome(lines: bytes) -> int:
    """Words in a list and sets of them: what one writes in ten minutes, without reading anything right."""
    words = set(NOUNS)
    count = 0
    for line in lines.splitlines():
        row = json.loads(line)
        before, after = (
            {word.rstrip("s") for word in re.findall("[a-z]+", row[key])} & words for key in ("ancestor", "descendant")
        )
        bool(after - before or (before - after) - set(row["removed"]))
        count += 1
    return count


def images() -> list[tuple[tuple[str, ...], list[frozenset[str]]]]:
    rng = random.Random(7)
    names = [f"label {n}" for n in range(LABELS)]
    made = []
    for _ in range(IMAGES):
        labels = tuple(rng.sample(names, 2))
        source = frozenset((*labels[: rng.randint(0, 2)], *rng.sample(names, rng.randint(0, 3))))
        outputs = [source if rng.random() < 0.9 else source ^ {rng.choice(names)} for _ in range(OUTPUTS)]
        made.append((labels, [frozenset(set(output)) for output in outputs]))
    return made


def oracle(made: Iterable[tuple[tuple[str, ...], Sequence[frozenset[str]]]]) -> float:
    """Verdict, group and summary of every image, as `anamorph judge` makes them."""
    tally = LabelTally()
    for labels, outputs in made:
        StableLabels(labels).judge([LabelSet(output) for output in outputs])
        tally.add(labels, outputs, image_group(labels, outputs))
    return tally.summary().vulnerable_percent


def plain_oracle(made: Iterable[tuple[tuple[str, ...], Sequence[frozenset[str]]]]) -> float:
    """Algorithm 1 as it is printed, with no sentence and no evidence."""
    confident, vulnerable, combinations = set(), set(), set()
    for labels, outputs in made:
        wanted, key = set(labels), tuple(sorted(labels))
        combinations.add(key)
        if all(outputs[0] == output for output in outputs[1:]):
            if wanted <= outputs[0]:
                confident.add(key)
        elif wanted <= set().union(*outputs) and not wanted <= set(outputs[0]).intersection(*outputs):
            vulnerable.add(key)
    return 100 * len(vulnerable) / len(combinations)


def main() -> None:
    lines = rome_lines()
    judge_rome(lines[: lines.index(b"\n")], "default")
    plain = cpu_seconds(lambda: plain_rome(lines))
    origin = "recorded" if RECORDED.is_file() else "made"
    for profile in ("default", "released"):
        ours = cpu_seconds(lambda profile=profile: judge_rome(lines, profile))  # type: ignore[misc]
        print(
            f"ROME, {PAIRS:,} {origin} pairs, {profile} profile: {ours:.2f} s of CPU "
            f"(wanted {ROME_SECONDS:g}), {ours / plain:.1f} x a plain word list ({plain:.2f} s)"
        )
    made = images()
    plain, ours = cpu_seconds(lambda: plain_oracle(made)), cpu_seconds(lambda: oracle(made))
    assert abs(plain_oracle(made) - oracle(made)) < 1e-9
    print(
        f"ATOM, {IMAGES:,} images x {OUTPUTS} outputs: {ours:.2f} s of CPU (wanted {ATOM_SECONDS:g}), "
        f"{ours / plain:.1f} x the algorithm alone ({plain:.2f} s)"
    )
    rows = [
        {"id": n, "method": "atom", "labels": list(labels), "outputs": [sorted(output) for output in outputs]}
        for n, (labels, outputs) in enumerate(made)
    ]
    recorded = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    judge = TranscriptJudge(resolve({}).readers())
    whole = cpu_seconds(lambda: list(judge.judge_all(rows_of(io.BytesIO(recorded), "atom.jsonl"))))
    print(f"ATOM, the same with JSON read and rows checked: {whole:.2f} s of CPU")


if __name__ == "__main__":
    main()
