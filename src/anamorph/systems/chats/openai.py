"""The two APIs of OpenAI-compatible models, Chat Completions and Responses, and their errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.errors import AskError, Refused, Transient
from anamorph.http.messages import Reply
from anamorph.model import Answer, Failure
from anamorph.systems.chats.prompts import cut_off, declined
from anamorph.systems.remote.bodies import IMAGE_MARK
from anamorph.systems.replies.answers import BadReply, part_of, show, with_usage

_FILTERS = ("content_filter", "content_policy", "safety", "moderation", "responsibleai")
_PASSING = ("rate_limit", "server_error", "overloaded", "timeout", "unavailable", "internal_error")
# The status is 429 as for rate limits, but retrying does not fund an account.
_OUT_OF_CREDIT = ("insufficient_quota", "billing", "credit")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt for a model, along with an image unless it is `textual`."""

    model: str
    system_prompt: str
    text: str
    detail: str
    textual: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """The path of calls, and the format of requests and replies; `fixed` fields are always sent."""

    path: str
    input_field: str
    length_field: str
    fixed: Mapping[str, Any]
    request: Callable[[Prompt], dict[str, Any]]
    read: Callable[[Any, int | None], Answer | Failure]
    tokens_in: tuple[str, ...]
    tokens_out: tuple[str, ...]

    def answer(self, said: Any, max_tokens: int | None) -> Answer | Failure:
        """The answer in a reply, with the tokens used."""
        result = error_in(said) or self.read(said, max_tokens)
        usage = said.get("usage") if isinstance(said, dict) else None
        return with_usage(result, usage, self.tokens_in, self.tokens_out)


# --- Chat Completions -----------------------------------------------------------------------------------------------


def _chat_request(prompt: Prompt) -> dict[str, Any]:
    image = {"url": IMAGE_MARK, **({"detail": prompt.detail} if prompt.detail else {})}
    parts = [{"type": "text", "text": prompt.text}, {"type": "image_url", "image_url": image}]
    # Servers of text-only models may not support content parts.
    content = prompt.text if prompt.textual else parts
    system = [{"role": "system", "content": prompt.system_prompt}] if prompt.system_prompt else []
    return {"model": prompt.model, "messages": [*system, {"role": "user", "content": content}]}


def _chat_answer(said: Any, max_tokens: int | None) -> Answer | Failure:
    choice = _first(part_of(said, "choices", list, "the reply"), "choices")
    if failure := error_in(choice):
        return failure
    message = part_of(choice, "message", dict, "choices[0]")
    reason = choice.get("finish_reason")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return declined(f"The model refuses to answer: {refusal.strip()}")
    if reason == "content_filter":
        return declined("A content filter stopped the answer")
    text = _text_of(message.get("content"))
    return cut_off(max_tokens, text) if reason == "length" else Answer(text)


def _text_of(content: Any) -> str:
    """The text of a message; some servers send it in parts, and a missing one is an empty answer."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        if parts and all(isinstance(part.get("text"), str) for part in parts):
            return "".join(part["text"] for part in parts)
    raise BadReply(f"expected a string at choices[0].message.content, got {show(content)}")


# --- Responses ------------------------------------------------------------------------------------------------------


def _responses_request(prompt: Prompt) -> dict[str, Any]:
    image = {"type": "input_image", "image_url": IMAGE_MARK, **({"detail": prompt.detail} if prompt.detail else {})}
    content = [{"type": "input_text", "text": prompt.text}, *([] if prompt.textual else [image])]
    system = {"instructions": prompt.system_prompt} if prompt.system_prompt else {}
    return {"model": prompt.model, **system, "input": [{"role": "user", "content": content}]}


def _responses_answer(said: Any, max_tokens: int | None) -> Answer | Failure:
    parts: list[Any] = []
    for item in part_of(said, "output", list, "the reply"):
        if isinstance(item, dict) and item.get("type") == "message":
            parts += part_of(item, "content", list, "output")
    texts, refusals = [], []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "output_text":
            texts.append(part_of(part, "text", str, "output_text"))
        elif kind == "refusal":
            refusals.append(part_of(part, "refusal", str, "refusal"))
    status, details = said.get("status", "completed"), said.get("incomplete_details")
    why = details.get("reason") if isinstance(details, dict) else None
    if refusals:
        return declined(f"The model refuses to answer: {' '.join(refusals).strip()}")
    if why == "content_filter":
        return declined("A content filter stopped the answer")
    if status == "incomplete":
        return cut_off(max_tokens, "".join(texts))
    if status != "completed":
        raise BadReply(f"expected the status 'completed', got {show(status)}")
    return Answer("".join(texts))


DIALECTS = {
    "chat": Dialect(
        "/chat/completions",
        "messages",
        "",
        {},
        _chat_request,
        _chat_answer,
        ("prompt_tokens",),
        ("completion_tokens",),
    ),
    # Without `store` the vendor keeps every image and answer.
    "responses": Dialect(
        "/responses",
        "input",
        "max_output_tokens",
        {"store": False},
        _responses_request,
        _responses_answer,
        ("input_tokens",),
        ("output_tokens",),
    ),
}


# --- errors ---------------------------------------------------------------------------------------------------------


def error_in(said: Any) -> Failure | None:
    """The error inside a successful reply."""
    error = said.get("error") if isinstance(said, dict) else None
    if not error:
        return None
    message = error.get("message") if isinstance(error, dict) else error
    text = f"The reply holds an error: {message if isinstance(message, str) else json.dumps(error)[:200]}"
    marks = _marks(error)
    if any(word in marks for word in _FILTERS):
        return declined(text)
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int):
        return Failure(text, retryable=code in (408, 425, 429) or code >= 500)
    return Failure(text, retryable=any(word in marks for word in _PASSING))


def refined_error(reply: Reply, error: AskError) -> AskError | Failure:
    """A refined error of a status: a content filter, an exhausted account."""
    try:
        said = json.loads(reply.content)
    except (ValueError, RecursionError):
        return error
    marks = _marks(said.get("error") if isinstance(said, dict) else None)
    if reply.status == 400 and any(word in marks for word in _FILTERS):
        return declined(str(error))
    if reply.status == 429 and isinstance(error, Transient) and any(word in marks for word in _OUT_OF_CREDIT):
        return Refused(str(error))
    return error


def _marks(error: Any) -> str:
    """The machine-readable codes of an error."""
    if not isinstance(error, dict):
        return ""
    inner = error.get("innererror")
    names = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    return " ".join(name.lower() for name in names if isinstance(name, str))


def _first(items: list[Any], name: str) -> Any:
    if not items:
        raise BadReply(f"expected something in {name!r}, got an empty list")
    return items[0]
