"""ATOM's tables and figure: groups of photos, confident and vulnerable combinations, and the score of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from anamorph.methods.atom.combinations import Combination
from anamorph.model import HeatMap, Summary, Table, Tally
from anamorph.relations.stable_labels import INCOMPLETE
from anamorph.statistics.rates import RATE_COLUMNS, rate_cells
from anamorph.statistics.tables import share

# What parts the labels of a combination in tags and tables.
AND = " + "
# The tag of photos that were chosen at random, and what parts the numbers of the repeats that chose one.
RANDOM, REPEATS_APART = "random", "+"
# How many rows of a long table are shown from each end.
_ENDS = 10
_NO_SCORE = "-"
_GROUPS = ("confident", "label errors", "unspecific", "incomplete")


@dataclass(frozen=True, slots=True)
class Photos:
    """The photos of some combinations: by group of algorithm 1, and stable ones that miss a label apart.

    `score` sums the share of outputs that have all labels, over the confident and label error photos.
    """

    confident: int = 0
    label_error: int = 0
    unspecific: int = 0
    incomplete: int = 0
    undecided: int = 0
    score: float = 0.0

    def __add__(self, other: Photos) -> Photos:
        return Photos(
            self.confident + other.confident,
            self.label_error + other.label_error,
            self.unspecific + other.unspecific,
            self.incomplete + other.incomplete,
            self.undecided + other.undecided,
            self.score + other.score,
        )

    @property
    def total(self) -> int:
        return sum(self.groups) + self.undecided

    @property
    def groups(self) -> tuple[int, int, int, int]:
        return (self.confident, self.label_error, self.unspecific, self.incomplete)

    @property
    def mean_score(self) -> float | None:
        """Equation 1; every photo of a run has as many follow-ups, so the mean over photos is that over outputs."""
        graded = self.confident + self.label_error
        return self.score / graded if graded else None


def label_summary(tallies: Sequence[Tally]) -> Summary:
    """The groups and scores of the photos of all combinations, and of photos that were chosen at random."""
    random = [tally for tally in tallies if is_random(tally)]
    tallies = [tally for tally in tallies if not is_random(tally)]
    sizes = sorted({len(_labels(tally)) for tally in tallies})
    per_size = {size: [tally for tally in tallies if len(_labels(tally)) == size] for size in sizes}
    photos = photos_of(tallies)
    of_photos = [
        (size, *_photo_cells(sum(map(_photos, group), Photos())), *rate_cells(group)[-2:])
        for size, group in per_size.items()
    ]
    of_combinations = [(size, *_combination_cells(photos, size)) for size in sizes]
    tables = (
        Table(
            "Photos per number of labels",
            ("k", "photos", *_GROUPS, "undecided", "error rate", "95 % interval"),
            tuple(of_photos),
        ),
        Table(
            "Combinations per number of labels",
            ("k", "combinations", "confident", "vulnerable", "with a score", "mean score"),
            tuple(of_combinations),
        ),
        Table(
            "Score per label, worst first",
            ("label", "combinations", "photos", *_GROUPS, "score alone", "mean score"),
            tuple(_label_rows(photos)),
            ends=_ENDS,
        ),
        Table(
            "Score per combination, worst first",
            ("combination", "photos", *_GROUPS, "undecided", "score"),
            tuple(row for row in _combination_rows(photos) if row[-1] != _NO_SCORE),
            ends=_ENDS,
        ),
        Table(
            "Combinations without a score",
            ("combination", "photos", *_GROUPS, "undecided"),
            tuple(row[:-1] for row in _combination_rows(photos) if row[-1] == _NO_SCORE),
            ends=_ENDS // 2,
        ),
    )
    return (*tables, *_random_table(per_size, random), *_triangle(photos))


def is_random(tally: Tally) -> bool:
    """Whether photos were chosen at random, and not for a combination."""
    return tally.tags.get("approach") == RANDOM


def _random_table(per_size: Mapping[int, Sequence[Tally]], random: Sequence[Tally]) -> tuple[Table, ...]:
    """Photos that violate a relation, beside the mean over the repeats of the random approach (section III-B2)."""
    if not random:
        return ()
    rows: list[tuple[str | int | float, ...]] = []
    for size, own in per_size.items():
        rows.append((size, "ATOM", *rate_cells(own)))
        theirs = [tally for tally in random if tally.tags["k"] == str(size)]
        for repeat in sorted({repeat for tally in theirs for repeat in repeats_of(tally.tags)}, key=int):
            drawn = [tally for tally in theirs if repeat in repeats_of(tally.tags)]
            rows.append((size, f"random, {repeat}", *rate_cells(drawn)))
    return (Table("ATOM and photos chosen at random", ("k", "approach", *RATE_COLUMNS), tuple(rows)),)


def repeats_of(tags: Mapping[str, str]) -> list[str]:
    """The repeats of the random approach that chose a photo."""
    return tags["repeats"].split(REPEATS_APART)


def photos_of(tallies: Iterable[Tally]) -> dict[Combination, Photos]:
    """The photos of each combination, in the order of the plan."""
    found: dict[Combination, Photos] = {}
    for tally in tallies:
        labels = _labels(tally)
        found[labels] = found.get(labels, Photos()) + _photos(tally)
    return found


def _labels(tally: Tally) -> Combination:
    return tuple(tally.tags["combination"].split(AND))


def _photos(tally: Tally) -> Photos:
    confident, label_error, unspecific, incomplete = (
        tally.categories.get(name, 0) for name in ("confident", "label-error", "unspecific", INCOMPLETE)
    )
    return Photos(confident, label_error, unspecific, incomplete, tally.undecided, tally.score)


def _photo_cells(photos: Photos) -> tuple[int, ...]:
    return (photos.total, *photos.groups, photos.undecided)


def _combination_cells(photos: dict[Combination, Photos], size: int) -> tuple[str | int | float, ...]:
    """How many combinations are confident and vulnerable: those with at least one photo of the group (table IV)."""
    own = [each for labels, each in photos.items() if len(labels) == size]
    confident, vulnerable = sum(each.confident > 0 for each in own), sum(each.label_error > 0 for each in own)
    scores = [each.mean_score for each in own if each.mean_score is not None]
    return (
        len(own),
        f"{confident} ({share(confident, len(own))})",
        f"{vulnerable} ({share(vulnerable, len(own))})",
        len(scores),
        _score(sum(scores) / len(scores) if scores else None),
    )


def _label_rows(photos: dict[Combination, Photos]) -> Iterable[tuple[str | int | float, ...]]:
    names = sorted({label for labels in photos for label in labels})
    rows = []
    for name in names:
        own = {labels: each for labels, each in photos.items() if name in labels}
        scores = [each.mean_score for each in own.values() if each.mean_score is not None]
        mean = sum(scores) / len(scores) if scores else None
        alone = own[(name,)].mean_score if (name,) in own else None
        total = sum(own.values(), Photos())
        rows.append((_rank(mean), name, (name, len(own), total.total, *total.groups, _score(alone), _score(mean))))
    return [cells for _, _, cells in sorted(rows)]


def _combination_rows(photos: dict[Combination, Photos]) -> Iterable[tuple[str | int | float, ...]]:
    ranked = sorted(photos.items(), key=lambda item: (*_rank(item[1].mean_score), -item[1].label_error, item[0]))
    for labels, each in ranked:
        yield (AND.join(labels), *_photo_cells(each), _score(each.mean_score))


def _rank(score: float | None) -> tuple[bool, float]:
    """The worst first; what has no score comes last."""
    return (score is None, score or 0.0)


def _score(score: float | None) -> str:
    return _NO_SCORE if score is None else f"{score:.2f}"


def _triangle(photos: dict[Combination, Photos]) -> tuple[HeatMap, ...]:
    """Figure 5: the scores of pairs, with those of single labels on the diagonal."""
    cells = tuple(
        (labels[0], labels[-1], each.mean_score) for labels, each in sorted(photos.items()) if len(labels) in (1, 2)
    )
    if not any(one != other for one, other, _ in cells):
        return ()
    names = tuple(sorted({name for one, other, _ in cells for name in (one, other)}))
    note = (
        "The share of outputs that have both labels, over confident and label error photos (equation 1); single labels "
        "on the diagonal. A small triangle: tested, but no such photo."
    )
    return (HeatMap("Scores of label pairs", names, cells, note),)
