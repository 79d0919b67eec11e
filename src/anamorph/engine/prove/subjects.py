"""Subjects of closed questions: a class of objects, or a question of the plan itself."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.config.settings import ProveSettings, QuestionSettings
from anamorph.readers.closed import NUMBER, YES_NO, ClosedForm, form_of
from anamorph.reading.morphology import plural_of
from anamorph.reading.nouns import counted


@dataclass(frozen=True, slots=True)
class Subject:
    """A closed question, and the form of its answer; `stern` is asked where the answer has another form."""

    question: str
    form: ClosedForm
    stern: str


def class_subject(label: str, questions: QuestionSettings, prove: ProveSettings) -> Subject:
    """How many there are of a class; of what comes in bunches and heaps, whether there is any."""
    if label in prove.existence_only:
        return _subject(questions.exists.replace("{a_class}", counted(label, 1)), YES_NO, questions)
    return _subject(questions.count.replace("{classes}", plural_of(label)), NUMBER, questions)


def asked_subject(question: str, questions: QuestionSettings) -> Subject | None:
    """A question of the plan as a closed one; None if it asks for no closed form."""
    form = form_of(question)
    return None if form is None else _subject(question, form, questions)


def _subject(question: str, form: ClosedForm, questions: QuestionSettings) -> Subject:
    if form.kind in ("number", "yes-no"):
        stern = questions.stern_number if form.kind == "number" else questions.stern_yes_no
        return Subject(question, form, f"{question} {stern}".rstrip())
    return Subject(question, form, question)
