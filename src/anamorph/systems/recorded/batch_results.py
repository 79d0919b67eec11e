"""Lines of a provider's batch result files: OpenAI's results and errors, Anthropic's results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anamorph.model import Answer, Failure
from anamorph.systems.chats.anthropic import error_in as anthropic_error_in, messages_answer
from anamorph.systems.chats.openai import DIALECTS, error_in as openai_error_in
from anamorph.systems.replies.answers import BadReply, part_of, show

# As written by `anamorph plan --requests`: the probe's digest, and the number of a repeat.
_CUSTOM_ID = re.compile(r"([0-9a-f]{32})-([0-9]{1,9})")


def is_batch_result(record: Mapping[str, object]) -> bool:
    """Whether a line is a provider's, not ours."""
    return "custom_id" in record and ("result" in record or "response" in record)


def probe_and_attempt(record: Mapping[str, object]) -> tuple[str, int]:
    """The probe's id and the attempt of a line."""
    id = record.get("custom_id")
    if type(id) is not str or not id:
        raise BadReply(f"expected a string under 'custom_id', got {show(id)}")
    repeat = _CUSTOM_ID.fullmatch(id)
    return (repeat[1], int(repeat[2])) if repeat else (id, 0)


def reply_of_batch(record: Mapping[str, object]) -> Answer | Failure:
    """The answer in a line, with the tokens used; a reply of an unknown shape is a failure."""
    try:
        result = _anthropic(record["result"]) if "result" in record else _openai(record)
    except BadReply as problem:
        return Failure(f"The recorded reply is not as it should be: {problem}")
    if isinstance(result, Failure):
        # Reading a file again changes nothing.
        return Failure(result.message, declined=result.declined, usage=result.usage)
    return result


def _anthropic(result: Any) -> Answer | Failure:
    kind = part_of(result, "type", str, "result")
    if kind == "succeeded":
        return messages_answer(result.get("message"), None)
    if kind in ("canceled", "expired"):
        return Failure(f"The batch was {kind} before this request was answered")
    # The error is in its own object, as in a reply with a status.
    return anthropic_error_in(result.get("error")) or anthropic_error_in(result) or Failure(f"The request {show(kind)}")


def _openai(record: Mapping[str, Any]) -> Answer | Failure:
    if record.get("error"):
        failure = openai_error_in(record)
        assert failure is not None
        return failure
    response = part_of(record, "response", dict, "the line")
    status, body = response.get("status_code"), response.get("body")
    if status != 200:
        failure = openai_error_in(body)
        said = f": {failure.message}" if failure else ""
        return Failure(
            f"The request failed with status {show(status)}{said}", declined=bool(failure and failure.declined)
        )
    dialect = DIALECTS["responses" if isinstance(body, dict) and "output" in body else "chat"]
    return dialect.answer(body, None)
