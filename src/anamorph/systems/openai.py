"""Any OpenAI-compatible chat endpoint with image input as the system under test."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit, urlunsplit

from anamorph.errors import UsageError
from anamorph.http.templates import UrlTemplate, header_marks
from anamorph.model import Answer, Ask, BatchLines, Failure, setting
from anamorph.systems.chats.openai import DIALECTS, Dialect, Prompt, refined_error
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts, longest_answer
from anamorph.systems.remote.bodies import Body, data_url, fixed_fields, json_body
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService

ADAPTER_VERSION = 1
VENDOR_URL = "https://api.openai.com/v1"
# Limits of a file of the vendor's Batch API.
_BATCH_LINES, _BATCH_BYTES = 50_000, 200_000_000


@dataclass(frozen=True, slots=True, repr=False)
class OpenAISystem(HttpService):
    """Ask a chat model that takes images: vLLM, Ollama, llama.cpp, LM Studio, or a vendor."""

    kind: ClassVar[str] = "openai"
    environment: ClassVar[tuple[str, ...]] = ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="The name of the model, as the server knows it.")
    base_url: str = setting(
        "", f"Where the API begins, such as http://localhost:8000/v1; else OPENAI_BASE_URL, else {VENDOR_URL}."
    )
    api: Literal["chat", "responses"] = setting("chat", "Chat Completions, which all servers have, or Responses.")
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system message; none if empty.")
    temperature: float = setting(0.0, "0 is the most repeatable; above it, answers vary.", least=0)
    max_tokens: int = setting(
        300, "The longest answer, in tokens; a longer one is cut off and counts as failed.", least=1
    )
    max_tokens_field: Literal["auto", "max_tokens", "max_completion_tokens"] = setting(
        "auto", "The name of that limit in chat; auto is max_completion_tokens at the vendor and max_tokens elsewhere."
    )
    seed: int | None = setting(None, "A seed for the server; with a temperature, each repeat adds one to it.")
    detail: Literal["", "auto", "low", "high"] = setting("", "The vendor's level of image detail; empty sends none.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(5_000_000, "Larger image files are made smaller.", least=1000)
    body: str = setting("", "More fields of the request, as a JSON object; null removes one of ours.")
    key_variable: str = setting("OPENAI_API_KEY", "The environment variable with the key; empty sends none.")
    organization: str = setting("", "The organization to bill; else OPENAI_ORG_ID, if it is set.")
    project: str = setting("", "The project to bill; else OPENAI_PROJECT_ID, if it is set.")
    headers: Mapping[str, str] = setting({}, "More headers; ${NAME} in a value comes from the environment.")
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _prompts: Prompts = field(init=False, compare=False)
    _dialect: Dialect = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _extra: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError(
                "openai needs the name of a model, such as openai:qwen2.5vl,base_url=http://localhost:11434/v1."
            )
        prompts = Prompts(self.prompt, self.question_prompt)
        if self.api == "responses" and self.seed is not None:
            raise UsageError("The Responses API takes no seed. Leave it out, or use api = 'chat'.")
        dialect, base = DIALECTS[self.api], self.base_url or os.environ.get("OPENAI_BASE_URL") or VENDOR_URL
        extra = fixed_fields(self.body, "body")
        for name in ("model", "stream", dialect.input_field):
            if name in extra:
                raise UsageError(f"body must not have {name!r}, which is made from the other settings.")
        url = UrlTemplate(_joined(base, dialect.path))
        key = self.key_variable if self.key_variable and os.environ.get(self.key_variable) else ""
        if not key and self.key_variable and _host(base) == _host(VENDOR_URL):
            raise UsageError(
                f"{_host(base)} needs a key in the environment variable {self.key_variable}, which is not set."
            )
        hints = {
            401: f"It does not accept the key; check {self.key_variable or 'headers'}.",
            403: f"It does not allow this call; check the rights of the key in {self.key_variable or 'headers'}.",
            404: f"There is nothing at this address, or no model {self.model!r}; check base_url and model.",
        }
        self._connect(url, self._all_headers(key), hints)
        object.__setattr__(self, "_prompts", prompts)
        object.__setattr__(self, "_dialect", dialect)
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))
        object.__setattr__(self, "_extra", extra)

    def __repr__(self) -> str:
        return f"OpenAISystem({self.model!r}, {self._caller.url.shown!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
            "model": self.model,
            "api": self.api,
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "system_prompt": self.system_prompt,
            "parameters": self._parameters(0, self.max_tokens),
            "detail": self.detail,
            "image": self._limit.fingerprint(),
            # Billing does not change an answer.
            "headers": header_marks(self.headers),
        }

    def image_tokens(self, width: int, height: int) -> int:
        """By the vendor's rule for GPT-4o: 85, plus 170 per tile of 512 once the shorter side is 768."""
        if self.detail == "low":
            return 85
        within = min(1.0, self.longest_side / max(width, height), 2048 / max(width, height))
        scale = min(within, 768 / min(width, height))
        return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)

    @property
    def batch_lines(self) -> BatchLines:
        return BatchLines("openai-batch", _BATCH_LINES, _BATCH_BYTES, self._batch_line)

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        reply = self._caller.send("POST", self._body(self._request(ask), ask), timeout_seconds)
        error = self._caller.error(reply)
        if error is not None:
            raised = refined_error(reply, error)
            if isinstance(raised, Failure):
                return raised
            raise raised
        return self._caller.read(reply, lambda said: self._dialect.answer(said, longest_answer(ask, self.max_tokens)))

    def _request(self, ask: Ask) -> dict[str, Any]:
        prompt = Prompt(self.model, self.system_prompt, self._prompts.text(ask), self.detail, ask.textual)
        parameters = self._parameters(ask.attempt, longest_answer(ask, self.max_tokens))
        return {**self._dialect.request(prompt), **parameters}

    def _body(self, plain: Mapping[str, Any], ask: Ask) -> Body:
        return json_body(plain, None if ask.textual else b'"%b"' % data_url(self._limit.fitted(ask)))

    def _batch_line(self, ask: Ask, custom_id: str) -> bytes:
        plain = {
            "custom_id": custom_id,
            "method": "POST",
            "url": f"/v1{self._dialect.path}",
            "body": self._request(ask),
        }
        return self._body(plain, ask).content

    def _parameters(self, attempt: int, max_tokens: int) -> dict[str, Any]:
        """The generation parameters; the attempt matters only if answers are sampled with a seed."""
        name = self.max_tokens_field
        if name == "auto":
            name = "max_completion_tokens" if _host(self._caller.url.shown) == _host(VENDOR_URL) else "max_tokens"
        ours: dict[str, Any] = {self._dialect.length_field or name: max_tokens, "temperature": self.temperature}
        if self.seed is not None:
            ours["seed"] = self.seed
        merged = {**ours, **self._dialect.fixed, **self._extra}
        if self.seed is not None and merged.get("seed") == self.seed and merged.get("temperature"):
            merged["seed"] = self.seed + attempt
        return {field: value for field, value in merged.items() if value is not None}

    def _all_headers(self, key: str) -> Mapping[str, str]:
        found = {"authorization": f"Bearer ${{{key}}}"} if key else {}
        for header, chosen, variable in (
            ("openai-organization", self.organization, "OPENAI_ORG_ID"),
            ("openai-project", self.project, "OPENAI_PROJECT_ID"),
        ):
            if chosen or os.environ.get(variable):
                found[header] = chosen or f"${{{variable}}}"
        own = {name.lower() for name in self.headers}
        return {**{name: value for name, value in found.items() if name not in own}, **self.headers}


def _joined(base: str, path: str) -> str:
    """The address of a call; the base may have a login and a query."""
    try:
        parts = urlsplit(base)
    except ValueError:
        return base
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
