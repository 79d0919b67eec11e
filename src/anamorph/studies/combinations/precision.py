"""Average precision of a tagger on a run's own photos, where their labels are known, beside ATOM's scores.

Source: average precision as scikit-learn computes it, which sums precision over the steps of recall, each distinct
score a step; its mean over labels is the mAP of the ATOM paper's table II.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph import catalog
from anamorph.model import Table
from anamorph.store.answers import untouched_labels
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class KnownPhoto:
    """The labels that a photo has by its annotations, and the scores that the system gave the untouched photo."""

    labels: frozenset[str]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LabelPrecision:
    """The average precision of a label, and how many photos have it."""

    label: str
    photos: int
    precision: float


@dataclass(frozen=True, slots=True)
class MeanPrecision:
    """The average precision of every label that some photo has, and its mean."""

    photos: int
    labels: tuple[LabelPrecision, ...]

    @property
    def mean(self) -> float:
        return sum(each.precision for each in self.labels) / len(self.labels)

    def table(self, scores: Mapping[str, float | None]) -> Table:
        """Each label with ATOM's score of it, if its photos gave one."""
        rows = [
            (
                each.label,
                each.photos,
                f"{each.precision:.3f}",
                "-" if (score := scores.get(each.label)) is None else f"{score:.3f}",
            )
            for each in self.labels
        ]
        rows.sort(key=lambda row: row[2])
        title = f"Average precision on {self.photos} photos with known labels, mean {self.mean:.3f}"
        return Table(title, ("label", "photos", "average precision", "score for k = 1"), tuple(rows), ends=10)


def known_photos(store: RunStore) -> Iterator[KnownPhoto]:
    """The photos of a run whose labels are annotated and whose untouched image got scores."""
    scored = untouched_labels(store)
    for row, scene in StoredScenes(store, catalog.find).numbered():
        labels = frozenset((*scene.labels, *(thing.label for thing in scene.things)))
        if labels and row in scored:
            yield KnownPhoto(labels, scored[row])


def mean_precision(photos: Iterable[KnownPhoto]) -> MeanPrecision | None:
    """The average precisions over photos; None if no photo has known labels."""
    known = list(photos)
    labels = sorted(frozenset[str]().union(*(photo.labels for photo in known)))
    if not labels:
        return None
    found = []
    for label in labels:
        pairs = [(photo.scores.get(label, 0.0), label in photo.labels) for photo in known]
        found.append(LabelPrecision(label, sum(shown for _, shown in pairs), average_precision(pairs)))
    return MeanPrecision(len(known), tuple(found))


def average_precision(pairs: Sequence[tuple[float, bool]]) -> float:
    """Of scores and whether the label is there: precision at each distinct score, weighed by what it adds to recall."""
    total = sum(shown for _, shown in pairs)
    seen = right = 0
    area = 0.0
    for score in sorted({score for score, _ in pairs}, reverse=True):
        step = [shown for other, shown in pairs if other == score]
        seen, right = seen + len(step), right + sum(step)
        area += sum(step) / total * right / seen
    return area
