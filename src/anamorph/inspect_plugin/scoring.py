"""How an evaluation is scored: the cases of each photo, and over all photos the rate and the error floor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from anamorph.inspect_plugin.evaluations import EVALUATIONS
from anamorph.inspect_plugin.runs import EpochRun, PhotoResult
from anamorph.report.issues import Issue, ShownProbe
from anamorph.report.wording import answer_text
from anamorph.statistics.intervals import clustered

MOST_PROOFS = 5


def score_of(result: PhotoResult, gate: str, unstable: tuple[int, int]) -> Score:
    """The cases of a photo in numbers, with its proofs in words."""
    repeated, changed = unstable
    return Score(
        value={
            "violated": result.violated,
            "holds": result.holds,
            "undecided": result.undecided,
            "leads": result.leads,
            "false_answers": result.false_answers,
            "closed_answers": result.answers,
        },
        answer=f"{result.violated} of {result.violated + result.holds}",
        explanation=explanation(result, gate),
        metadata={
            "relations": {name: list(counts) for name, counts in result.relations.items()},
            "repeated": repeated,
            "changed": changed,
            "cases": [issue.digest for issue in result.issues],
        },
    )


def explanation(result: PhotoResult, gate: str) -> str:
    """The proofs of a photo in words, and how the whole run came out."""
    proofs = [proof_text(issue) for issue in result.issues[:MOST_PROOFS]]
    left = len(result.issues) - len(proofs)
    more = [f"And {left} more."] if left > 0 else []
    none = [] if proofs else ["No contradiction among the answers about this photo was proved."]
    return "\n\n".join([*proofs, *more, *none, f"All photos: {gate}"])


def proof_text(issue: Issue) -> str:
    """Why the answers of an issue cannot all be right."""
    said = "\n".join(f"- {image_text(probe)}: {_said(probe)}" for probe in issue.probes)
    return f"**{issue.reason}** ({issue.relation}{f', {issue.certainty}' if issue.certainty else ''})\n\n{said}"


def image_text(probe: ShownProbe) -> str:
    """Which image a probe shows, in a few words."""
    return ", ".join([probe.scene, *probe.edits_in_words])


def _said(probe: ShownProbe) -> str:
    answer = "no answer" if probe.answer is None else answer_text(probe.answer)
    return answer if probe.question is None else f"{probe.question} {answer}"


def _shares(counts: Iterable[tuple[str, int, int]], name: str) -> dict[str, float]:
    """A share of all, with the ends of its 95 % interval, from (photo, all, of these) of every photo and epoch."""
    photos: dict[str, tuple[int, int]] = {}
    for photo, total, hits in counts:
        before = photos.get(photo, (0, 0))
        photos[photo] = (before[0] + total, before[1] + hits)
    total, hits = (sum(each[place] for each in photos.values()) for place in (0, 1))
    low, high = clustered(photos.values()) or (math.nan, math.nan)
    return {name: hits / total if total else math.nan, f"{name}_low": low, f"{name}_high": high}


def _numbers(score: SampleScore) -> Mapping[str, Any]:
    value = score.score.value
    return value if isinstance(value, Mapping) else {}


def _of(scores: list[SampleScore], every: Callable[[Mapping[str, Any]], int], some: str) -> list[tuple[str, int, int]]:
    numbers = [(str(score.sample_id), _numbers(score)) for score in scores]
    return [(photo, every(each), int(each[some])) for photo, each in numbers if each]


@metric(scores="unreduced")
def violation_rate() -> Metric:
    """The violated share of the decided cases, with its interval over photos."""

    def over(scores: list[SampleScore]) -> Any:
        decided = _of(scores, lambda each: int(each["violated"] + each["holds"]), "violated")
        return _shares(decided, "violation_rate")

    return over


@metric(scores="unreduced")
def error_floor() -> Metric:
    """The share of the closed answers that must be false, whatever the photos show."""

    def over(scores: list[SampleScore]) -> Any:
        return _shares(_of(scores, lambda each: int(each["closed_answers"]), "false_answers"), "error_floor")

    return over


@metric(scores="unreduced")
def noise_floor() -> Metric:
    """Of the questions that several epochs asked, the share that was answered differently."""

    def over(scores: list[SampleScore]) -> Any:
        found = [score.score.metadata or {} for score in scores]
        repeated = sum(int(each.get("repeated", 0)) for each in found)
        return sum(int(each.get("changed", 0)) for each in found) / repeated if repeated else math.nan

    return over


@metric(scores="unreduced")
def by_relation() -> Metric:
    """The violation rate of each relation."""

    def over(scores: list[SampleScore]) -> Any:
        sums: dict[str, tuple[int, int]] = {}
        for score in scores:
            for name, (decided, violated) in ((score.score.metadata or {}).get("relations", {})).items():
                before = sums.get(name, (0, 0))
                sums[name] = (before[0] + decided, before[1] + violated)
        return {name: violated / decided for name, (decided, violated) in sorted(sums.items()) if decided}

    return over


@scorer(metrics=[violation_rate(), error_floor(), noise_floor(), by_relation()], name="relations")
def relations_hold() -> Scorer:
    """Anamorph's judge: which relations among the answers about a photo are violated."""

    async def score(state: TaskState, target: Target) -> Score:
        runs, photo = EVALUATIONS.epochs_of(state.uuid), str(state.sample_id)
        run = runs.get(state.epoch)
        if run is None or not run.board.over or run.board.problem is not None:
            return Score(value=math.nan, explanation="The sample ended before the run behind it was judged.")
        return score_of(run.results.get(photo, PhotoResult()), run.gate, _compared(runs, run, photo))

    return score


def _compared(runs: Mapping[int, EpochRun], run: EpochRun, photo: str) -> tuple[int, int]:
    """How many questions about a photo the first epoch that was done asked as well, and how many it heard otherwise."""
    first = min((each for each in runs.values() if each.board.over), key=lambda each: each.ended, default=run)
    if first is run:
        return 0, 0
    mine, theirs = run.said_of(photo), first.said_of(photo)
    shared = mine.keys() & theirs.keys()
    return len(shared), sum(_plain(mine[key]) != _plain(theirs[key]) for key in shared)


def _plain(text: str) -> str:
    return text.strip().rstrip(".").casefold()
