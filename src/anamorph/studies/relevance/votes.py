"""Whether photos show what they were collected for: people's judgements, their vote, and the figures of it.

Source: the ATOM paper, section III-B1 and table III. A judgement is a plain record, so that review pages, spreadsheets
and scripts can all write it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from anamorph.methods.atom.combinations import Combination
from anamorph.statistics.agreement import fleiss, pairwise

Relevance: TypeAlias = Literal["strong", "weak", "irrelevant"]
RELEVANCES: tuple[Relevance, ...] = get_args(Relevance)
# Why a photo is only weakly relevant: figure 3 of the paper.
Reason: TypeAlias = Literal["blur", "incompleteness", "merging", "abstraction"]
REASONS: tuple[Reason, ...] = get_args(Reason)
NOT_SAID = "not said"
# A photo for a label combination; the same photo may have been collected for several.
JudgedPhoto: TypeAlias = tuple[str, Combination]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's vote on one photo for one label combination.

    strong: all labels are clearly there. weak: all are there, but blurred, incomplete, merged or abstract. irrelevant:
    at least one is missing. `reason` says why it is weak. `image` is any name that identifies a photo, such as a
    manifest's hash.
    """

    image: str
    labels: tuple[str, ...]
    annotator: str
    relevance: Relevance
    note: str = ""
    reason: Reason | None = None

    def __post_init__(self) -> None:
        if not self.image or not self.annotator:
            raise ValueError("a judgement names an image and an annotator")
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise ValueError(f"a combination has at least one label and none twice, got {list(self.labels)}")
        if self.reason is not None and self.relevance != "weak":
            raise ValueError(f"only weak relevance has a reason, and this is {self.relevance}")

    @property
    def item(self) -> JudgedPhoto:
        return self.image, tuple(sorted(self.labels))


@dataclass(frozen=True, slots=True)
class Vote:
    """The decision of the annotators of a photo; `tied` if no choice had more votes than every other."""

    image: str
    labels: Combination
    relevance: Relevance
    votes: Mapping[str, int]
    tied: bool = False


@dataclass(frozen=True, slots=True)
class RelevanceCounts:
    """Photos and combinations of one size; a row of the paper's table III."""

    size: int
    combinations: int
    relevant_combinations: int
    strong: int
    weak: int
    irrelevant: int

    @property
    def images(self) -> int:
        return self.strong + self.weak + self.irrelevant

    @property
    def relevant_images_share(self) -> float:
        """RI: the share of photos that are strong or weak."""
        return (self.strong + self.weak) / self.images

    @property
    def relevant_combinations_share(self) -> float:
        """RLC: the share of combinations with at least one relevant photo, among those that photos were found for."""
        return self.relevant_combinations / self.combinations


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kappas of the annotators; None if one is not defined.

    `mean` is the mean of Cohen's kappa over pairs (Light 1971). `fleiss` is over the photos that everybody judged.
    """

    annotators: tuple[str, ...]
    pairs: Mapping[tuple[str, str], float | None]
    mean: float | None
    fleiss: float | None
    judged_by_all: int


@dataclass(frozen=True, slots=True)
class RelevanceSummary:
    """Everything that is computed from judgements; `revised` are those that the same person replaced later."""

    judgements: int
    revised: int
    tied: int
    per_size: tuple[RelevanceCounts, ...]
    agreement: Agreement
    votes: tuple[Vote, ...]
    # Of the judgements that say weak, how many have which reason; those without one are counted as "not said".
    reasons: Mapping[str, int] = field(default_factory=dict)


def vote(choices: Sequence[Relevance]) -> tuple[Relevance, bool]:
    """The choice of most, and whether there was a tie; a tie is weak, as where three people all differ (III-B1)."""
    ranked = Counter(choices).most_common()
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    return ("weak", True) if tied else (ranked[0][0], False)


def sum_up(judgements: Iterable[Judgement]) -> RelevanceSummary:
    """Count, vote and measure agreement; of two judgements by one person on one photo, the later stands."""
    by_item: dict[JudgedPhoto, dict[str, Relevance]] = {}
    weak: dict[tuple[JudgedPhoto, str], str] = {}
    count = 0
    for each in judgements:
        count += 1
        by_item.setdefault(each.item, {})[each.annotator] = each.relevance
        weak.pop((each.item, each.annotator), None)
        if each.relevance == "weak":
            weak[each.item, each.annotator] = each.reason or NOT_SAID
    found = Counter(weak.values())
    votes = []
    for (image, labels), given in sorted(by_item.items()):
        relevance, tied = vote(list(given.values()))
        votes.append(Vote(image, labels, relevance, dict(Counter(given.values())), tied))
    standing = sum(len(given) for given in by_item.values())
    return RelevanceSummary(
        judgements=standing,
        revised=count - standing,
        tied=sum(each.tied for each in votes),
        per_size=tuple(_per_size(votes)),
        agreement=_agreement(by_item),
        votes=tuple(votes),
        reasons={reason: found[reason] for reason in (*REASONS, NOT_SAID)} if found else {},
    )


def relevant_photos(judgements: Iterable[Judgement]) -> frozenset[JudgedPhoto]:
    """The photos that show their combinations by the vote: strong or weak."""
    votes = sum_up(judgements).votes
    return frozenset((each.image, each.labels) for each in votes if each.relevance != "irrelevant")


def _per_size(votes: Sequence[Vote]) -> Iterable[RelevanceCounts]:
    for size in sorted({len(each.labels) for each in votes}):
        own = [each for each in votes if len(each.labels) == size]
        groups = Counter(each.relevance for each in own)
        relevant = {each.labels for each in own if each.relevance != "irrelevant"}
        combinations = {each.labels for each in own}
        yield RelevanceCounts(size, len(combinations), len(relevant), *(groups[name] for name in RELEVANCES))


def _agreement(by_item: Mapping[JudgedPhoto, Mapping[str, Relevance]]) -> Agreement:
    names = sorted({name for given in by_item.values() for name in given})
    judged = {name: {item: given[name] for item, given in by_item.items() if name in given} for name in names}
    pairs = pairwise(judged)  # type: ignore[arg-type]
    known = [kappa for kappa in pairs.values() if kappa is not None]
    everybody = [Counter(given.values()) for given in by_item.values() if len(given) == len(names) > 1]
    return Agreement(
        annotators=tuple(names),
        pairs=pairs,
        mean=sum(known) / len(known) if known else None,
        fleiss=fleiss(everybody),  # type: ignore[arg-type]
        judged_by_all=len(everybody),
    )
