"""Any model of LiteLLM as the system under test."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from anamorph.errors import MissingExtra, Refused, Transient, UsageError
from anamorph.http.secrets import Redactor, environment_redactor
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.chats.openai import DIALECTS
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts, declined, longest_answer
from anamorph.systems.remote.bodies import data_url, fixed_fields
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import RemoteSystem
from anamorph.systems.replies.answers import BadReply

ADAPTER_VERSION = 1
# LiteLLM has a class for these, but does not recognize all.
_FILTERS = ("content_policy", "content_filter", "safety system")
_TAKEN = ("model", "messages", "stream", "timeout", "num_retries")


@dataclass(frozen=True, slots=True, repr=False)
class LiteLlmSystem(RemoteSystem):
    """Ask a model of any of LiteLLM's providers, with its keys and settings."""

    kind: ClassVar[str] = "litellm"
    environment: ClassVar[tuple[str, ...]] = ("*",)
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="The model as LiteLLM names it, such as gpt-4o-mini, ollama/llava or azure/DEPLOYMENT.")
    base_url: str = setting("", "The base address of the provider's API; else LiteLLM's own choice.")
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system message; none if empty.")
    temperature: float | None = setting(None, "By default not sent, because some models do not accept it.", least=0)
    max_tokens: int = setting(
        1000, "The longest answer, in tokens; a longer one is cut off and counts as failed.", least=1
    )
    seed: int | None = setting(None, "A seed for the provider; with a temperature, each repeat adds one to it.")
    arguments: str = setting("", "More arguments of litellm.completion, as a JSON object.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(3_750_000, "Larger image files are made smaller.", least=1000)
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _prompts: Prompts = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _keys: Redactor = field(init=False, compare=False)
    _extra: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if importlib.util.find_spec("litellm") is None:
            raise MissingExtra("The system 'litellm'", "litellm")
        if not self.model.strip():
            raise UsageError("litellm needs the name of a model, such as litellm:ollama/llava.")
        extra = fixed_fields(self.arguments, "arguments")
        for name in _TAKEN:
            if name in extra:
                raise UsageError(f"arguments must not have {name!r}, which is made from the other settings.")
        object.__setattr__(self, "_extra", extra)
        object.__setattr__(self, "_prompts", Prompts(self.prompt, self.question_prompt))
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))
        object.__setattr__(self, "_keys", environment_redactor())

    def __repr__(self) -> str:
        return f"LiteLlmSystem({self.model!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "system_prompt": self.system_prompt,
            "parameters": self._parameters(0, self.max_tokens),
            "image": self._limit.fingerprint(),
        }

    def close(self) -> None:
        """Nothing to close: the library manages its connections."""

    def _redactor(self) -> Redactor:
        return self._keys

    def _parameters(self, attempt: int, longest: int) -> dict[str, Any]:
        chosen = {
            "model": self.model,
            "base_url": self.base_url or None,
            "temperature": self.temperature,
            "seed": self.seed if not self.temperature or self.seed is None else self.seed + attempt,
            "max_tokens": longest,
        }
        return {**{name: value for name, value in chosen.items() if value is not None}, **self._extra}

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        litellm = _library()
        longest = longest_answer(ask, self.max_tokens)
        content: list[dict[str, Any]] = [{"type": "text", "text": self._prompts.text(ask)}]
        if not ask.textual:
            url = data_url(self._limit.fitted(ask)).decode("ascii")
            content.append({"type": "image_url", "image_url": {"url": url}})
        system = [{"role": "system", "content": self.system_prompt}] if self.system_prompt else []
        messages = [*system, {"role": "user", "content": content}]
        try:
            # The engine retries, paces and counts, so the library must not.
            said = litellm.completion(
                messages=messages,
                timeout=timeout_seconds,
                num_retries=0,
                max_retries=0,
                **self._parameters(ask.attempt, longest),
            )
        except litellm.ContentPolicyViolationError as problem:
            return declined(self._blame(problem))
        except Exception as problem:
            status = getattr(problem, "status_code", None)
            if isinstance(status, int) and (status in (408, 425, 429) or status >= 500):
                raise Transient(self._blame(problem), _retry_after(problem)) from problem
            if status == 400 and any(mark in str(problem).lower() for mark in _FILTERS):
                return declined(self._blame(problem))
            raise Refused(self._blame(problem)) from problem
        try:
            answer = DIALECTS["chat"].answer(said.model_dump(), longest)
        except BadReply as problem:
            return Failure(f"{self.model}: {problem}.")
        return _with_cost(answer, said)

    def _blame(self, problem: BaseException) -> str:
        return self._keys.redact(f"{self.model}: {problem}"[:500])


def _library() -> Any:
    # By default it fetches a price list from the network on import.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


def _with_cost(answer: Answer | Failure, said: Any) -> Answer | Failure:
    """With what LiteLLM says that the call cost; it says nothing of a model whose price it does not know."""
    cost = said._hidden_params.get("response_cost")
    if answer.usage is None or cost is None:
        return answer
    return replace(answer, usage=replace(answer.usage, cost=float(cost)))


def _retry_after(problem: BaseException) -> float | None:
    headers = getattr(getattr(problem, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after") or ""))
    except ValueError:
        return None
