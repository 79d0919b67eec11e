from __future__ import annotations

import numpy as np
import pytest

from anamorph.model import Ask, Failure
from anamorph.systems.transformers.tasks import KNOWN, PromptedPicture, Task, forms_of, look_at


def shown(question: str | None, task: Task, prompt: str | None, question_prompt: str | None) -> bool:
    ask = Ask("probe", question, None, lambda: np.zeros((4, 4, 3), np.uint8))
    return not isinstance(look_at(ask, task, prompt, question_prompt), Failure)


@pytest.mark.parametrize("task", KNOWN)
@pytest.mark.parametrize("prompt", [None, "a photo of"])
@pytest.mark.parametrize("question_prompt", [None, "Q: {question} A:"])
def test_a_model_says_it_answers_with_just_what_it_can_be_asked_for(
    task: Task, prompt: str | None, question_prompt: str | None
) -> None:
    forms = forms_of(task, prompt, question_prompt)
    assert shown("is there any dog?", task, prompt, question_prompt) == ("answer" in forms)
    assert shown(None, task, prompt, question_prompt) == bool({"caption", "labels"} & set(forms))
    assert ("labels" in forms) == (task in ("image-classification", "object-detection"))


@pytest.mark.parametrize("task", ["image-text-to-text", "visual-question-answering"])
def test_a_question_is_asked_word_for_word_because_its_form_was_added_before(task: Task) -> None:
    question = "How many dogs are in the image? Answer with a single number."
    ask = Ask("probe", question, None, lambda: np.zeros((4, 4, 3), np.uint8))
    for question_prompt, text in ((None, question), ("Q: {question} A:", f"Q: {question} A:")):
        looked = look_at(ask, task, None, question_prompt)
        assert isinstance(looked, PromptedPicture) and looked.text == text
