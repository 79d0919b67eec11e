"""A summary of the answers to a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from anamorph.statistics.exact_tests import sign
from anamorph.statistics.intervals import Interval, student, wilson
from anamorph.statistics.intraclass import Intraclass, intraclass
from anamorph.statistics.t_test import TTest, t_test
from anamorph.studies.relevance.files import summary_record as relevance_record
from anamorph.studies.relevance.votes import Judgement, RelevanceSummary, sum_up
from anamorph.studies.study.results import StudyAnswers, StudyResult
from anamorph.studies.study.study import REAL, Study, StudyItem

# The forms that are of use for ratings of the same pictures by the same people: how far one person's rating, and the
# mean of all, can be relied on (2: people like these; 3: exactly these).
_FORMS = ((2, False), (2, True), (3, False), (3, True))


@dataclass(frozen=True, slots=True)
class KindRatings:
    """The ratings of pictures of one kind: the mean over pictures of their mean rating, with its 95 % interval."""

    what: str
    pictures: int
    ratings: int
    mean: float
    interval: Interval | None
    shares: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Naturalness:
    """Mean ratings by kind of picture, and how far people agree, over the pictures that all of them rated."""

    kinds: tuple[KindRatings, ...]
    agreement: tuple[Intraclass, ...]
    rated_by_all: int


@dataclass(frozen=True, slots=True)
class PairChoices:
    """How often `first` was chosen over `second`: over all answers, and over pairs by what most people chose.

    `p_value` is that of the exact sign test over pairs, since the answers of several people to one pair are not
    independent; pairs that split people evenly are `tied`, and left out of it. `t_test` is the two-tailed one that
    SPOLRE's study names: whether the mean share of people who choose `first`, pair by pair, is a half.
    """

    first: str
    second: str
    answers: int
    chosen: int
    interval: Interval | None
    pairs: int
    won: int
    tied: int
    p_value: float
    t_test: TTest | None
    confidence: float | None
    confidence_when_chosen: float | None


@dataclass(frozen=True, slots=True)
class Captions:
    """How many captions were corrected, and how many are right as they are."""

    corrected: int
    fine: int


@dataclass(frozen=True, slots=True)
class StudySummary:
    """The result of a study; of the four fields, that of its kind is set."""

    study: Study
    reviewers: tuple[str, ...]
    answered: Mapping[str, int]
    strange: int
    naturalness: Naturalness | None = None
    pairwise: tuple[PairChoices, ...] = ()
    relevance: RelevanceSummary | None = None
    captions: Captions | None = None


def sum_up_study(study: Study, answers: StudyAnswers) -> StudySummary:
    items = {item.id: item for item in study.items}
    counts = Counter(name for given in answers.given.values() for name in given)
    found: dict[str, Any] = {}
    if study.topic == "naturalness":
        found["naturalness"] = _naturalness(items, answers)
    elif study.topic == "pairwise":
        found["pairwise"] = _pairwise(items, answers)
    elif study.topic == "relevance":
        found["relevance"] = sum_up(judgements(study, answers))
    else:
        given = [result for each in answers.given.values() for result in each.values()]
        found["captions"] = Captions(sum(bool(each.text) for each in given), sum(not each.text for each in given))
    return StudySummary(study, answers.reviewers, dict(sorted(counts.items())), answers.strange, **found)


def judgements(study: Study, answers: StudyAnswers) -> list[Judgement]:
    """The answers to a study of relevance, as `anamorph research relevance` reads them."""
    items = {item.id: item for item in study.items}
    found = []
    for item, given in answers.given.items():
        for name, result in given.items():
            # A choice such as strong, or weak with its reason: weak-blur.
            relevance, _, reason = result.choice.partition("-")
            if relevance:
                about = items[item].scene, items[item].labels
                found.append(Judgement(*about, name, relevance, reason=reason or None))  # type: ignore[arg-type]
    return found


def _naturalness(items: Mapping[str, StudyItem], answers: StudyAnswers) -> Naturalness:
    by_kind: dict[str, list[list[int]]] = {}
    for item in items.values():
        ratings = [int(each.choice) for each in answers.given.get(item.id, {}).values()]
        if ratings:
            by_kind.setdefault(item.pictures[0].what, []).append(ratings)
    names = answers.reviewers
    complete = [
        [float(given[name].choice) for name in names] for given in answers.given.values() if len(given) == len(names)
    ]
    forms = (intraclass(complete, form, averaged=averaged) for form, averaged in _FORMS)  # type: ignore[arg-type]
    return Naturalness(
        tuple(_kind_ratings(what, ratings) for what, ratings in by_kind.items()),
        tuple(form for form in forms if form is not None),
        len(complete),
    )


def _kind_ratings(what: str, ratings: Sequence[Sequence[int]]) -> KindRatings:
    means = [fmean(each) for each in ratings]
    mean, count = fmean(means), len(means)
    interval = None
    # Ratings that are all alike say nothing about how far others would be from them.
    if len(set(means)) > 1:
        reach = student(count - 1) * stdev(means) / count**0.5
        interval = (mean - reach, mean + reach)
    shares = Counter(str(rating) for each in ratings for rating in each)
    return KindRatings(what, count, sum(map(len, ratings)), mean, interval, dict(sorted(shares.items())))


def _pairwise(items: Mapping[str, StudyItem], answers: StudyAnswers) -> tuple[PairChoices, ...]:
    by_kinds: dict[tuple[str, str], list[tuple[list[StudyResult], list[StudyResult]]]] = {}
    for item in items.values():
        given = [each for each in answers.given.get(item.id, {}).values() if each.choice]
        one, other = item.pictures[0].what, item.pictures[1].what
        if not given or one == other:
            continue
        # Untouched photos are always the first; methods are by name.
        first, second = sorted((one, other), key=lambda what: (what != REAL, what))
        letter = "a" if one == first else "b"
        chosen = [each for each in given if each.choice == letter]
        by_kinds.setdefault((first, second), []).append((chosen, [each for each in given if each.choice != letter]))
    return tuple(_choices(*kinds, some) for kinds, some in by_kinds.items())


def _choices(
    first: str, second: str, some: Sequence[tuple[Sequence[StudyResult], Sequence[StudyResult]]]
) -> PairChoices:
    chosen, left = ([result for each in some for result in each[side]] for side in (0, 1))
    won, lost = sum(len(one) > len(other) for one, other in some), sum(len(one) < len(other) for one, other in some)
    return PairChoices(
        first,
        second,
        len(chosen) + len(left),
        len(chosen),
        # Of a single person the answers are independent; of several, the pairs are.
        wilson(won, won + lost) if won + lost else None,
        len(some),
        won,
        len(some) - won - lost,
        sign(won, lost),
        t_test([len(one) / (len(one) + len(other)) for one, other in some], 0.5),
        _confidence([*chosen, *left]),
        _confidence(chosen),
    )


def _confidence(results: Sequence[StudyResult]) -> float | None:
    given = [int(each.confidence) for each in results if each.confidence]
    return fmean(given) if given else None


def summary_record(summary: StudySummary) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kind": summary.study.topic,
        "study": summary.study.digest,
        "items": len(summary.study.items),
        "reviewers": list(summary.reviewers),
        "answers": dict(summary.answered),
        "strange_results": summary.strange,
    }
    if summary.naturalness is not None:
        found = summary.naturalness
        record["kinds"] = [asdict(each) for each in found.kinds]
        record["icc"] = [{"name": each.name, **asdict(each)} for each in found.agreement]
        record["rated_by_all"] = found.rated_by_all
        record["differences"] = [
            {"first": one.what, "second": other.what, "difference": one.mean - other.mean}
            for one, other in combinations(found.kinds, 2)
        ]
    elif summary.relevance is not None:
        record |= relevance_record(summary.relevance)
    elif summary.captions is not None:
        record |= asdict(summary.captions)
    else:
        record["pairs"] = [asdict(each) for each in summary.pairwise]
    return record
