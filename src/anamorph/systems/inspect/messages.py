"""Messages and answers of inspect_ai's models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anamorph.model import Answer, Ask, Failure, Usage
from anamorph.systems.chats.prompts import Prompts, cut_off, declined
from anamorph.systems.remote.bodies import data_url
from anamorph.systems.remote.image_limits import ImageLimit

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput


def messages_of(ask: Ask, prompts: Prompts, limit: ImageLimit, system_prompt: str = "") -> list[ChatMessage]:
    """The message to a model: the text, then the image."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

    content: list[Any] = [ContentText(text=prompts.text(ask))]
    if not ask.textual:
        content.append(ContentImage(image=data_url(limit.fitted(ask)).decode("ascii")))
    said: list[ChatMessage] = [ChatMessageSystem(content=system_prompt)] if system_prompt else []
    return [*said, ChatMessageUser(content=content)]


def answer_of(output: ModelOutput, max_tokens: int | None) -> Answer | Failure:
    """A model's answer, with the tokens used."""
    usage = _usage(output)
    if output.error:
        return Failure(f"The model gave an error: {output.error}", usage=usage)
    if output.stop_reason == "content_filter":
        return _priced(declined("A content filter stopped the answer"), usage)
    if output.stop_reason in ("max_tokens", "model_length"):
        return _priced(cut_off(max_tokens, output.completion), usage)
    return Answer(output.completion, usage=usage)


def _priced(failure: Failure, usage: Usage | None) -> Failure:
    return Failure(failure.message, declined=failure.declined, usage=usage)


def _usage(output: ModelOutput) -> Usage | None:
    if output.usage is None:
        return None
    cached = (output.usage.input_tokens_cache_read or 0) + (output.usage.input_tokens_cache_write or 0)
    return Usage(output.usage.input_tokens + cached, output.usage.output_tokens, output.usage.total_cost)
