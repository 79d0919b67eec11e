"""Suspicions that closed answers of the plan raise, settled by asking them again, and crops with more around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anamorph.config.settings import ProveSettings, QuestionSettings
from anamorph.edits.collage import Collage
from anamorph.edits.crop import Crop
from anamorph.edits.mirror import Mirror
from anamorph.engine.prove.by_class import ESTIMATES, NOISE
from anamorph.engine.prove.findings import Finding, line, waiting_for
from anamorph.engine.prove.hearing import Heard, Hearing
from anamorph.engine.prove.places import with_more
from anamorph.engine.prove.subjects import asked_subject
from anamorph.model import AnswerReading, Conflict, Edit, Reading, Scene
from anamorph.model.protocols import EditOptions
from anamorph.readers.closed import form_of, without_instruction
from anamorph.reading.nouns import counted, noun_of
from anamorph.relations.accounts.account import Account, Entry, Interval

CUT = "A thing that an edge of the crop cuts explains it: with more around it, the answers agree."


def settled_by_account(
    account: Account,
    conflict: Conflict,
    asked: Sequence[tuple[Hearing, Scene, tuple[Edit, ...], str]],
    questions: QuestionSettings,
    settings: ProveSettings,
) -> Finding:
    """The outcome for answers that cannot all be true: do they still contradict when asked again, and with other crops?

    `asked` has, for each answer of the case, what was said about its photo, the photo, its edits and the question.
    """
    names = image_names([(scene, edits) for _, scene, edits, _ in asked])

    def hear(position: int, attempts: int, *, wider: bool = False) -> Heard | Finding:
        hearing, scene, edits, question = asked[position]
        subject = asked_subject(question, questions)
        if subject is None:
            return Finding("undecided", "The question says no form of answer.")
        edits = tuple(with_more(edit, scene) for edit in edits) if wider else edits
        said = hearing.hear(edits, subject, attempts)
        return said if isinstance(said, Heard) else waiting_for(said) or Finding("undecided", said.why)

    def hear_all(core: Sequence[int], attempts: int, *, wider: bool = False) -> dict[int, Heard] | Finding:
        said = {position: hear(position, attempts, wider=wider) for position in core}
        findings = [each for each in said.values() if isinstance(each, Finding)]
        final = next((each for each in findings if each.state != "open"), None)
        if final is not None:
            return final
        if findings:
            return replace(findings[0], orders=tuple(order for each in findings for order in each.orders))
        return {position: each for position, each in said.items() if isinstance(each, Heard)}

    def contradicts(said: dict[int, Heard], *, estimates: bool = True) -> bool:
        stated = [
            interval_of(account, position, said[position], settings if estimates else None)
            if position in said
            else (0, None)
            for position in range(len(asked))
        ]
        return account.contradiction(stated) is not None

    core = conflict.probes
    first = hear_all(core, 1)
    if isinstance(first, Finding):
        return first
    if not contradicts(first):
        lines = tuple(line(names[position], said) for position, said in first.items())
        # What is read now may agree where it did not before, as with a reader that was mended.
        broken = contradicts(first, estimates=False)
        return Finding("lead", ESTIMATES, lines) if broken else Finding("refuted", "The answers agree.", lines)
    again = hear_all(core, settings.again)
    if isinstance(again, Finding):
        return again
    lines = tuple(line(names[position], said) for position, said in again.items())
    if not contradicts(again):
        return Finding("lead", NOISE, lines)
    cropped = [position for position in core if any(isinstance(edit, Crop) for edit in asked[position][2])]
    if cropped:
        wider = hear_all(cropped, 1, wider=True)
        if isinstance(wider, Finding):
            return wider
        if not contradicts({**again, **wider}):
            more = tuple(line(f"{names[position]}, with more around it", said) for position, said in wider.items())
            return Finding("lead", CUT, (*lines, *more))
    return Finding("proved", proof_sentence(conflict, [(names[p], asked[p][3], again[p]) for p in core]), lines)


def interval_of(account: Account, position: int, said: Heard, settings: ProveSettings | None) -> Interval:
    """All that the answers to a question leave room for; large numbers are estimates if `settings` say how large."""
    return bounded(account.entries[position], said.readings, settings) or (0, None)


def bounded(entry: Entry, readings: Sequence[Reading], settings: ProveSettings | None) -> Interval | None:
    """All that readings of answers to one question leave room for; None if one has another form."""
    stated = [entry.interval(reading) for reading in readings]
    found = [each for each in stated if each is not None]
    if len(found) < len(stated):
        return None
    least = min(least for least, _ in found)
    highs = [most for _, most in found]
    most = None if None in highs else max(high for high in highs if high is not None)
    numbers = all(isinstance(reading, AnswerReading) and reading.yes is None for reading in readings)
    if settings is None or not numbers:
        return least, most
    return settings.bounds(least)[0], None if most is None else settings.bounds(most)[1]


def proof_sentence(conflict: Conflict, said: Sequence[tuple[str, str, Heard]]) -> str:
    """The contradiction in one sentence: "It sees a remote in the left part and denies it in the photo"."""
    names = [name for name, _, _ in said]
    if conflict.what == "existence" and len(set(names)) > 1:
        seen = [name for name, _, heard in said if _there(heard) is True]
        denied = [name for name, _, heard in said if _there(heard) is False]
        if seen and denied:
            return f"It sees {counted(conflict.label, 1)} in {_listed(seen)} and denies it in {_listed(denied)}."
    questions = [without_instruction(question) for _, question, _ in said]
    answers = [_answer(question, heard) for _, question, heard in said]
    if len(set(names)) == len(names) and (len(set(questions)) == 1 or conflict.what == "number"):
        if all(answer.isdigit() for answer in answers):
            noun = noun_of(conflict.label)
            numbers = _listed([f"{answer} in {name}" for answer, name in zip(answers, names, strict=True)])
            return f"It counts {noun.measure}{noun.many}: {numbers}, which cannot all be right."
        if len(said) > 1 and len(set(questions)) == 1:
            told = _listed([f"{answer} of {name}" for answer, name in zip(answers, names, strict=True)])
            return f"Asked {questions[0]!r}, it says {told}: these cannot all be right."
    told = _listed([f"{answer} to {question!r}" for answer, question in zip(answers, questions, strict=True)])
    if len(said) == 1:
        return f"It says {told} about {names[0]}, which shows nothing."
    if len(set(names)) == 1:
        return f"Of {names[0]} it says {told}: these cannot all be right."
    each = zip(answers, questions, names, strict=True)
    told = "; ".join(f"{answer} to {question!r} about {name}" for answer, question, name in each)
    return f"It says {told}: these cannot all be right."


def _answer(question: str, heard: Heard) -> str:
    """The answer, in the form that was asked for."""
    form = form_of(question)
    if form is not None and form.kind == "true-false":
        return {"yes": "true", "no": "false"}.get(heard.words, heard.words)
    return heard.words


def _there(heard: Heard) -> bool | None:
    counts = heard.counts
    if len(counts) < len(heard.readings):
        return None
    found = {reading.there for reading in counts}
    return found.pop() if len(found) == 1 else None


def _listed(parts: Sequence[str]) -> str:
    *others, last = dict.fromkeys(parts)
    return f"{', '.join(others)} and {last}" if others else last


def image_names(images: Sequence[tuple[Scene, tuple[Edit, ...]]]) -> list[str]:
    """The names of a case's images in a sentence; beside a collage, photos are its photos."""
    joined = next((scene.id for scene, edits in images if edits and isinstance(edits[-1], Collage)), None)
    if joined is None:
        return [image_name(scene, edits) for scene, edits in images]
    ordinals = {True: "the first of its photos", False: "the second of its photos"}
    return [image_name(scene, edits) if edits else ordinals[scene.id == joined] for scene, edits in images]


def image_name(scene: Scene, edits: tuple[Edit, ...]) -> str:
    """The name of an image in a sentence."""
    if not edits:
        return "the whole photo"
    last = edits[-1]
    match last:
        case Crop(box):
            across, down = (box.x + box.width / 2) / scene.width, (box.y + box.height / 2) / scene.height
            side = "left" if across < 0.45 else "right" if across > 0.55 else ""
            height = "upper" if down < 0.45 else "lower" if down > 0.55 else ""
            return f"the {' '.join(filter(None, (height, side))) or 'middle'} part of the photo"
        case Mirror():
            return "the mirror image"
        case Collage():
            return "the collage"
    if EditOptions.reach.of(last) == "anew":
        return f"the {last.kind} image"
    return f"the photo after {last.kind}"
