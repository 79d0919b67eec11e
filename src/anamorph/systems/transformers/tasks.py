"""Tasks of the transformers library, and how a probe becomes their input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from PIL import Image

from anamorph.errors import AnamorphError, UsageError
from anamorph.model import Answer, Ask, Failure
from anamorph.weights.checkpoints import Checkpoint, transformers

Task: TypeAlias = Literal[
    "auto",
    "image-to-text",
    "visual-question-answering",
    "image-text-to-text",
    "image-classification",
    "object-detection",
]
KNOWN: tuple[Task, ...] = (
    "image-to-text",
    "visual-question-answering",
    "image-text-to-text",
    "image-classification",
    "object-detection",
)

# These only complete a caption; other models from image to text are chat models.
_CAPTIONERS = {"blip", "blip-2", "git", "instructblip", "kosmos-2", "pix2struct", "vision-encoder-decoder"}

CHAT_PROMPT = "Write a caption for this image: one short, plain sentence that names what can be seen."


@dataclass(frozen=True, slots=True)
class PromptedPicture:
    """An image and its prompt; `id` and `attempt` seed sampling."""

    id: str
    attempt: int
    image: Image.Image
    text: str | None


class LoadedModel(Protocol):
    """A loaded model with a task; returns one reply per look."""

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]: ...


def task_of(checkpoint: Checkpoint, task: Task) -> Task:
    """The task, or the one that the model's configuration implies."""
    if task != "auto":
        return task
    described = json.loads(checkpoint.description())
    family = str(described.get("model_type", ""))
    architecture = next(iter(described.get("architectures") or []), "")
    endings: dict[str, Task] = {
        "ForImageClassification": "image-classification",
        "ForObjectDetection": "object-detection",
        "ForQuestionAnswering": "visual-question-answering",
    }
    for ending, known in endings.items():
        if architecture.endswith(ending):
            return known
    if family in _CAPTIONERS:
        return "image-to-text"
    auto: Any = transformers().models.auto.modeling_auto
    if family in auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES:
        return "image-text-to-text"
    what = architecture or family or "nothing that is known"
    raise UsageError(
        f"The task of {checkpoint.model} cannot be read from its config.json, which says {what}. "
        f"Set system.task to one of {', '.join(KNOWN)}."
    )


def forms_of(task: Task, prompt: str | None, question_prompt: str | None) -> tuple[str, ...]:
    """The kinds of answers of a model with this task and these prompts; see `_text`."""
    match task:
        case "image-classification" | "object-detection":
            return ("labels",)
        case "image-to-text":
            return ("caption",) if question_prompt is None else ("caption", "answer")
        case "visual-question-answering":
            return ("caption", "answer") if prompt else ("answer",)
        case _:
            return ("caption", "answer")


def look_at(item: Ask, task: Task, prompt: str | None, question_prompt: str | None) -> PromptedPicture | Failure:
    """An item as the model's input, or a failure."""
    text = _text(item.question, task, prompt, question_prompt)
    if isinstance(text, Failure):
        return text
    try:
        image = Image.fromarray(item.load())
    except (OSError, AnamorphError, ValueError) as problem:
        return Failure(f"The image cannot be loaded: {problem}")
    return PromptedPicture(item.id, item.attempt, image, text)


def _text(question: str | None, task: Task, prompt: str | None, question_prompt: str | None) -> str | Failure | None:
    question = (question or "").strip()
    if task in ("image-classification", "object-detection"):
        return Failure(f"A model for {task} takes no questions, but was asked {question!r}") if question else None
    if not question:
        if task == "visual-question-answering" and not prompt:
            return Failure("A model for visual-question-answering needs a question; `prompt` may hold one")
        return prompt or (CHAT_PROMPT if task == "image-text-to-text" else None)
    if task == "image-to-text" and question_prompt is None:
        return Failure(f"A captioner takes no questions, but was asked {question!r}; `question_prompt` tells it how")
    return (question_prompt or "{question}").replace("{question}", question)
