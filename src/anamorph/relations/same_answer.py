"""The claim that an edit does not change the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph.model import (
    AnswerReading,
    Asks,
    Conflict,
    Evidence,
    LabelSet,
    Reading,
    ReadingKind,
    Unreadable,
    Verdict,
    Wording,
    setting,
    the_probe,
)
from anamorph.relations.verdicts.phrases import all_of, whole_answers
from anamorph.relations.verdicts.quantities import unchanged

# Longer answers may be paraphrases; "2" and "3", or "yes" and "no", never are.
_MOST_WORDS_OF_A_CLAIM = 3
_ALTHOUGH = "the edit changes nothing that it should tell"


@dataclass(frozen=True, slots=True)
class SameAnswer:
    """Every follow-up gets the source's caption, answer or label set."""

    kind: ClassVar[str] = "same-answer"
    reads: ClassVar[ReadingKind] = "wording"
    reads_labels: ClassVar[ReadingKind | None] = "labels"
    keeps_references: ClassVar[bool] = True
    claims: ClassVar[str | None] = "the answer stays the same"
    by_wording: bool = setting(False, "Compare answers to questions by wording, not by meaning.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        source, *follow_ups = readings
        for position, reading in enumerate(readings):
            if isinstance(reading, Unreadable):
                subject = f"The answer to {the_probe(position, len(readings))}"
                return Verdict("undecided", f"{subject} cannot be read: {reading.reason}.")
        asks = {reading.asks if isinstance(reading, Wording) else None for reading in readings}
        if not self.by_wording and len(asks) == 1 and (what := asks.pop()) is not None:
            return _by_meaning([reading.said for reading in readings if isinstance(reading, Wording)], what)
        for position, follow_up in enumerate(follow_ups, start=1):
            if isinstance(source, Wording) and isinstance(follow_up, Wording):
                if source.normal == follow_up.normal:
                    continue
                if source.asked and not self.by_wording and not _are_short(source, follow_up):
                    return Verdict("undecided", "The answers are worded differently and may mean the same.")
                return _changed_text(source, follow_up, position)
            if isinstance(source, LabelSet) and isinstance(follow_up, LabelSet):
                if source.labels != follow_up.labels:
                    return _changed_labels(source, follow_up, position)
            else:
                return Verdict("undecided", "One answer is a text and another is a set of labels.")
        return Verdict("holds", "The answers agree.", vacuous=isinstance(source, LabelSet) and not source.labels)


def _by_meaning(said: Sequence[AnswerReading | Unreadable | None], asks: Asks) -> Verdict:
    """Whether answers to "how many" or "whether" mean the same."""
    readings = [each for each in said if each is not None]
    answers = all_of(AnswerReading, readings)
    if isinstance(answers, Verdict):
        return answers
    spoken = {answer.yes for answer in answers}
    if asks == "is-there" and None not in spoken:
        # A no to "Are there more than two?" leaves open whether there is any, but two of them still agree.
        if len(spoken) == 1:
            return Verdict("holds", f"The answer stays {'yes' if spoken.pop() else 'no'}.")
        position = next(place for place, answer in enumerate(answers) if answer.yes != answers[0].yes)
        words = ("yes", "no") if answers[0].yes else ("no", "yes")
        reason = f"The answer changed from {words[0]} to {words[1]} although {_ALTHOUGH}."
        verdict = Verdict("violated", reason, evidence=whole_answers(answers, (0, position)))
    else:
        verdict = unchanged(SameAnswer.kind, answers, asks, _ALTHOUGH)
    if verdict.outcome != "violated":
        return verdict
    return replace(verdict, violated=(SameAnswer.kind,), categories=("answer-changed",), grade="contradiction")


def _are_short(*answers: Wording) -> bool:
    return all(len(each.normal.split()) <= _MOST_WORDS_OF_A_CLAIM for each in answers)


def _changed_text(source: Wording, follow_up: Wording, position: int) -> Verdict:
    evidence = (
        Evidence(0, source.text, 0, len(source.text)),
        Evidence(position, follow_up.text, 0, len(follow_up.text)),
    )
    return Verdict(
        "violated",
        f"The answer changed although {_ALTHOUGH}.",
        violated=(SameAnswer.kind,),
        categories=("answer-changed",),
        evidence=evidence,
        grade="contradiction" if _are_short(source, follow_up) else "omission",
    )


def _changed_labels(source: LabelSet, follow_up: LabelSet, position: int) -> Verdict:
    lost, gained = sorted(source.labels - follow_up.labels), sorted(follow_up.labels - source.labels)
    parts = [f"lost {_list(lost)}"] if lost else []
    parts += [f"gained {_list(gained)}"] if gained else []
    evidence = tuple(Evidence(0, label) for label in lost) + tuple(Evidence(position, label) for label in gained)
    return Verdict(
        "violated",
        f"The label set {' and '.join(parts)} although the edit neither hides nor adds anything.",
        violated=(SameAnswer.kind,),
        categories=("labels-changed",),
        evidence=evidence,
        grade="omission",
        conflicts=(
            *(Conflict(label, "omission", "lost", (0, position)) for label in lost),
            *(Conflict(label, "omission", "gained", (0, position)) for label in gained),
        ),
    )


def _list(labels: Iterable[str]) -> str:
    return ", ".join(map(repr, labels))
