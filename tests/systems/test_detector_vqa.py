from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anamorph.detectors import Detection, Detector
from anamorph.detectors.class_names import names_of_list
from anamorph.methods.metavqa.questions import Phrasing, Target, Templates
from anamorph.model import Answer, AnswerReading, Ask, Failure, Unreadable
from anamorph.systems.detector_vqa import UNKNOWN, DetectorVqaSystem, answer_to
from tests.detectors.tiny_networks import picture
from tests.english import answer_reader
from tests.systems.detections import ask, finder, found

LABELS = names_of_list("coco-91")
SEEN = [found("dog"), found("dog"), found("person"), found("tv"), found("scissors")]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many dogs are in the image?", "2"),
        ("How many people and dogs are in the image?", "3"),
        ("How many TVs and pairs of scissors are in the image?", "2"),
        ("How many pieces of broccoli are there?", "0"),
        ("Is there any dog in the image?", "yes"),
        ("Are there any scissors in the image?", "yes"),
        ("Is there no dog in the image?", "no"),
        ("Is there any cat in the image?", "no"),
        ("Is there no cat in the image?", "yes"),
        ("Is there any sofa in the picture?", "no"),
        ("How many black dogs are in the image?", UNKNOWN),
        ("How many black dogs and white dogs are in the image?", UNKNOWN),
        ("How many red cars and blue cars are in the image?", "0"),
        ("Is there any person standing in the image?", UNKNOWN),
        ("Is there any hot dog in the image?", "no"),
        ("How many teddy bears are in the image?", "0"),
        ("How many unicorns are in the image?", UNKNOWN),
        ("What is the dog doing?", UNKNOWN),
        ("How many are there?", UNKNOWN),
        ("How many and?", UNKNOWN),
    ],
)
def test_it_says_what_a_detector_can_know(question: str, answer: str) -> None:
    assert answer_to(question, SEEN, LABELS) == answer


@pytest.mark.parametrize("label", names_of_list("coco-80"))
def test_every_question_that_metavqa_asks_of_a_class_is_understood(label: str) -> None:
    phrasing, one = Phrasing(Templates(), {}), [found(label)]
    other = "dog" if label != "dog" else "cat"
    assert answer_to(phrasing.count(Target(label)), one, LABELS) == "1"
    assert answer_to(phrasing.count_both(Target(label), Target(other)), one, LABELS) == "1"
    assert answer_to(phrasing.count_both(Target(other), Target(label)), one, LABELS) == "1"
    assert answer_to(phrasing.any(Target(label)), one, LABELS) == "yes"
    assert answer_to(phrasing.none(Target(label)), one, LABELS) == "no"
    assert answer_to(phrasing.none(Target(label)), [], LABELS) == "yes"
    red = Target(label, "red" if label != "person" else "sitting")
    assert answer_to(phrasing.any(red), one, LABELS) == UNKNOWN
    assert answer_to(phrasing.any(red), [], LABELS) == "no"
    assert answer_to(phrasing.count(red), [], LABELS) == "0"


def test_its_answers_can_be_read() -> None:
    reader = answer_reader()
    for text in ("0", "1", "12", "yes", "no"):
        assert isinstance(reader.read_text(text), AnswerReading)
    unsure = reader.read_text(UNKNOWN)
    assert isinstance(unsure, Unreadable) and unsure.reason == "the system does not know"


def test_a_class_that_is_asked_for_twice_is_counted_once() -> None:
    assert answer_to("How many dogs and dogs are in the image?", SEEN, LABELS) == "2"


def test_it_looks_and_answers_and_wants_a_question(tmp_path: Path) -> None:
    system = DetectorVqaSystem(finder(tmp_path))
    assert system.ask([ask("How many dogs are in the image?")], 1) == [Answer(text="2")]
    (refused,) = system.ask([ask()], 1)
    assert isinstance(refused, Failure) and "needs a question" in refused.message


def test_a_picture_is_looked_at_once_for_all_its_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    find = Detector.find

    def counting(self: Detector, *arguments: Any, **named: Any) -> list[Detection]:
        looks.append(1)
        return find(self, *arguments, **named)

    monkeypatch.setattr(Detector, "find", counting)
    system = DetectorVqaSystem(finder(tmp_path))
    questions = ["How many dogs are in the image?", "Is there any cat in the image?", "How many people are there?"]
    assert system.ask([ask(question) for question in questions], 1) == [Answer(t) for t in ("2", "no", "1")]
    assert len(looks) == 1
    for width in range(65, 65 + 80):
        other = Ask("other", questions[0], None, lambda width=width: picture(width, 64))  # type: ignore[misc]
        assert isinstance(system.ask([other], 1)[0], Answer)
    assert len(looks) == 81
