"""Stated numbers as intervals, and their comparison; shared by relations over answers."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.model import AnswerReading, Asks, Reading, Verdict
from anamorph.relations.verdicts.ledger import disjoint
from anamorph.relations.verdicts.phrases import all_of, place, whole_answers

QUANTIFIERS_HELP = (
    "Vague quantifiers agree with each other, as published: many = many + a lot; else they decide nothing."
)
ASKS_HELP = "The kind of question, for answers judged without it; by default inferred (yes: is-there)."


def asked(answers: Sequence[AnswerReading], asks: Asks | None) -> Asks:
    """The question: as given, or inferred from the answers."""
    if asks is not None:
        return asks
    counts = all(map(_counts, answers))
    return "how-many" if counts and any(answer.yes is None for answer in answers) else "is-there"


def _counts(answer: AnswerReading) -> bool:
    """Whether an answer states a number; a bare yes does not."""
    return answer.yes is not True or answer.least > 1 or answer.most is not None


def stated(least: int, most: int | None) -> str:
    """An interval in words: "2", "at least 2", "at most 3", "2 to 4"."""
    if most is None:
        return f"at least {least}"
    if least == most:
        return str(least)
    return f"{least} to {most}" if least else f"at most {most}"


def undecided_whether(answers: Sequence[AnswerReading]) -> Verdict | None:
    """The verdict where an answer leaves open whether there is any; None if all say it."""
    for position, answer in enumerate(answers):
        if answer.there is None:
            said = stated(answer.least, answer.most)
            return Verdict("undecided", f"{place(position, len(answers))} leaves open whether there is any: {said}.")
    return None


def without_number(answers: Sequence[AnswerReading]) -> Verdict | None:
    """The verdict where an answer is a bare yes, which gives no number; None if every answer gives one."""
    for position, answer in enumerate(answers):
        if not _counts(answer):
            return Verdict("undecided", f"{place(position, len(answers))} does not say how many.")
    return None


def not_exact(answers: Sequence[AnswerReading]) -> Verdict:
    """The verdict if intervals overlap, but not all are exact."""
    for position, answer in enumerate(answers):
        if answer.number is None:
            said = stated(answer.least, answer.most)
            return Verdict("undecided", f"{place(position, len(answers))} is not exact: {said}.")
    raise AssertionError("all answers are exact")


def quantifiers_agree(answers: Sequence[AnswerReading]) -> Verdict | None:
    """The verdict of the paper (section 4.1.1) where the whole and a part are vague; None if they are not."""
    whole, *others = answers
    if whole.form != "vague" or not any(each.form == "vague" for each in others):
        return None
    return Verdict("holds", "Vague quantifiers agree among themselves.")


def adds_up(name: str, readings: Sequence[Reading], parts: str, *, quantifiers: bool = False) -> Verdict:
    """The source's number is the sum of the follow-ups'; `parts` is their name."""
    answers = all_of(AnswerReading, readings)
    if isinstance(answers, Verdict):
        return answers
    return sum_of(name, answers, parts, quantifiers=quantifiers)


def sum_of(name: str, answers: Sequence[AnswerReading], parts: str, *, quantifiers: bool = False) -> Verdict:
    """As `adds_up`, over answers."""
    verdict = (quantifiers_agree(answers) if quantifiers else None) or without_number(answers)
    if verdict is not None:
        return verdict
    whole, *others = answers
    least = sum(answer.least for answer in others)
    known = [answer.most for answer in others if answer.most is not None]
    most = sum(known) if len(known) == len(others) else None
    terms = " + ".join(stated(answer.least, answer.most) for answer in others)
    if disjoint((whole.least, whole.most), (least, most)):
        reason = f"The {parts} add up to {stated(least, most)} ({terms}), but the whole is {_said(whole)}."
        return Verdict("violated", reason, (name,), (name,), whole_answers(answers))
    if all(answer.number is not None for answer in answers):
        return Verdict("holds", f"The {parts} add up: {_said(whole)} = {terms}.")
    return not_exact(answers)


def _said(answer: AnswerReading) -> str:
    return stated(answer.least, answer.most)


def unchanged(
    name: str, readings: Sequence[Reading], asks: Asks | None, although: str, *, quantifiers: bool = False
) -> Verdict:
    """Every follow-up has the source's number, or its yes or no."""
    answers = all_of(AnswerReading, readings)
    if isinstance(answers, Verdict):
        return answers
    what = asked(answers, asks)
    if what == "how-many":
        verdict = (quantifiers_agree(answers) if quantifiers else None) or without_number(answers)
        shown = [_said(answer) for answer in answers]
        differs = [disjoint((answers[0].least, answers[0].most), (each.least, each.most)) for each in answers]
    else:
        answers = [answer.to(what) for answer in answers]
        verdict = undecided_whether(answers)
        shown = ["yes" if bool(answer.there) != (what == "is-there-no") else "no" for answer in answers]
        differs = [each != shown[0] for each in shown]
    if verdict is not None:
        return verdict
    if any(differs):
        position = differs.index(True)
        reason = f"The answer changed from {shown[0]} to {shown[position]} although {although}."
        return Verdict("violated", reason, (name,), (name,), whole_answers(answers, (0, position)))
    if what == "how-many" and any(answer.number is None for answer in answers):
        return not_exact(answers)
    return Verdict("holds", f"The answer stays {shown[0]}.")
