"""Suspicions that answers to the plan's own questions raise, settled by reading them as closed answers, asked again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from anamorph.config.settings import QuestionSettings
from anamorph.engine.judge import judge_combinations
from anamorph.engine.prove.by_class import ESTIMATES, MADE_ANEW, NOISE, ClosedProof, Pair
from anamorph.engine.prove.findings import Finding, line, waiting_for
from anamorph.engine.prove.hearing import Heard, Missing
from anamorph.engine.prove.places import change_between, with_more
from anamorph.engine.prove.subjects import Subject, asked_subject
from anamorph.ledger import Covered, Ledger, Statement
from anamorph.model import Answer, AnswerReading, ChoiceReading, Edit, Relation, the_probe
from anamorph.model.protocols import RelationOptions
from anamorph.readers.closed import ClosedForm, instruction

OPEN_QUESTION = "The question is open, and no closed one can stand for it."
_LONGEST_OPTION = 40
CUT_IN_TWO = "A thing that a cut goes through explains it: counted twice, or in neither piece."


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case whose probes all ask something: edits, questions and first answers, source first."""

    relation: Relation
    edits: Sequence[tuple[Edit, ...]]
    questions: Sequence[str]
    answers: Sequence[Answer | None]


def settled_by_answers(proof: ClosedProof, case: AskedCase, questions: QuestionSettings) -> Finding:
    """The outcome of a suspicion about answers."""
    subjects = [asked_subject(question, questions) for question in case.questions]
    if any(subject is None for subject in subjects):
        return _by_options(proof, case)
    asked = [subject for subject in subjects if subject is not None]
    said = _hear(proof, case, asked, 1)
    if isinstance(said, Finding):
        return said
    lines = tuple(line(the_probe(place, len(said)), each) for place, each in enumerate(said))
    if not _violated(case, said, None):
        return Finding("refuted", "Read as closed answers, they agree.", lines)
    if not _violated(case, said, proof):
        return Finding("lead", ESTIMATES, lines)
    again = _hear(proof, case, asked, proof.settings.again)
    if isinstance(again, Finding):
        return again
    lines = tuple(line(the_probe(place, len(again)), each) for place, each in enumerate(again))
    if not _violated(case, again, proof):
        return Finding("lead", NOISE, lines)
    done = Finding("proved", f"Asked again in the same words, it still says {_told(case, again)}.", lines)
    counts = all(
        isinstance(reading, AnswerReading) and not reading.whether for each in again for reading in each.readings
    )
    if len(set(case.questions)) > 1 or not counts:
        return done
    return _with_places(proof, case, asked[0], again, done)


def _told(case: AskedCase, said: Sequence[Heard]) -> str:
    """The answers by question, or by image if they share the question."""
    if len(set(case.questions)) == 1:
        answers = ", ".join(f"{each.words} of {the_probe(place, len(said))}" for place, each in enumerate(said))
        return f"{answers}, to {case.questions[0]!r}"
    return "; ".join(f"{each.words} to {question!r}" for question, each in zip(case.questions, said, strict=True))


def _hear(proof: ClosedProof, case: AskedCase, asked: Sequence[Subject], attempts: int) -> list[Heard] | Finding:
    said = [proof.hearing.hear(edits, subject, attempts) for edits, subject in zip(case.edits, asked, strict=True)]
    waiting = waiting_for(*said)
    return waiting if waiting is not None else [each for each in said if isinstance(each, Heard)]


def _violated(case: AskedCase, said: Sequence[Heard], proof: ClosedProof | None) -> bool:
    """Whether no choice among the answers meets the relation, large numbers as estimates where `proof` says so."""
    readings = [[_as_estimate(reading, proof) for reading in each.readings] for each in said]
    if case.relation.reads == "wording":
        options = [{_plain(reading) for reading in each} for each in readings]
        return not set.intersection(*options)
    return judge_combinations(case.relation, readings).outcome == "violated"


def _as_estimate(reading: AnswerReading | ChoiceReading, proof: ClosedProof | None) -> AnswerReading | ChoiceReading:
    if proof is None or isinstance(reading, ChoiceReading) or reading.yes is not None or reading.most is None:
        return reading
    least, most = proof.settings.bounds(reading.least)[0], proof.settings.bounds(reading.most)[1]
    return replace(reading, least=least, most=most)


