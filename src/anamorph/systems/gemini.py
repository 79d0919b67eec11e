"""Google's Gemini models, generateContent, as the system under test."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import quote

from anamorph.errors import AskError, Refused, Transient, UsageError
from anamorph.http.messages import Reply
from anamorph.http.templates import UrlTemplate, header_marks
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.chats.prompts import (
    CAPTION_PROMPT,
    QUESTION_PROMPT,
    Prompts,
    cut_off,
    declined,
    longest_answer,
)
from anamorph.systems.remote.bodies import IMAGE_MARK, fixed_fields, json_body, media_type
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import HttpService
from anamorph.systems.replies.answers import BadReply, part_of, show, with_usage

ADAPTER_VERSION = 1
VENDOR_URL = "https://generativelanguage.googleapis.com/v1beta"
_DECLINING = (
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
)
# google.rpc.Code by name.
_PASSING = ("RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED")
_SECONDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")


@dataclass(frozen=True, slots=True, repr=False)
class GeminiSystem(HttpService):
    """Ask a Gemini model, through the Gemini API or Vertex AI."""

    kind: ClassVar[str] = "gemini"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="The name of the model, such as gemini-2.5-flash.")
    base_url: str = setting("", f"The address before /models/; else {VENDOR_URL}.")
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system instruction; none if empty.")
    temperature: float | None = setting(0.0, "0 is the most repeatable; above it, answers vary.", least=0, most=2)
    max_tokens: int = setting(
        4096,
        "The longest answer, in tokens, including reasoning; a longer one is cut off and counts as failed.",
        least=1,
    )
    seed: int | None = setting(None, "A seed for the service; with a temperature, each repeat adds one to it.")
    longest_side: int = setting(3072, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(
        7_000_000, "Larger image files are made smaller; a whole request takes 20 MB.", least=1000, most=14_000_000
    )
    body: str = setting("", "More fields of the request, as a JSON object; generationConfig is added to ours.")
    key_variable: str = setting("GEMINI_API_KEY", "The environment variable with the key; empty sends none.")
    headers: Mapping[str, str] = setting({}, "More headers; ${NAME} in a value comes from the environment.")
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _prompts: Prompts = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _extra: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        model = self.model.strip().removeprefix("models/")
        if not model:
            raise UsageError("gemini needs the name of a model, such as gemini:gemini-2.5-flash.")
        extra = fixed_fields(self.body, "body")
        if "contents" in extra:
            raise UsageError("body must not have 'contents', which is made from the other settings.")
        if not isinstance(extra.get("generationConfig", {}), dict):
            raise UsageError("generationConfig in body must be an object.")
        if self.key_variable and not os.environ.get(self.key_variable):
            raise UsageError(f"gemini needs a key in the environment variable {self.key_variable}, which is not set.")
        key = {"x-goog-api-key": f"${{{self.key_variable}}}"} if self.key_variable else {}
        look = self.key_variable or "headers"
        hints = {
            400: f"If it does not accept the key, check {look}.",
            401: f"It does not accept the login; check {look}, and renew it if it is an old token.",
            403: f"It does not allow this call; check {look}, and whether the project has the API.",
            404: f"There is nothing at this address, or no model {model!r}; check base_url and model.",
        }
        base = (self.base_url or VENDOR_URL).rstrip("/")
        own = {name.lower() for name in self.headers}
        ours = {name: value for name, value in key.items() if name not in own}
        url = UrlTemplate(f"{base}/models/{quote(model, safe='')}:generateContent")
        self._connect(url, {**ours, **self.headers}, hints)
        object.__setattr__(self, "_prompts", Prompts(self.prompt, self.question_prompt))
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))
        object.__setattr__(self, "_extra", extra)

    def __repr__(self) -> str:
        return f"GeminiSystem({self.model!r}, {self._caller.url.shown!r})"

    def image_tokens(self, width: int, height: int) -> int:
        """By the vendor's rule: 258 up to 384 on each side, and for each tile of 768 of a larger image."""
        if max(width, height) <= 384:
            return 258
        return 258 * -(-width // 768) * -(-height // 768)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            **self._caller.url.fingerprint(),
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "system_prompt": self.system_prompt,
            "parameters": self._parameters(0, self.max_tokens),
            "image": self._limit.fingerprint(),
            "headers": header_marks(self.headers),
        }

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        longest = longest_answer(ask, self.max_tokens)
        image = None if ask.textual else self._limit.fitted(ask)
        shown = [] if image is None else [{"inlineData": {"mimeType": media_type(image), "data": IMAGE_MARK}}]
        parts = [*shown, {"text": self._prompts.text(ask)}]
        system = {"systemInstruction": {"parts": [{"text": self.system_prompt}]}} if self.system_prompt else {}
        plain = {"contents": [{"role": "user", "parts": parts}], **system, **self._parameters(ask.attempt, longest)}
        body = json_body(plain, None if image is None else b'"%b"' % base64.b64encode(image))
        reply = self._caller.send("POST", body, timeout_seconds)
        error = self._caller.error(reply)
        if error is not None:
            raise _refined(reply, error)
        return self._caller.read(reply, lambda said: _answer(said, longest))

    def _parameters(self, attempt: int, max_tokens: int) -> dict[str, Any]:
        """The generation parameters; the attempt matters only if answers are sampled with a seed."""
        ours = {"maxOutputTokens": max_tokens, "temperature": self.temperature, "seed": self.seed}
        chosen = {**ours, **self._extra.get("generationConfig", {})}
        if self.seed is not None and chosen.get("seed") == self.seed and chosen.get("temperature") != 0:
            chosen["seed"] = self.seed + attempt
        chosen = {name: value for name, value in chosen.items() if value is not None}
        return {**{name: value for name, value in self._extra.items() if value is not None}, "generationConfig": chosen}


