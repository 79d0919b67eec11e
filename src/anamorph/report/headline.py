"""The first sentences of a report: what fails, how often, how sure, and what each method did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anamorph.model import Grade
from anamorph.reading.nouns import counted, noun_of
from anamorph.report.cause_words import Cause, ShownPattern
from anamorph.report.issues import Issue
from anamorph.report.numbers import GradeCounts, MethodStory, RunNumbers
from anamorph.report.suspicions import suspected
from anamorph.report.wording import short
from anamorph.statistics.blame import CauseKind
from anamorph.statistics.intervals import Interval

# A share of fewer cases says nothing of how often something fails in general.
FEWEST_CASES = 10
# The surest grade leads if at least this share of the issues has it.
LEADING_SHARE = 0.2
MOST_LABEL = 60
# The floor leads where closed answers are what the run is about: it counts answers, and a rate counts cases.
FLOOR_LEADS = 0.1

_SYSTEMS: Mapping[str | None, str] = {
    "caption": "captioner",
    "answer": "question answerer",
    "labels": "tagger",
    None: "system",
}
# What an issue of each grade is about.
_KINDS: Mapping[Grade, tuple[CauseKind, ...]] = {
    "contradiction": ("existence", "number", "answer", "described", "invented", "gone", "lost", "gained", "missing"),
    "invention": ("invented", "gone", "described"),
    "miscount": ("number",),
    "omission": ("lost", "gained", "missing"),
}


@dataclass(frozen=True, slots=True)
class GradeLine:
    """How many cases fail in one way, as the end of a sentence: "69 name something that is not there"."""

    grade: Grade | None
    words: str


def headline(numbers: RunNumbers) -> str:
    """The result of the run in one sentence."""
    counts = numbers.counts
    if numbers.state in ("planning", "unjudged") and not counts.decided:
        return "This run has no verdicts yet"
    if not counts.cases:
        return "This run has no cases"
    if numbers.gate.outcome == "broken" and not counts.violated:
        return f"This {_system(numbers)} gives too few answers to be tested"
    if not counts.decided:
        return "No case could be decided"
    if not counts.violated:
        return _nothing_found(numbers)
    if numbers.floor is not None and numbers.floor.fewest and numbers.floor.share >= FLOOR_LEADS * _rate(numbers):
        floor = numbers.floor
        are = "is" if floor.fewest == 1 else "are"
        return (
            f"This {_system(numbers)} contradicts itself {_photos(numbers.photos.violated, numbers)}: at least "
            f"{floor.fewest:,} of {floor.answers:,} answers {are} false, whatever the photos show"
        )
    leading = _leading(numbers)
    often = _how_often(numbers, leading)
    return f"{_what_fails(numbers, leading.grade)} {often}{_most_often(numbers, leading)}"


def grade_lines(numbers: RunNumbers) -> list[GradeLine]:
    """The issues by grade in words, the surest first, where there are issues of more than one."""
    found = [each for each in numbers.grades if each.violated]
    return [GradeLine(each.grade, _in_words(each, numbers)) for each in found] if len(found) > 1 else []


def story_sentence(story: MethodStory) -> str:
    """A method's work and its outcome: "removed 1 to 3 objects from 62 photos and checked that ..."."""
    counts = story.counts
    if not counts.decided:
        return f"{story.did}, but none of its {_cases(counts.cases)} could be decided."
    outcome = f"{counts.violated:,} of {_cases(counts.decided)} broken"
    if not counts.violated:
        outcome = "nothing proved" if counts.leads else "no case broken"
    if len(story.claims) == 1:
        return f"{story.did} and checked that {story.claims[0][0]}: {outcome}."
    if not counts.violated:
        return f"{story.did}: {outcome}."
    claim, broken = story.claims[0]
    return f"{story.did}: {outcome}, most often the rule that {claim} ({broken:,})."


def percent(share: float) -> str:
    """A share without decimals, except where it would look like none or all."""
    if 0 < share < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"


def _rate(numbers: RunNumbers) -> float:
    return numbers.counts.violation_rate or 0.0


def _system(numbers: RunNumbers) -> str:
    return _SYSTEMS[numbers.answers_with]


def _cases(number: int) -> str:
    return f"{number:,} {'case' if number == 1 else 'cases'}"


def _nothing_found(numbers: RunNumbers) -> str:
    counts = numbers.counts
    photos = "1 photo" if numbers.photos.decided == 1 else f"{numbers.photos.decided:,} photos"
    if counts.leads and numbers.gate.outcome != "inconclusive":
        # Leads do not count, but a case that raised one was not simply passed.
        return f"Nothing is proved against this {_system(numbers)} in {photos} ({_cases(counts.decided)})"
    cases = "the one case" if counts.decided == 1 else f"all {_cases(counts.decided)}"
    passed = f"This {_system(numbers)} passed {cases} of {photos}"
    if numbers.gate.outcome == "inconclusive":
        if counts.undecided > counts.decided:
            return f"{passed} that could be decided, but {counts.undecided:,} of {counts.cases:,} could not be"
        if counts.vacuous * 2 > counts.decided:
            return f"{passed}, but in {counts.vacuous:,} of them it named nothing that could be wrong"
        return f"{passed}, but the run shows too little to trust that"
    if counts.decided < FEWEST_CASES:
        return f"{passed}, which are too few to say more" if counts.decided > 1 else f"{passed}, which says little"
    if counts.interval is None:
        return passed
    return f"{passed}: at most {percent(counts.interval[1])} of such cases fail"


