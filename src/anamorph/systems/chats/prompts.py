"""Prompts for a chat model, and the two ways in which it fails to answer."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.errors import UsageError
from anamorph.model import Ask, Failure

CAPTION_PROMPT = (
    "Write a caption for this image: one plain sentence that says what is there. Answer with the caption alone."
)
# The question states the form of the answer (`questions` in the configuration).
QUESTION_PROMPT = "{question}"
# An answer to text may be a long JSON value, which is useless if truncated.
_TEXT_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts for an image without a question, and with one."""

    caption: str
    question: str

    def __post_init__(self) -> None:
        if "{question}" not in self.question:
            raise UsageError("question_prompt must have {question} in it, where the question goes.")

    def text(self, ask: Ask) -> str:
        """The prompt for this image, or the string to send without one."""
        if ask.textual:
            return ask.question or ""
        return self.caption if ask.question is None else self.question.replace("{question}", ask.question)


def longest_answer(ask: Ask, max_tokens: int) -> int:
    """The token limit of an answer."""
    return max(max_tokens, _TEXT_TOKENS) if ask.textual else max_tokens


def declined(message: str) -> Failure:
    """The service works but refuses this call."""
    return Failure(message, declined=True)


def cut_off(max_tokens: int | None, text: str) -> Failure:
    """The answer hit the token limit, which is unknown if it was recorded."""
    limit = (
        "at the limit of tokens" if max_tokens is None else f"after max_tokens = {max_tokens}, or the model's own limit"
    )
    begun = f": {text.strip()[:100]}" if text.strip() else ""
    return Failure(f"The answer was cut off {limit}{begun}")
