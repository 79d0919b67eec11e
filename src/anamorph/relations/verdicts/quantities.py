"""How many an answer says there are, and how such numbers compare; shared by the claims over VQA answers."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.model import AnswerReading, Asks, Reading, Verdict
from anamorph.relations.verdicts.phrases import all_of, place, whole_answers

ASKS_HELP = "What the question asks; without it, inferred from the answers (yes or no means is-there)."

# "No" and "No, sir" are short; "No, there are no dogs" says what there is.
_BARE_WORDS = 3


def asked(answers: Sequence[AnswerReading], asks: Asks | None) -> Asks:
    """What was asked: as given, or inferred from the answers."""
    if asks is not None:
        return asks
    counts = all(answer.number is not None or answer.vague is not None for answer in answers)
    return "how-many" if counts and any(answer.yes is None for answer in answers) else "is-there"


def affirmed(answer: AnswerReading, negated: bool) -> bool:
    """Whether an answer says yes.

    To "Is there no dog?" chat models say "No, there are no dogs" and mean yes. So what an answer states counts for more
    there than how it begins.
    """
    if negated and answer.yes is not None:
        if answer.vague is not None or answer.number:
            return False
        if answer.number == 0 and (answer.yes or len(answer.text.split()) > _BARE_WORDS):
            return True
    said = answer.affirms(negated)
    assert said is not None  # a reading has a number, a vague number, or a yes or no
    return said


def not_exact(answers: Sequence[AnswerReading]) -> Verdict | None:
    """The verdict where answers give no numbers that could be compared; None where they do."""
    for position, answer in enumerate(answers):
        if answer.number is None and answer.vague is None:
            return Verdict("undecided", f"{place(position, len(answers))} does not say how many.")
    vague = next((answer.vague for answer in answers if answer.vague is not None), None)
    if vague is None:
        return None
    # The paper: a sum with a vague number in it is vague, and consistent with everything.
    return Verdict("holds", f"{vague!r} is not exact, and so agrees with the other answers.")


def adds_up(name: str, readings: Sequence[Reading], parts: str) -> Verdict:
    """The source's number is the sum of the follow-ups'; `parts` is the word for these."""
    answers = all_of(AnswerReading, readings)
    if isinstance(answers, Verdict):
        return answers
    return sum_of(name, answers, parts)


def sum_of(name: str, answers: Sequence[AnswerReading], parts: str) -> Verdict:
    """As `adds_up`, over answers."""
    verdict = not_exact(answers)
    if verdict is not None:
        return verdict
    whole, *counts = [answer.number or 0 for answer in answers]
    terms = " + ".join(map(str, counts))
    if whole == sum(counts):
        return Verdict("holds", f"The {parts} add up: {whole} = {terms}.")
    reason = f"The {parts} add up to {sum(counts)} ({terms}), but the whole is {whole}."
    return Verdict("violated", reason, (name,), (name,), whole_answers(answers))


def unchanged(name: str, readings: Sequence[Reading], asks: Asks | None, although: str) -> Verdict:
    """Every follow-up is answered like the source: the same number, or the same yes or no."""
    answers = all_of(AnswerReading, readings)
    if isinstance(answers, Verdict):
        return answers
    what = asked(answers, asks)
    if what != "how-many":
        said = [affirmed(answer, what == "is-there-no") for answer in answers]
        shown = ["yes" if each else "no" for each in said]
    else:
        verdict = not_exact(answers)
        if verdict is not None:
            return verdict
        shown = [str(answer.number) for answer in answers]
    for position, other in enumerate(shown):
        if other != shown[0]:
            pair = (answers[0], answers[position])
            first, second = whole_answers(pair)
            evidence = (first, type(second)(position, second.text, second.start, second.end))
            return Verdict(
                "violated",
                f"The answer changed from {shown[0]} to {other} although {although}.",
                (name,),
                (name,),
                evidence,
            )
    return Verdict("holds", f"The answer stays {shown[0]}.")