def _leading(numbers: RunNumbers) -> GradeCounts:
    """The surest grade that many of the issues have."""
    found = [each for each in numbers.grades if each.violated]
    enough = LEADING_SHARE * numbers.counts.violated
    return next((each for each in found if each.violated >= enough), max(found, key=lambda each: each.violated))


def _what_fails(numbers: RunNumbers, grade: Grade | None) -> str:
    subject = f"This {_system(numbers)}"
    match grade:
        case "contradiction":
            return f"{subject} contradicts itself"
        case "invention":
            return f"{subject} names objects that are not there"
        case "miscount":
            return f"{subject} miscounts objects"
        case "omission" if numbers.answers_with == "labels":
            return f"{subject}'s labels come and go"
        case "omission":
            return f"{subject} leaves out objects"
        case _:
            return f"{subject} breaks the rule of its cases"


def _how_often(numbers: RunNumbers, leading: GradeCounts) -> str:
    """In how many photos, and then in how many cases: "in 12 of 60 photos (69 of 191 cases, 36%, 28 to 45%)"."""
    decided, violated = numbers.counts.decided, leading.violated
    photos = _photos(numbers.photos.of(leading.grade), numbers)
    if decided == 1:
        return f"{photos} (the one case that could be decided)"
    part = f"{'all' if violated == decided else f'{violated:,} of'} {_cases(decided)}"
    if decided < FEWEST_CASES or leading.rate is None:
        return f"{photos} ({part}), too few to say how often in general"
    sure = "" if leading.interval is None else f", {_span(leading.interval)}"
    return f"{photos} ({part}, {percent(leading.rate)}{sure})"


def _photos(count: int, numbers: RunNumbers) -> str:
    decided = numbers.photos.decided
    if count == decided:
        return "in the one photo" if decided == 1 else f"in all {decided:,} photos"
    return f"in {count:,} of {decided:,} photos"


def _span(interval: Interval) -> str:
    low, high = f"{100 * interval[0]:.0f}", percent(interval[1])
    return f"{low} to {high}"


def _most_often(numbers: RunNumbers, leading: GradeCounts) -> str:
    """The most frequent subject: a class, or else the rule that is broken most."""
    if leading.grade is not None:
        pattern = _commonest(numbers, leading.grade)
        if pattern is not None:
            often = "most often " if pattern.pattern.cases > 1 else ""
            return f": {often}{_about(pattern, numbers, leading.grade)}"
    broken = [(count, claim) for story in numbers.stories for claim, count in story.claims if count]
    if len(broken) < 2:
        return ""
    count, claim = max(broken, key=lambda each: each[0])
    return f": most often it breaks the rule that {claim}" if count > 1 else ""


def _commonest(numbers: RunNumbers, grade: Grade) -> ShownPattern | None:
    """The largest pattern about a class; None if nothing came twice."""
    kinds = _KINDS[grade]
    found = [each for each in numbers.patterns if each.pattern.grade == grade and each.pattern.what in kinds]
    best = max(found, key=lambda each: (each.pattern.cases, each.pattern.scenes), default=None)
    return best if best is not None and (best.pattern.cases > 1 or len(found) == 1) else None


def _about(shown: ShownPattern, numbers: RunNumbers, grade: Grade) -> str:
    label = short(shown.pattern.label, MOST_LABEL)
    if numbers.answers_with == "labels":
        return f"\u201c{label}\u201d"
    return noun_of(label).many if grade in ("miscount", "contradiction") else counted(label, 1)


def _in_words(each: GradeCounts, numbers: RunNumbers) -> str:
    one = each.violated == 1
    match each.grade:
        case "contradiction":
            words = "contradicts itself" if one else "contradict themselves"
        case "invention":
            words = f"{'names' if one else 'name'} something that is not there"
        case "miscount":
            words = f"{'miscounts' if one else 'miscount'}"
        case "omission" if numbers.answers_with == "labels":
            words = f"{'loses or gains' if one else 'lose or gain'} labels"
        case "omission":
            words = f"{'leaves' if one else 'leave'} something out"
        case _:
            words = f"{'breaks its' if one else 'break their'} rule as published"
    return f"{each.violated:,} {words}"


def cause_sentence(cause: Cause, issue: Issue, numbers: RunNumbers) -> str:
    """The error in one scene, as a title: "Names a dog that is not there"; `issue` is its clearest example."""
    label = short(cause.label, MOST_LABEL)
    of_tagger = numbers.answers_with == "labels"
    one, many = (f"\u201c{label}\u201d",) * 2 if of_tagger else (counted(label, 1), noun_of(label).many)
    match cause.what:
        case "invented":
            return f"Names {one} that is not there"
        case "gone":
            return f"Still names {one} after the last one was removed"
        case "lost":
            return f"Stops naming {one} after the change"
        case "gained":
            return f"Names {one} only after the change"
        case "missing":
            return f"Leaves out {one}"
        case "number":
            return f"Miscounts {many}"
        case "existence":
            return f"Sees {one} and denies it"
        case "described":
            return f"Describes {one} wrongly"
        case _:
            return short(suspected(issue.verdict), 160).rstrip(".")
