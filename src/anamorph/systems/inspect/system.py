"""Any model of inspect_ai as the system under test."""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import MissingExtra, Refused, Transient, UsageError
from anamorph.http.secrets import Redactor, environment_redactor
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.chats.prompts import CAPTION_PROMPT, QUESTION_PROMPT, Prompts, longest_answer
from anamorph.systems.functions.event_loop import EventLoop
from anamorph.systems.inspect.messages import answer_of, messages_of
from anamorph.systems.remote.bodies import fixed_fields
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import RemoteSystem

ADAPTER_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class InspectSystem(RemoteSystem):
    """Ask a model of any of inspect_ai's providers, with its keys and settings."""

    kind: ClassVar[str] = "inspect"
    environment: ClassVar[tuple[str, ...]] = ("*",)
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="PROVIDER/MODEL as inspect_ai names it, such as ollama/llava or google/gemini-2.5-flash.")
    base_url: str = setting("", "The base address of the provider's API; else inspect_ai's own choice.")
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system message; none if empty.")
    temperature: float | None = setting(None, "By default not sent, because some models do not accept it.", least=0)
    max_tokens: int = setting(
        1000, "The longest answer, in tokens; a longer one is cut off and counts as failed.", least=1
    )
    seed: int | None = setting(None, "A seed for the provider, if it accepts one.")
    model_args: str = setting("", "Arguments of the provider (inspect's -M), as a JSON object.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16)
    most_bytes: int = setting(3_750_000, "Larger image files are made smaller.", least=1000)
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _prompts: Prompts = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _loop: EventLoop = field(init=False, compare=False)
    _model: Any = field(init=False, compare=False)
    _keys: Redactor = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if importlib.util.find_spec("inspect_ai") is None:
            raise MissingExtra("The system 'inspect'", "inspect")
        if "/" not in self.model:
            raise UsageError(f"inspect needs PROVIDER/MODEL, such as inspect:ollama/llava, got {self.model!r}.")
        object.__setattr__(self, "_keys", environment_redactor())
        object.__setattr__(self, "_prompts", Prompts(self.prompt, self.question_prompt))
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))
        object.__setattr__(self, "_model", self._made())
        object.__setattr__(self, "_loop", EventLoop())

    def __repr__(self) -> str:
        return f"InspectSystem({self.model!r})"

    def _made(self) -> Any:
        from inspect_ai.model import GenerateConfig, get_model

        # The engine retries, paces and counts, so the library must not.
        config = GenerateConfig(
            max_retries=0,
            temperature=self.temperature,
            seed=self.seed,
            max_connections=self.parallel,
        )
        arguments = fixed_fields(self.model_args, "model_args")
        try:
            return get_model(self.model, config=config, base_url=self.base_url or None, memoize=False, **arguments)
        except Exception as problem:
            text = self._redactor().redact(str(problem))
            raise UsageError(f"inspect_ai cannot make the model {self.model!r}: {text}") from problem

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "model": self.model,
            "url": self.base_url,
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "system_prompt": self.system_prompt,
            "parameters": {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed},
            "model_args": fixed_fields(self.model_args, "model_args"),
            "image": self._limit.fingerprint(),
        }

    def close(self) -> None:
        """Close the provider's connections, in the loop that they belong to."""
        if self._loop.running:
            self._loop.settled(self._model.__aexit__(None, None, None))
        self._loop.close()

    def _redactor(self) -> Redactor:
        return self._keys

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        from inspect_ai.model import GenerateConfig
        from tenacity import RetryError

        longest = longest_answer(ask, self.max_tokens)
        messages = messages_of(ask, self._prompts, self._limit, self.system_prompt)
        call = self._model.generate(messages, config=GenerateConfig(max_tokens=longest))
        try:
            output = self._loop.settled(asyncio.wait_for(call, timeout_seconds))
        except (TimeoutError, concurrent.futures.TimeoutError) as problem:
            raise Transient(f"{self.model} gave no answer within {timeout_seconds:g} seconds.") from problem
        except RetryError as problem:
            raise Transient(self._blame(problem.last_attempt.exception() or problem)) from problem
        except Exception as problem:
            raise Refused(self._blame(problem)) from problem
        return answer_of(output, longest)

    def _blame(self, problem: BaseException) -> str:
        return self._redactor().redact(f"{self.model}: {type(problem).__name__}: {problem}"[:500])
