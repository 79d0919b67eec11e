"""The same facts said bare and in sentences get the same verdicts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import anamorph
from anamorph.model import Answer, Ask, Pixels
from anamorph.toybox.systems import ToyboxSystem

_THERE = re.compile(r"(is|are) there (?:(no) |any |an? |some )?(.+?)\?", re.IGNORECASE)
_MANY = re.compile(r"how many (.+?) are (?:there|visible|in)\b", re.IGNORECASE)


def in_a_sentence(question: str, bare: str) -> str:
    """A bare answer as chat models give it: it says the question again."""
    many, there = _MANY.match(question), _THERE.match(question)
    if bare.isdigit() and many is not None:
        return f"There are {bare} {many[1]} in the image." if bare != "0" else f"There are no {many[1]} in the image."
    if bare in ("yes", "no") and there is not None:
        be, rest = there[1].lower(), there[3]
        some = f"{'a ' if be == 'is' else ''}{rest}"
        if there[2]:
            return f"Yes, there {be} no {rest}." if bare == "yes" else f"No, there {be} {some}."
        return f"Yes, there {be} {some}." if bare == "yes" else f"No, I don't see {some}."
    return {"yes": "Yes, that is correct.", "no": "No, that is not the case."}.get(bare, bare)


@pytest.mark.heavy
def test_verdicts_do_not_depend_on_the_form_of_answers(tmp_path: Path) -> None:
    network = ToyboxSystem("answerer")
    wrapped: list[tuple[str, str]] = []

    def bare(image: Pixels, question: str) -> str:
        answer = network.ask((Ask("", question, None, lambda: image),), 60.0)[0]
        assert isinstance(answer, Answer)
        return answer.text or ""

    def sentences(image: Pixels, question: str) -> str:
        said = bare(image, question)
        whole = in_a_sentence(question, said)
        wrapped.append((said, whole))
        return whole

    settings = {"prove": {"enabled": False}}
    runs = [
        anamorph.run(system, "toybox:5", "metavqa", out=tmp_path / name, settings=settings)
        for name, system in (("bare", bare), ("sentences", sentences))
    ]
    verdicts = [{case.digest: case for case in run.cases} for run in runs]
    differ = [
        (case.questions, [each and each.text for each in other.answers], case.outcome, other.outcome)
        for digest, case in verdicts[0].items()
        if case.outcome != (other := verdicts[1][digest]).outcome
    ]
    assert len(verdicts[0]) > 100 and sum(said != whole for said, whole in wrapped) > len(wrapped) / 2
    assert not differ
