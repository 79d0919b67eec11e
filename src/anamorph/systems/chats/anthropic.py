"""Anthropic's Messages: requests, replies and errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from anamorph.errors import AskError, Refused, Transient
from anamorph.http.messages import Reply
from anamorph.model import Answer, Failure
from anamorph.systems.chats.prompts import cut_off, declined
from anamorph.systems.remote.bodies import IMAGE_MARK
from anamorph.systems.replies.answers import BadReply, part_of, show, with_usage

_PASSING = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")
# The error's type is that of an invalid request, so only its message tells.
_FILTERED = "content filtering policy"
# The status is 400 or 429, but retrying does not fund an account.
_OUT_OF_CREDIT = ("credit balance", "billing")
_COMPLETE = ("end_turn", "stop_sequence")
_TOO_LONG = ("max_tokens", "model_context_window_exceeded")


def messages_request(model: str, system_prompt: str, text: str, media_type: str | None) -> dict[str, Any]:
    """A request with one image (unless it has no type) before the text, as the vendor advises."""
    image = {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": IMAGE_MARK}}
    images = [] if media_type is None else [image]
    system = {"system": system_prompt} if system_prompt else {}
    return {
        "model": model,
        **system,
        "messages": [{"role": "user", "content": [*images, {"type": "text", "text": text}]}],
    }


def messages_answer(said: Any, max_tokens: int | None) -> Answer | Failure:
    """The answer in a reply, with the tokens used."""
    result = error_in(said) or _answer(said, max_tokens)
    usage = said.get("usage") if isinstance(said, dict) else None
    taken = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return with_usage(result, usage, taken, ("output_tokens",))


def _answer(said: Any, max_tokens: int | None) -> Answer | Failure:
    blocks = part_of(said, "content", list, "the reply")
    # Reasoning is in blocks of another type.
    spoken = [block for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    text, reason = "".join(part_of(block, "text", str, "content") for block in spoken), said.get("stop_reason")
    if reason == "refusal":
        return declined(f"The model refuses to answer{f': {text.strip()[:100]}' if text.strip() else ''}")
    if reason in _TOO_LONG:
        return cut_off(max_tokens, text)
    if reason not in _COMPLETE:
        raise BadReply(f"expected the stop_reason 'end_turn', got {show(reason)}")
    return Answer(text)


def error_in(said: Any) -> Failure | None:
    """The error inside a successful reply, or in the result of a batch."""
    error = said.get("error") if isinstance(said, dict) else None
    if not error:
        return None
    kind, message = _kind_and_message(error)
    text = f"The reply holds an error: {message or json.dumps(error)[:200]}"
    return declined(text) if _FILTERED in message.lower() else Failure(text, retryable=kind in _PASSING)


def refined_error(reply: Reply, error: AskError) -> AskError | Failure:
    """A refined error of a status: a content filter, an exhausted account."""
    try:
        said = json.loads(reply.content)
    except (ValueError, RecursionError):
        return error
    _, message = _kind_and_message(said.get("error") if isinstance(said, dict) else None)
    if reply.status == 400 and _FILTERED in message.lower():
        return declined(str(error))
    if isinstance(error, Transient) and reply.status == 429 and any(word in message.lower() for word in _OUT_OF_CREDIT):
        return Refused(str(error))
    return error


def _kind_and_message(error: Any) -> tuple[str, str]:
    if not isinstance(error, Mapping):
        return "", error if isinstance(error, str) else ""
    kind, message = error.get("type"), error.get("message")
    return kind if isinstance(kind, str) else "", message if isinstance(message, str) else ""
