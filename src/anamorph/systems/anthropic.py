"""Anthropic's Messages API as the system under test."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import UsageError
from anamorph.http.templates import UrlTemplate, header_marks
from anamorph.model import Answer, Ask, BatchLines, Failure, setting
from anamorph.systems.chats.anthropic import messages_answer, messages_request, refined_error
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts, longest_answer
from anamorph.systems.remote.bodies import fixed_fields, json_body, media_type
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService

ADAPTER_VERSION = 1
VENDOR_URL = "https://api.anthropic.com"
# The size limit of one batch of requests; the brackets and commas of the list also count.
_BATCH_LINES, _BATCH_BYTES = 100_000, 255_000_000


@dataclass(frozen=True, slots=True, repr=False)
class AnthropicSystem(HttpService):
    """Ask a Claude model through Anthropic's Messages API."""

    kind: ClassVar[str] = "anthropic"
    environment: ClassVar[tuple[str, ...]] = ("ANTHROPIC_BASE_URL",)
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="The name of the model, such as claude-haiku-4-5.")
    base_url: str = setting("", f"Where the API is; else ANTHROPIC_BASE_URL, else {VENDOR_URL}.")
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system prompt; none if empty.")
    temperature: float | None = setting(
        None,
        "0 is the most repeatable; by default not sent, because the newest models do not accept it.",
        least=0,
        most=1,
    )
    max_tokens: int = setting(
        1000, "The longest answer, in tokens; a longer one is cut off and counts as failed.", least=1
    )
    longest_side: int = setting(1568, "Images with a longer side, in pixels, are shrunk to it.", least=16, most=8000)
    most_bytes: int = setting(
        3_750_000, "Larger image files are made smaller; as base64 they may have 5 MB.", least=1000, most=3_750_000
    )
    body: str = setting("", "More fields of the request, as a JSON object; null removes one of ours.")
    version: str = setting("2023-06-01", "The version of the API, sent as a header.")
    key_variable: str = setting("ANTHROPIC_API_KEY", "The environment variable with the key; empty sends none.")
    headers: Mapping[str, str] = setting({}, "More headers; ${NAME} in a value comes from the environment.")
    parallel: int = setting(4, "The most concurrent calls.", least=1)
    _prompts: Prompts = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _extra: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError("anthropic needs the name of a model, such as anthropic:claude-haiku-4-5.")
        base = self.base_url or os.environ.get("ANTHROPIC_BASE_URL") or VENDOR_URL
        extra = fixed_fields(self.body, "body")
        for name in ("model", "messages", "stream"):
            if name in extra:
                raise UsageError(f"body must not have {name!r}, which is made from the other settings.")
        if self.key_variable and not os.environ.get(self.key_variable):
            raise UsageError(
                f"anthropic needs a key in the environment variable {self.key_variable}, which is not set."
            )
        key = {"x-api-key": f"${{{self.key_variable}}}"} if self.key_variable else {}
        hints = {
            400: "If it does not take a field, such as temperature, leave the setting out or remove it in body.",
            401: f"It does not accept the key; check {self.key_variable or 'headers'}.",
            403: f"It does not allow this call; check the rights of the key in {self.key_variable or 'headers'}.",
            404: f"There is nothing at this address, or no model {self.model!r}; check base_url and model.",
            413: "The request is too large; use a smaller most_bytes.",
        }
        own = {name.lower() for name in self.headers}
        ours = {name: value for name, value in {**key, "anthropic-version": self.version}.items() if name not in own}
        self._connect(UrlTemplate(f"{base.rstrip('/')}/v1/messages"), {**ours, **self.headers}, hints)
        object.__setattr__(self, "_prompts", Prompts(self.prompt, self.question_prompt))
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))
        object.__setattr__(self, "_extra", extra)

    def __repr__(self) -> str:
        return f"AnthropicSystem({self.model!r}, {self._caller.url.shown!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
            "model": self.model,
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "system_prompt": self.system_prompt,
            "parameters": self._parameters(self.max_tokens),
            "version": self.version,
            "image": self._limit.fingerprint(),
            "headers": header_marks(self.headers),
        }

    def image_tokens(self, width: int, height: int) -> int:
        """By the vendor's rule: a token per 750 pixels, with at most 1568 on the longer side."""
        scale = min(1.0, self.longest_side / max(width, height), 1568 / max(width, height))
        return round(width * scale * height * scale / 750)

    @property
    def batch_lines(self) -> BatchLines:
        return BatchLines("anthropic-batch", _BATCH_LINES, _BATCH_BYTES, self._batch_line)

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        image = None if ask.textual else self._limit.fitted(ask)
        shown = None if image is None else b'"%b"' % base64.b64encode(image)
        body = json_body(self._request(ask, image), shown)
        reply = self._caller.send("POST", body, timeout_seconds)
        error = self._caller.error(reply)
        if error is not None:
            raised = refined_error(reply, error)
            if isinstance(raised, Failure):
                return raised
            raise raised
        return self._caller.read(reply, lambda said: messages_answer(said, longest_answer(ask, self.max_tokens)))

    def _request(self, ask: Ask, image: bytes | None) -> dict[str, Any]:
        kind = None if image is None else media_type(image)
        request = messages_request(self.model, self.system_prompt, self._prompts.text(ask), kind)
        return {**request, **self._parameters(longest_answer(ask, self.max_tokens))}

    def _batch_line(self, ask: Ask, custom_id: str) -> bytes:
        image = self._limit.fitted(ask)
        plain = {"custom_id": custom_id, "params": self._request(ask, image)}
        return json_body(plain, b'"%b"' % base64.b64encode(image)).content

    def _parameters(self, max_tokens: int) -> dict[str, Any]:
        merged = {"max_tokens": max_tokens, "temperature": self.temperature, **self._extra}
        return {name: value for name, value in merged.items() if value is not None}
