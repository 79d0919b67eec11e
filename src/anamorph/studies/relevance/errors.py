"""Which of a run's errors are due to photos that do not show their labels: ATOM's table IV.

A photo is irrelevant for a combination by people's votes; without votes, by reviewers of its issue, if most
of them call it a false alarm because of the annotation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from anamorph.methods.atom.combinations import Combination
from anamorph.methods.atom.tables import AND
from anamorph.model import Table
from anamorph.report.reviews import IssueReview
from anamorph.statistics.tables import share
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_combinations
from anamorph.studies.relevance.votes import JudgedPhoto, Vote


class GroupedPhoto(NamedTuple):
    """A photo of a combination, the groups of its outputs, and whether it shows the labels; None without a judgement.

    A combination is confident or vulnerable if one of its photos is confident or a label error.
    """

    combination: Combination
    groups: frozenset[str]
    relevant: bool | None


def irrelevance_errors(
    store: RunStore, votes: Iterable[Vote], reviews: Iterable[IssueReview]
) -> dict[int, list[GroupedPhoto]]:
    """The photos of a run by their number of labels."""
    voted = {(PurePosixPath(vote.image).stem, vote.labels): vote.relevance != "irrelevant" for vote in votes}
    # Only an issue has reviewers, so a confident photo needs a vote.
    reviewed = {
        review.case: not (review.decision == "wrong" and review.false_alarm == "annotation")
        for review in reviews
        if review.decision != "unsure"
    }
    found: defaultdict[int, list[GroupedPhoto]] = defaultdict(list)
    for digest, scene, text, categories in judged_combinations(store):
        combination = tuple(sorted(text.split(AND)))
        photo: JudgedPhoto = (PurePosixPath(scene).stem, combination)
        relevant = voted.get(photo, reviewed.get(digest))
        found[len(combination)].append(GroupedPhoto(combination, frozenset(categories), relevant))
    return dict(sorted(found.items()))


def error_table(photos: Mapping[int, Sequence[GroupedPhoto]]) -> Table:
    """As the paper prints it: in parentheses, what irrelevant photos introduced."""
    columns = ("k", "photos", "not judged", "label errors", "unspecific", "confident", "vulnerable")
    rows = tuple((size, *_cells(some)) for size, some in photos.items())
    return Table("Errors due to irrelevant photos", columns, rows)


def _cells(photos: Sequence[GroupedPhoto]) -> Iterator[str | int]:
    """A photo without a judgement is taken for relevant."""
    errors, unspecific, confident = (
        [photo for photo in photos if group in photo.groups] for group in ("label-error", "unspecific", "confident")
    )
    yield from (len(photos), sum(photo.relevant is None for photo in photos))
    yield f"{len(errors)} ({sum(photo.relevant is False for photo in errors)})"
    yield len(unspecific)
    total = len({photo.combination for photo in photos})
    for some in (confident, errors):
        every = {photo.combination for photo in some}
        relevant = {photo.combination for photo in some if photo.relevant is not False}
        yield f"{share(len(every), total)} ({share(len(every - relevant), total)})"
