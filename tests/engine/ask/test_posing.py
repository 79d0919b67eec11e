from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.config.settings import ProveSettings, QuestionSettings
from anamorph.engine.ask.posing import Posing
from anamorph.engine.prove.subjects import class_subject
from anamorph.methods.crosscheck.wording import Wording
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.model.protocols import SystemOptions

CHAT, NETWORK = Posing(QuestionSettings(), True), Posing(QuestionSettings(), False)

HOW_MANY, IS_THERE = "How many dogs are in the image?", "Is there a dog in the image?"
FORMS = {
    HOW_MANY: "Answer with a single number.",
    "How many red cars are on the left?": "Answer with a single number.",
    IS_THERE: "Answer yes or no.",
    "Are there any people?": "Answer yes or no.",
    "What color is the dog?": "Answer with a single word, a number or a short phrase, and nothing else.",
    "What is the man doing?": "Answer with a single word, a number or a short phrase, and nothing else.",
}


@pytest.mark.parametrize(("question", "form"), FORMS.items())
def test_a_chat_model_is_told_the_form_of_its_answer_and_a_network_is_not(question: str, form: str) -> None:
    assert CHAT.of(question) == f"{question} {form}"
    assert NETWORK.of(question) == question


def test_a_caption_is_asked_for_without_a_question() -> None:
    assert CHAT.of(None) is None and NETWORK.of(None) is None


@pytest.mark.parametrize("label", ["dog", "banana"])
def test_a_stern_question_stays_as_it_is(label: str) -> None:
    subject = class_subject(label, QuestionSettings(), ProveSettings())
    assert subject.stern.endswith((" Answer with one number only.", " Please answer yes or no only."))
    assert CHAT.of(subject.stern) == subject.stern
    assert NETWORK.of(subject.stern) == subject.stern


@pytest.mark.parametrize(
    "question",
    [
        f"{HOW_MANY} Answer with a single number.",
        f"{IS_THERE} Please answer yes or no.",
        "The dog is brown. Answer true or false.",
        "What color is the cat? Answer with one of: black, white.",
        Wording().list,
    ],
)
def test_a_question_that_says_the_form_of_its_answer_itself_stays_as_it_is(question: str) -> None:
    assert CHAT.of(question) == question


def test_what_is_said_in_the_middle_of_a_question_is_no_form_of_its_answer() -> None:
    question = "Which sign says answer yes or no to the guard?"
    assert CHAT.of(question) == f"{question} {QuestionSettings().other}"


def test_questions_in_words_of_ones_own_get_forms_in_words_of_ones_own() -> None:
    german = QuestionSettings(
        count="Wie viele {classes} sind im Bild?",
        exists="Gibt es {a_class} im Bild?",
        number="Antworte mit einer Zahl.",
        yes_no="Antworte mit ja oder nein.",
        other="Antworte kurz.",
        stern_number="Bitte nur eine Zahl.",
        stern_yes_no="Bitte nur ja oder nein.",
    )
    chat = Posing(german, True)
    dogs, bananas = (class_subject(label, german, ProveSettings()) for label in ("dog", "banana"))
    assert chat.of(dogs.question) == "Wie viele dogs sind im Bild? Antworte mit einer Zahl."
    assert chat.of(bananas.question) == "Gibt es a banana im Bild? Antworte mit ja oder nein."
    assert chat.of("Welche Farbe hat der Hund?") == "Welche Farbe hat der Hund? Antworte kurz."
    assert [chat.of(each.stern) for each in (dogs, bananas)] == [dogs.stern, bananas.stern]
    assert dogs.stern == "Wie viele dogs sind im Bild? Bitte nur eine Zahl."
    assert Posing(german, False).of(dogs.question) == dogs.question


def test_a_form_that_is_empty_is_not_said() -> None:
    silent = QuestionSettings(number="", stern_number="", stern_yes_no="")
    assert Posing(silent, True).of(HOW_MANY) == HOW_MANY
    assert Posing(silent, True).of(IS_THERE) == f"{IS_THERE} Answer yes or no."
    assert class_subject("dog", silent, ProveSettings()).stern == HOW_MANY


@dataclass(frozen=True)
class Chatty:
    """A system of the user's own that follows instructions."""

    kind: ClassVar[str] = "chatty-test"
    takes_instructions: ClassVar[bool] = True

    @property
    def manner(self) -> Manner:
        return Manner()

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [Answer("2")] * len(batch)

    def close(self) -> None:
        pass


def test_the_run_says_the_words_and_the_system_whether_it_takes_them() -> None:
    config = resolve({"questions": {"number": "Just the number."}, "system": "toybox:answerer"})
    assert Posing.to(Chatty(), config).of(HOW_MANY) == f"{HOW_MANY} Just the number."
    assert Posing.to(config.system(), config).of(HOW_MANY) == HOW_MANY


def test_the_services_that_chat_take_instructions_and_no_other_system_does() -> None:
    chats = {"anthropic", "bedrock", "gemini", "inspect", "litellm", "openai"}
    # Whether these do depends on the model, or on the system inside.
    depends = {"faulty", "transformers"}
    for name in set(catalog.CATALOG["systems"]) - depends:
        assert SystemOptions.takes_instructions.of(catalog.find("systems", name)) is (name in chats), name
