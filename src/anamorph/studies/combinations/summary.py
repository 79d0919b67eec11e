"""ATOM's tables about outputs: combinations beside a random choice of photos (V), operations, and RQ3's frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anamorph.methods.atom.combinations import Combination, combinations_in
from anamorph.methods.atom.outputs import OperationCount, OutputCoverage, OutputTally, operations_table
from anamorph.methods.atom.scores import CombinationScore, LabelTally
from anamorph.methods.atom.tables import RANDOM, repeats_of
from anamorph.model import Table, encode
from anamorph.relations.stable_labels import image_group
from anamorph.statistics.ranks import spearman
from anamorph.statistics.tables import share
from anamorph.studies.combinations.precision import KnownPhoto, MeanPrecision, mean_precision
from anamorph.studies.combinations.reading import PhotoOutputs

# Scores are put together up to each of these.
_BANDS = (0.0, 0.25, 0.5, 0.75, 0.999, 1.0)
_BAND_NAMES = ("0", "to 0.25", "to 0.5", "to 0.75", "below 1", "1")


@dataclass(frozen=True, slots=True)
class RandomCoverage:
    """The combinations in the outputs of photos that were chosen at random: the means, and each repeat."""

    size: int
    covered: float
    covered_by_revealing: float
    revealing_photos: float
    repeats: tuple[OutputCoverage, ...]

    @classmethod
    def over(cls, repeats: Sequence[OutputCoverage]) -> RandomCoverage:
        """The means over the repeats of one size."""
        counts = [(each.covered, each.covered_by_revealing, each.revealing_photos) for each in repeats]
        covered, by_revealing, revealing = (sum(each) / len(repeats) for each in zip(*counts, strict=True))
        return cls(repeats[0].size, covered, by_revealing, revealing, tuple(repeats))


@dataclass(frozen=True, slots=True)
class TrainedCombination:
    """A combination with its score, and how many photos of a training set show it."""

    labels: Combination
    score: float
    photos: int


@dataclass(frozen=True, slots=True)
class OutputSummary:
    """Everything that is computed from the outputs of a run."""

    coverage: tuple[OutputCoverage, ...]
    random: tuple[RandomCoverage, ...]
    operations: tuple[OperationCount, ...]
    scores: tuple[CombinationScore, ...]
    trained: tuple[TrainedCombination, ...] = ()
    precision: MeanPrecision | None = None

    def correlation(self, size: int) -> float | None:
        """Spearman's rank correlation between score and training photos; None if one of them does not vary."""
        own = [each for each in self.trained if len(each.labels) == size]
        return spearman([each.score for each in own], [each.photos for each in own])

    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "coverage": encode(self.coverage),
            "random": encode(self.random),
            "operations": encode(self.operations),
        }
        if self.trained:
            sizes = sorted({len(each.labels) for each in self.trained})
            record["training"] = {
                "correlation": {str(size): self.correlation(size) for size in sizes},
                "combinations": encode(self.trained),
            }
        if self.precision is not None:
            record["map"] = {"mean": self.precision.mean, **asdict(self.precision)}
        return record

    def tables(self) -> tuple[Table, ...]:
        """Table V, the operations, and with a training set the scores beside its frequencies."""
        tables = [self._table_five(), operations_table(self.operations)]
        if self.trained:
            tables.append(self._bands())
        if self.precision is not None:
            single = {each.labels[0]: each.score for each in self.scores if len(each.labels) == 1}
            tables.append(self.precision.table(single))
        return tuple(tables)

    def _table_five(self) -> Table:
        drawn = {each.size: each for each in self.random}
        columns = ("k", "approach", "photos", "error-revealing", "combinations in all outputs")
        rows: list[tuple[str | int | float, ...]] = []
        for each in self.coverage:
            cells = (f"{count} ({share(count, each.possible)})" for count in (each.covered, each.covered_by_revealing))
            rows.append((each.size, "ATOM", each.photos, each.revealing_photos, *cells))
            if other := drawn.get(each.size):
                means = (
                    f"{count:.1f} ({count / each.possible:.1%})"
                    for count in (other.covered, other.covered_by_revealing)
                )
                named = f"random, mean of {len(other.repeats)}"
                rows.append((each.size, named, other.repeats[0].photos, f"{other.revealing_photos:.1f}", *means))
        return Table("Label combinations in the outputs", (*columns, "in error-revealing ones"), tuple(rows))

    def _bands(self) -> Table:
        rows: list[tuple[str | int | float, ...]] = []
        for size in sorted({len(each.labels) for each in self.trained}):
            own = [each for each in self.trained if len(each.labels) == size]
            least = -1.0
            for name, most in zip(_BAND_NAMES, _BANDS, strict=True):
                photos = [each.photos for each in own if least < each.score <= most]
                least = most
                if photos:
                    rows.append((size, name, len(photos), f"{sum(photos) / len(photos):.1f}"))
            rank = self.correlation(size)
            rows.append((size, "all", len(own), "-" if rank is None else f"rank correlation {rank:+.2f}"))
        return Table("Score and training photos", ("k", "score", "combinations", "mean training photos"), tuple(rows))


def summarise_outputs(
    photos: Iterable[PhotoOutputs],
    space: Iterable[str],
    training: Sequence[Iterable[str]] | None = None,
    known: Iterable[KnownPhoto] = (),
) -> OutputSummary:
    """Sum up the outputs of a run over a label space; `training` are the label sets of a training set's photos, and
    `known` the photos whose labels are annotated.
    """
    labels = frozenset(space)
    own, scores = OutputTally(), LabelTally()
    drawn: dict[tuple[int, str], OutputTally] = {}
    for photo in photos:
        if photo.tags.get("approach") == RANDOM:
            size = int(photo.tags["k"])
            for repeat in repeats_of(photo.tags):
                drawn.setdefault((size, repeat), OutputTally()).add(size, photo.outputs, photo.operations, photo.photo)
            continue
        own.add(len(photo.labels), photo.outputs, photo.operations, photo.photo)
        scores.add(photo.labels, photo.outputs, image_group(photo.labels, photo.outputs))
    found = scores.summary().combinations
    sizes = sorted({size for size, _ in drawn})
    return OutputSummary(
        coverage=tuple(own.coverage(labels, size) for size in own.sizes),
        random=tuple(
            RandomCoverage.over([tally.coverage(labels, size) for (one, _), tally in drawn.items() if one == size])
            for size in sizes
        ),
        operations=own.operations(),
        scores=found,
        trained=() if training is None else tuple(_trained(found, training)),
        precision=mean_precision(known),
    )


def _trained(scores: Sequence[CombinationScore], training: Sequence[Iterable[str]]) -> Iterable[TrainedCombination]:
    sizes = {len(each.labels) for each in scores}
    counts: Counter[Combination] = Counter()
    for labels in training:
        counts.update(combinations_in(labels, sizes))
    for each in scores:
        if each.score is not None:
            yield TrainedCombination(each.labels, each.score, counts[each.labels])