def _answer(said: Any, max_tokens: int) -> Answer | Failure:
    result = _error_in(said) or _blocked(said) or _candidate(said, max_tokens)
    usage = said.get("usageMetadata")
    if isinstance(usage, dict):
        # A reply without text has no token count.
        usage = {"candidatesTokenCount": 0, **usage}
    taken = ("promptTokenCount", "toolUsePromptTokenCount")
    return with_usage(result, usage, taken, ("candidatesTokenCount", "thoughtsTokenCount"))


def _candidate(said: Any, max_tokens: int) -> Answer | Failure:
    candidates = part_of(said, "candidates", list, "the reply")
    if not candidates:
        raise BadReply("expected something in 'candidates', got an empty list")
    candidate = candidates[0]
    if not isinstance(candidate, dict):
        raise BadReply(f"expected an object at candidates[0], got {show(candidate)}")
    reason, text = candidate.get("finishReason"), "".join(_texts(candidate.get("content")))
    if reason in _DECLINING:
        message = candidate.get("finishMessage")
        more = f": {message}" if isinstance(message, str) and message else ""
        return declined(f"The service stopped the answer because of {reason}{more}")
    if reason == "MAX_TOKENS":
        return cut_off(max_tokens, text)
    if reason != "STOP":
        raise BadReply(f"expected the finishReason 'STOP', got {show(reason)}")
    return Answer(text)


def _texts(content: Any) -> Iterator[str]:
    """The texts of an answer, without reasoning; none if it was stopped before the first."""
    if content is None:
        return
    for part in part_of({"parts": [], **content} if isinstance(content, dict) else content, "parts", list, "content"):
        if not isinstance(part, dict):
            raise BadReply(f"expected an object among the parts, got {show(part)}")
        if "text" in part and part.get("thought") is not True:
            yield part_of(part, "text", str, "parts")


def _blocked(said: Any) -> Failure | None:
    feedback = said.get("promptFeedback") if isinstance(said, dict) else None
    reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
    return declined(f"The service does not take this image or text: {show(reason)}") if reason else None


def _error_in(said: Any) -> Failure | None:
    if not isinstance(said, dict):
        raise BadReply(f"expected the reply to be an object, got {show(said)}")
    error = said.get("error")
    if not error:
        return None
    message = error.get("message") if isinstance(error, dict) else error
    text = f"The reply holds an error: {message if isinstance(message, str) else json.dumps(error)[:200]}"
    return Failure(text, retryable=isinstance(error, dict) and error.get("status") in _PASSING)


def _refined(reply: Reply, error: AskError) -> AskError:
    """A refined error of a status: the body has the retry delay, and a daily quota is not transient."""
    if reply.status != 429 or not isinstance(error, Transient):
        return error
    details = list(_details(reply.content))
    violations = [item for detail in details for item in _items(detail.get("violations"))]
    if any("PerDay" in str(item.get("quotaId")) for item in violations):
        return Refused(str(error))
    waits = [_SECONDS.fullmatch(str(detail.get("retryDelay"))) for detail in details]
    seconds = [float(wait[1]) for wait in waits if wait]
    if error.retry_after_seconds is None and seconds:
        return Transient(str(error), max(seconds))
    return error


def _details(content: bytes) -> Iterator[Mapping[str, Any]]:
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return
    error = said.get("error") if isinstance(said, dict) else None
    yield from _items(error.get("details") if isinstance(error, dict) else None)


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
