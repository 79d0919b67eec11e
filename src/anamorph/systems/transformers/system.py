"""Models of the transformers library as the system under test: captioners, answerers, chat models, taggers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from anamorph.errors import Refused
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.systems.transformers.labels import LabelScorer, ObjectFinder, answerer
from anamorph.systems.transformers.tasks import LoadedModel, PromptedPicture, Task, forms_of, look_at, task_of
from anamorph.systems.transformers.writing import Captioner, Chat, Writing
from anamorph.weights.checkpoints import (
    Checkpoint,
    Workbench,
    local_files_setting,
    major_version,
    model_setting,
    revision_setting,
)
from anamorph.weights.torch_library import (
    Device,
    Dtype,
    device_of,
    device_setting,
    dtype_of,
    dtype_setting,
    free_memory,
    out_of_memory,
    reason,
    require,
    torch,
)

ADAPTER_VERSION = 1

# Many gigabytes may come from a slow disk, or from the hub.
_STARTUP_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class TransformersSystem:
    """Ask a Hugging Face model: a captioner, a question answerer, a chat model, a classifier or a detector."""

    kind: ClassVar[str] = "transformers"
    model: str = model_setting()
    revision: str | None = revision_setting()
    task: Task = setting("auto", "What the model does; auto finds it in the model's own config.json.")
    prompt: str | None = setting(
        None, "The prompt for an image without a question; for a captioner, the beginning of the caption."
    )
    question_prompt: str | None = setting(None, "The prompt with a question, which replaces {question}.")
    device: Device = device_setting()
    dtype: Dtype = dtype_setting()
    batch: int = setting(8, "The batch size.", least=1, most=1024)
    max_new_tokens: int = setting(40, "The longest answer, in the model's own tokens.", least=1, most=8192)
    num_beams: int = setting(1, "The width of the beam search; 1 is greedy decoding.", least=1)
    temperature: float = setting(0.0, "Above 0, tokens are sampled; use it with ask.repeats.", least=0, most=10)
    top_p: float = setting(
        1.0,
        "With a temperature: sample only from the likeliest tokens with this total probability.",
        least=0.001,
        most=1,
    )
    seed: int = setting(0, "With a temperature: the seed of sampling.", least=0)
    scores: Literal["auto", "softmax", "sigmoid"] = setting(
        "auto", "The activation of a classifier: softmax for one right label, sigmoid for several."
    )
    threshold: float = setting(0.05, "The lowest score of a classifier's or detector's labels.", least=0, most=1)
    top: int = setting(50, "At most this many labels of a classifier, the best ones.", least=1)
    local_files_only: bool = local_files_setting()
    _held: _Held = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(f"The system {self.kind!r}", "transformers", "torch", "transformers")
        if self.question_prompt is not None and "{question}" not in self.question_prompt:
            raise ValueError("question_prompt must have {question} in it, where the question goes")
        if self.temperature > 0 and self.num_beams > 1:
            raise ValueError("temperature and num_beams exclude each other: either sample, or search")
        self._checkpoint.check()
        object.__setattr__(self, "_held", _Held())

    @property
    def takes_instructions(self) -> bool:
        return self.question_prompt is None and task_of(self._checkpoint, self.task) == "image-text-to-text"

    @property
    def answers_with(self) -> tuple[str, ...]:
        # With task auto, the model's config.json tells; no weights are loaded.
        return forms_of(task_of(self._checkpoint, self.task), self.prompt, self.question_prompt)

    @property
    def manner(self) -> Manner:
        # A network uses all cores, or the whole GPU, by itself.
        return Manner(batch=self.batch, parallel=1, startup_seconds=_STARTUP_SECONDS)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        with self._held.lock:
            if self._held.fingerprint is None:
                self._held.fingerprint = self._marks()
            return self._held.fingerprint

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        """One reply per item; PyTorch cannot be stopped from outside, so the time limit is left to the engine."""
        with self._held.lock:
            if self._held.loaded is None:
                self._held.loaded = self._loaded()
            loaded = self._held.loaded
            looks = [look_at(item, loaded.task, self.prompt, self.question_prompt) for item in batch]
            seen = [look for look in looks if isinstance(look, PromptedPicture)]
            try:
                with torch().inference_mode():
                    answers = iter(loaded.network.answers(seen) if seen else ())
            except Exception as problem:
                raise self._refusal(problem, len(seen), loaded.device) from problem
        return [look if isinstance(look, Failure) else next(answers) for look in looks]

    def close(self) -> None:
        """Release the model's memory."""
        with self._held.lock:
            self._held.loaded = None

    @property
    def _checkpoint(self) -> Checkpoint:
        return Checkpoint(f"The system {self.kind!r}", self.model, self.revision, self.local_files_only)

    @property
    def _writing(self) -> Writing:
        return Writing(self.max_new_tokens, self.num_beams, self.temperature, self.top_p, self.seed)

    def _marks(self) -> Mapping[str, Any]:
        """Everything that could change an answer."""
        checkpoint = self._checkpoint
        task = task_of(checkpoint, self.task)
        marks = {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "transformers": major_version("transformers"),
            **checkpoint.identity(),
            "task": task,
            "dtype": str(dtype_of(self.dtype, device_of(self.device))),
        }
        match task:
            case "image-classification":
                return {**marks, "scores": self.scores, "threshold": self.threshold, "top": self.top}
            case "object-detection":
                return {**marks, "threshold": self.threshold}
            case _:
                said = {"prompt": self.prompt, "question_prompt": self.question_prompt}
                return {**marks, **said, "writing": self._writing.marks}

    def _loaded(self) -> _Loaded:
        checkpoint, device = self._checkpoint, device_of(self.device)
        task = task_of(checkpoint, self.task)
        bench = Workbench(checkpoint, device, dtype_of(self.dtype, device))
        network: LoadedModel
        match task:
            case "image-classification":
                network = LabelScorer.load(bench, self.scores, self.threshold, self.top)
            case "object-detection":
                network = ObjectFinder.load(bench, self.threshold)
            case "image-to-text":
                network = Captioner.load(bench, self._writing)
            case "image-text-to-text":
                network = Chat.load(bench, self._writing)
            case _:
                network = answerer(bench, self._writing)
        return _Loaded(task, network, device)

    def _refusal(self, problem: Exception, pictures: int, device: str) -> Refused:
        if out_of_memory(problem):
            free_memory(device)
            return Refused(f"{self.model} ran out of memory with {pictures} pictures at a time; lower `batch`")
        return Refused(f"{self.model} failed with {reason(problem)}")


@dataclass(frozen=True, slots=True)
class _Loaded:
    task: Task
    network: LoadedModel
    device: str


@dataclass(slots=True)
class _Held:
    """Parts that are made on first use; `lock` lets one thread at a time use them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    fingerprint: Mapping[str, Any] | None = None
    loaded: _Loaded | None = None
