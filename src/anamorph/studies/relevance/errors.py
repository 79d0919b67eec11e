"""Which of a run's errors are due to photos that do not show their labels: ATOM's table IV.

A photo is irrelevant for a combination by people's votes; without votes, by reviewers of its issue, if most
of them call it a false alarm because of the annotation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from anamorph.methods.atom.combinations import Combination
from anamorph.methods.atom.tables import AND
from anamorph.model import Table
from anamorph.report.reviews import IssueReview
from anamorph.statistics.tables import share
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_combinations
from anamorph.studies.relevance.votes import JudgedPhoto, Vote


@dataclass(slots=True)
class ErrorCounts:
    """The photos and combinations of one size, and how many of them count only because of irrelevant photos.

    A combination is confident or vulnerable if one of its photos is confident or a label error.
    """

    size: int
    photos: int = 0
    unjudged: int = 0
    label_errors: int = 0
    irrelevant_label_errors: int = 0
    unspecific: int = 0
    combinations: set[Combination] = field(default_factory=set)
    confident: set[Combination] = field(default_factory=set)
    relevant_confident: set[Combination] = field(default_factory=set)
    vulnerable: set[Combination] = field(default_factory=set)
    relevant_vulnerable: set[Combination] = field(default_factory=set)

    def add(self, combination: Combination, groups: Iterable[str], relevant: bool | None) -> None:
        """Count a photo; one without votes is taken for relevant."""
        groups = frozenset(groups)
        self.photos += 1
        self.unjudged += relevant is None
        self.combinations.add(combination)
        self.unspecific += "unspecific" in groups
        if "label-error" in groups:
            self.label_errors += 1
            self.irrelevant_label_errors += relevant is False
        for name, all_of_them, relevant_ones in (
            ("confident", self.confident, self.relevant_confident),
            ("label-error", self.vulnerable, self.relevant_vulnerable),
        ):
            if name in groups:
                all_of_them.add(combination)
                if relevant is not False:
                    relevant_ones.add(combination)


def irrelevance_errors(store: RunStore, votes: Iterable[Vote], reviews: Iterable[IssueReview]) -> list[ErrorCounts]:
    """Table IV of a run, a row for each number of labels."""
    voted = {(PurePosixPath(vote.image).stem, vote.labels): vote.relevance != "irrelevant" for vote in votes}
    # Only an issue has reviewers, so a confident photo needs a vote.
    reviewed = {
        review.case: not (review.decision == "wrong" and review.false_alarm == "annotation")
        for review in reviews
        if review.decision != "unsure"
    }
    found: dict[int, ErrorCounts] = {}
    for digest, scene, text, categories in judged_combinations(store):
        combination = tuple(sorted(text.split(AND)))
        photo: JudgedPhoto = (PurePosixPath(scene).stem, combination)
        relevant = voted.get(photo, reviewed.get(digest))
        counts = found.setdefault(len(combination), ErrorCounts(len(combination)))
        counts.add(combination, categories, relevant)
    return [counts for _, counts in sorted(found.items())]


def error_table(rows: Iterable[ErrorCounts]) -> Table:
    """As the paper prints it: in parentheses, what irrelevant photos introduced."""
    columns = ("k", "photos", "not judged", "label errors", "unspecific", "confident", "vulnerable")
    return Table("Errors due to irrelevant photos", columns, tuple(tuple(_cells(row)) for row in rows))


def _cells(row: ErrorCounts) -> Iterator[str | int]:
    yield from (row.size, row.photos, row.unjudged)
    yield f"{row.label_errors} ({row.irrelevant_label_errors})"
    yield row.unspecific
    total = len(row.combinations)
    for some, relevant in (
        (row.confident, row.relevant_confident),
        (row.vulnerable, row.relevant_vulnerable),
    ):
        yield f"{share(len(some), total)} ({share(len(some - relevant), total)})"
