"""Which label combinations to collect photos for: all of some sizes, those of a file, or a run's with one more label.

Collecting is ATOM's own study: its combinations, its relation and its scores are meant here by name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from anamorph.engine.run import config_of
from anamorph.errors import RunError, UnknownName, UsageError
from anamorph.methods.atom.combinations import Combination, combinations_in
from anamorph.methods.atom.scores import LabelTally
from anamorph.relations.stable_labels import image_group
from anamorph.store.run import RunStore
from anamorph.studies.combinations.reading import photo_outputs

_DEFAULT_SIZES = (1, 2)
# Beyond it, a list of all combinations would fill the memory, and a search for them would take years.
_MOST = 5_000_000


def chosen_combinations(
    labels: Sequence[str],
    sizes: Sequence[int],
    file: Path | None,
    run: Path | None,
    least_score: float,
) -> list[Combination]:
    """The combinations, small ones first; UsageError for a choice that contradicts itself or is empty.

    `sizes`, `file`, `run` and `least_score` are the flags -k, --combinations, --extend and --set least_score.
    """
    if file is not None and (sizes or run is not None):
        raise UsageError("--combinations names the combinations; -k and --extend cannot be used with it.")
    if file is not None:
        return _from_file(file, labels)
    if run is not None:
        confident = [each for each in confident_combinations(run, least_score) if set(labels).issuperset(each)]
        if not confident:
            raise UsageError(f"--extend {run}: the run recognised no combination of these labels with confidence.")
        # A run with several sizes has all of them extended; -k picks sizes of the result.
        larger = extended(confident, labels)
        fitting = [each for each in larger if not sizes or len(each) in sizes]
        if not fitting:
            wanted, reached = (", ".join(map(str, some)) for some in (sizes, sorted({len(each) for each in larger})))
            raise UsageError(
                f"--extend {run}: -k {wanted} fits no extended combination. Sizes that do: {reached or 'none'}."
            )
        return fitting
    chosen = sorted(set(sizes or _DEFAULT_SIZES))
    count = sum(math.comb(len(labels), size) for size in chosen)
    if not count:
        raise UsageError(f"-k {chosen[-1]}: there are only {len(labels)} labels to combine.")
    if count > _MOST:
        raise UsageError(f"-k {chosen[-1]}: {count:,} combinations are too many. Name fewer --labels, or use --extend.")
    return combinations_in(labels, chosen)


def _from_file(path: Path, labels: Sequence[str]) -> list[Combination]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{path}: cannot be read ({problem}).") from problem
    found: dict[Combination, None] = {}
    for where, names in _rows(path, text):
        for name in names:
            if name not in labels:
                raise UsageError(f"{where}: {UnknownName('label', name, labels)}")
        if not names or len(set(names)) != len(names):
            raise UsageError(f"{where}: a combination has at least one label and none twice.")
        found[tuple(sorted(names))] = None
    if not found:
        raise UsageError(f"{path}: has no combination. Write lines such as: cat, dog")
    return sorted(found, key=lambda each: (len(each), each))


def _rows(path: Path, text: str) -> list[tuple[str, list[str]]]:
    if text.lstrip().startswith("["):
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise UsageError(f"{path}: not valid JSON: {problem}.") from problem
        rows = [[row] if isinstance(row, str) else row for row in plain]
        for place, row in enumerate(rows):
            if not isinstance(row, list) or not all(isinstance(name, str) for name in row):
                raise UsageError(f"{path}: entry {place} is not a list of labels.")
        return [(f"{path}, entry {place}", row) for place, row in enumerate(rows)]
    return [
        (f"{path}, line {number}", [name.strip() for name in line.split(",") if name.strip()])
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]


# --- from k labels to k + 1 -----------------------------------------------------------------------------------------


def confident_combinations(run: Path, least_score: float = 0.0) -> list[Combination]:
    """The combinations of a finished run with a confident image (algorithm 1's L_c) and at least this score."""
    with RunStore.open(run, read_only=True) as store:
        if not store.fact("judged"):
            raise RunError(f"{run}: this run is not finished. Use `anamorph resume {run}` first.")
        # ATOM's groups and scores over the first answers; photos chosen at random are of no combination.
        tally = LabelTally()
        for photo in photo_outputs(store, config_of(store).readers()):
            if photo.labels:
                tally.add(photo.labels, photo.outputs, image_group(photo.labels, photo.outputs))
    return [
        each.labels
        for each in tally.summary().combinations
        if each.confident > 0 and each.score is not None and each.score >= least_score
    ]


def extended(combinations: Iterable[Combination], labels: Iterable[str]) -> list[Combination]:
    """Every combination with one more label, each once, small ones first."""
    space = sorted(set(labels))
    larger = {
        tuple(sorted((*combination, label)))
        for combination in combinations
        for label in space
        if label not in combination
    }
    return sorted(larger, key=lambda each: (len(each), each))
