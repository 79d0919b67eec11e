"""Models on Amazon Bedrock, through Converse, as the system under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import UsageError
from anamorph.http.secrets import Redactor
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.aws.operations import SECRET_VARIABLES, AwsOperation
from anamorph.systems.chats.prompts import (
    CAPTION_PROMPT,
    QUESTION_PROMPT,
    Prompts,
    cut_off,
    declined,
    longest_answer,
)
from anamorph.systems.remote.bodies import fixed_fields, media_type
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import RemoteSystem
from anamorph.systems.replies.answers import BadReply, part_of, show, with_usage

ADAPTER_VERSION = 1
# A key for Bedrock alone, which boto3 accepts instead of credentials.
_TOKEN_VARIABLE = "AWS_BEARER_TOKEN_BEDROCK"
_COMPLETE = ("end_turn", "stop_sequence")
_DECLINING = ("guardrail_intervened", "content_filtered", "refusal")
_TOO_LONG = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True, repr=False)
class BedrockSystem(RemoteSystem):
    """Ask a model on Amazon Bedrock that takes images: Claude, Nova, Llama, Pixtral and others."""

    kind: ClassVar[str] = "bedrock"
    environment: ClassVar[tuple[str, ...]] = (*SECRET_VARIABLES, _TOKEN_VARIABLE)
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    takes_text: ClassVar[bool] = True
    model: str = setting(help="The id of a model or of an inference profile, such as eu.amazon.nova-lite-v1:0.")
    region: str = setting(
        "", "The AWS region, such as eu-west-1; else AWS_REGION, AWS_DEFAULT_REGION or the profile's."
    )
    prompt: str = setting(CAPTION_PROMPT, "The prompt for an image without a question.")
    question_prompt: str = setting(QUESTION_PROMPT, "The prompt with a question, which replaces {question}.")
    system_prompt: str = setting("", "The system prompt; none if empty.")
    temperature: float | None = setting(
        None, "0 is the most repeatable; by default not sent, because some models do not accept it.", least=0, most=1
    )
    max_tokens: int = setting(
        1000, "The longest answer, in tokens; a longer one is cut off and counts as failed.", least=1
    )
    request_fields: str = setting("", "additionalModelRequestFields: fields of this model only, as a JSON object.")
    guardrail: str = setting("", "The id of a guardrail for images and answers; none if empty.")
    guardrail_version: str = setting("DRAFT", "The version of that guardrail.")
    profile: str = setting("", "A profile of ~/.aws; else AWS_PROFILE, if it is set.")
    endpoint_url: str = setting("", "The service's address; else AWS's for the region.")
    longest_side: int = setting(2048, "Images with a longer side, in pixels, are shrunk to it.", least=16, most=8000)
    most_bytes: int = setting(3_750_000, "Larger image files are made smaller.", least=1000, most=3_750_000)
    parallel: int = setting(4, "The most concurrent calls.", least=1)
    _operation: AwsOperation = field(init=False, compare=False)
    _prompts: Prompts = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)
    _extra: Mapping[str, Any] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError("bedrock needs the id of a model, such as bedrock:eu.amazon.nova-lite-v1:0.")
        object.__setattr__(self, "_prompts", Prompts(self.prompt, self.question_prompt))
        object.__setattr__(self, "_extra", fixed_fields(self.request_fields, "request_fields"))
        operation = AwsOperation(
            self.kind,
            "bedrock-runtime",
            "Converse",
            lambda said: _answer(said, self.max_tokens),
            region=self.region,
            profile=self.profile,
            endpoint_url=self.endpoint_url,
            parallel=self.parallel,
            token_variable=_TOKEN_VARIABLE,
        )
        object.__setattr__(self, "_operation", operation)
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"BedrockSystem({self.model!r}, {self._operation.region!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "region": self._operation.region,
            "url": self.endpoint_url,
            "prompt": self.prompt,
            "question_prompt": self.question_prompt,
            "parameters": self._parameters(self.max_tokens),
            "image": self._limit.fingerprint(),
        }

    @property
    def contacts(self) -> str:
        return self._operation.address

    def close(self) -> None:
        self._operation.close()

    def _redactor(self) -> Redactor:
        return self._operation.redactor()

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        longest = longest_answer(ask, self.max_tokens)
        content: list[dict[str, Any]] = [{"text": self._prompts.text(ask)}]
        if not ask.textual:
            image = self._limit.fitted(ask)
            shown = {"format": media_type(image).removeprefix("image/"), "source": {"bytes": image}}
            content.insert(0, {"image": shown})
        request = {"messages": [{"role": "user", "content": content}], **self._parameters(longest)}
        return _answer(self._operation.call(request, timeout_seconds), longest)

    def _parameters(self, max_tokens: int) -> dict[str, Any]:
        temperature = {} if self.temperature is None else {"temperature": self.temperature}
        request: dict[str, Any] = {
            "modelId": self.model,
            "inferenceConfig": {"maxTokens": max_tokens, **temperature},
        }
        if self.system_prompt:
            request["system"] = [{"text": self.system_prompt}]
        if self._extra:
            request["additionalModelRequestFields"] = dict(self._extra)
        if self.guardrail:
            request["guardrailConfig"] = {
                "guardrailIdentifier": self.guardrail,
                "guardrailVersion": self.guardrail_version,
            }
        return request


def _answer(said: Any, max_tokens: int) -> Answer | Failure:
    usage = said.get("usage") if isinstance(said, dict) else None
    taken = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    return with_usage(_result(said, max_tokens), usage, taken, ("outputTokens",))


def _result(said: Any, max_tokens: int) -> Answer | Failure:
    output = part_of(said, "output", dict, "the reply")
    blocks = part_of(part_of(output, "message", dict, "output"), "content", list, "message")
    # Reasoning is in blocks of another kind.
    spoken = [block for block in blocks if isinstance(block, dict) and "text" in block]
    text, reason = "".join(part_of(block, "text", str, "content") for block in spoken), said.get("stopReason")
    if reason in _DECLINING:
        more = f": {text.strip()[:100]}" if text.strip() else ""
        return declined(f"The service does not answer ({reason}){more}")
    if reason in _TOO_LONG:
        return cut_off(max_tokens, text)
    if reason not in _COMPLETE:
        raise BadReply(f"expected the stopReason 'end_turn', got {show(reason)}")
    return Answer(text)
