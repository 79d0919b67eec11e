"""The claim that an edit changes nothing in the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Conflict, Evidence, LabelSet, Reading, Unreadable, Verdict, Wording, the_probe

# Of longer answers, two wordings may well mean the same; "2" and "3", or "yes" and "no", never do.
_MOST_WORDS_OF_A_CLAIM = 3


@dataclass(frozen=True, slots=True)
class SameAnswer:
    """Every follow-up is answered like the source: the same caption, or the same label set."""

    kind: ClassVar[str] = "same-answer"
    reads: ClassVar[str] = "plain"

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        source, *follow_ups = readings
        for position, reading in enumerate(readings):
            if isinstance(reading, Unreadable):
                subject = f"The answer to {the_probe(position, len(readings))}"
                return Verdict("undecided", f"{subject} cannot be read: {reading.reason}.")
        for position, follow_up in enumerate(follow_ups, start=1):
            if isinstance(source, Wording) and isinstance(follow_up, Wording):
                if source.normal != follow_up.normal:
                    return _changed_text(source, follow_up, position)
            elif isinstance(source, LabelSet) and isinstance(follow_up, LabelSet):
                if source.labels != follow_up.labels:
                    return _changed_labels(source, follow_up, position)
            else:
                return Verdict("undecided", "One answer is a text and another is a set of labels.")
        return Verdict("holds", "The answers agree.", vacuous=isinstance(source, LabelSet) and not source.labels)


def _changed_text(source: Wording, follow_up: Wording, position: int) -> Verdict:
    evidence = (
        Evidence(0, source.text, 0, len(source.text)),
        Evidence(position, follow_up.text, 0, len(follow_up.text)),
    )
    short = all(len(each.normal.split()) <= _MOST_WORDS_OF_A_CLAIM for each in (source, follow_up))
    return Verdict(
        "violated",
        "The answer changed although the edit changes nothing that it should tell.",
        violated=(SameAnswer.kind,),
        categories=("answer-changed",),
        evidence=evidence,
        grade="contradiction" if short else "omission",
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