def _plain(reading: AnswerReading | ChoiceReading) -> tuple[object, ...]:
    return (reading.option,) if isinstance(reading, ChoiceReading) else (reading.least, reading.most)


def _with_places(
    proof: ClosedProof, case: AskedCase, subject: Subject, said: Sequence[Heard], done: Finding
) -> Finding:
    """The same question about several images: the system must see the edit do what it should, or cut nothing in two."""
    changes = [change_between(case.edits[0], edits, proof.scene) for edits in case.edits[1:]]
    reaches = {change.reach for change in changes}
    if reaches == {"same"}:
        return done
    if reaches == {"part"}:
        return _with_pieces(proof, case, subject, said, done)
    if reaches != {"places"} or len(case.edits) != 2:
        return Finding("lead", MADE_ANEW, done.proof)
    takes_one = RelationOptions.takes_one.of(case.relation)
    pair = Pair(case.edits[0], case.edits[1], -1 if takes_one else 0)
    return proof.by_places(pair, subject, changes[0], said)


def _with_pieces(
    proof: ClosedProof, case: AskedCase, subject: Subject, said: Sequence[Heard], done: Finding
) -> Finding:
    """Pieces that cover a whole: what a cut goes through may be counted twice, or not at all.

    So only that a piece has more than the whole, or that all together have fewer, is proved; and as no edge must be to
    blame, the pieces are looked at again with more around them.
    """
    if not _impossible(proof, said):
        return Finding("lead", CUT_IN_TWO, done.proof)
    wider = [(*edits[:-1], with_more(edits[-1], proof.scene)) for edits in case.edits[1:]]
    again = [proof.hearing.hear(edits, subject) for edits in wider]
    waiting = waiting_for(*again)
    if waiting is not None:
        return waiting
    heard = [each for each in again if isinstance(each, Heard)]
    return done if _impossible(proof, [said[0], *heard]) else Finding("lead", CUT_IN_TWO, done.proof)


def _impossible(proof: ClosedProof, said: Sequence[Heard]) -> bool:
    whole, *pieces = range(len(said))
    statements = [Statement(key, key, *proof.bounds(each)) for key, each in enumerate(said)]
    return Ledger(statements, [Covered(whole, tuple(pieces))]).contradiction() is not None


def _by_options(proof: ClosedProof, case: AskedCase) -> Finding:
    """An open question about two images that got two short answers: which of the two is it, asked of both."""
    texts = [
        " ".join(re.sub(r"[^\w\s'-]", " ", (answer.text if answer else "") or "").split()) for answer in case.answers
    ]
    options = tuple(sorted({text.lower() for text in texts}))
    if len(set(case.questions)) > 1 or len(options) != 2 or any(not 0 < len(text) <= _LONGEST_OPTION for text in texts):
        return Finding("lead", OPEN_QUESTION)
    try:
        form = ClosedForm("option", options)
    except ValueError:
        return Finding("lead", OPEN_QUESTION)
    question = f"{case.questions[0]} {instruction(form)}"
    subject = Subject(question, form, question)
    said: list[Heard | Missing] = [proof.hearing.hear(edits, subject, 1) for edits in case.edits]
    waiting = waiting_for(*said)
    if waiting is not None:
        return waiting
    first = [each for each in said if isinstance(each, Heard)]
    lines = tuple(line(the_probe(place, len(first)), each) for place, each in enumerate(first))
    if len({each.words for each in first}) == 1:
        return Finding("refuted", f"Asked {question!r}, it says {first[0].words} of all images.", lines)
    said = [proof.hearing.hear(edits, subject, proof.settings.again) for edits in case.edits]
    waiting = waiting_for(*said)
    if waiting is not None:
        return waiting
    again = [each for each in said if isinstance(each, Heard)]
    lines = tuple(line(the_probe(place, len(again)), each) for place, each in enumerate(again))
    if any(each.differs for each in again):
        return Finding("lead", NOISE, lines)
    words = " and ".join(f"{each.words} of {the_probe(place, len(again))}" for place, each in enumerate(again))
    return Finding("proved", f"Asked {question!r}, it says {words}: these cannot both be right.", lines)
