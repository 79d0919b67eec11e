"""Generative models: captioners, answerers and chat models."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anamorph.model import Answer, Failure, digest_of_text, encode
from anamorph.systems.transformers.tasks import PromptedPicture
from anamorph.weights.checkpoints import Workbench
from anamorph.weights.torch_library import torch


@dataclass(frozen=True, slots=True)
class Writing:
    """The decoding strategy: greedy, beam search or sampling."""

    max_new_tokens: int
    num_beams: int
    temperature: float
    top_p: float
    seed: int

    @property
    def draws(self) -> bool:
        return self.temperature > 0

    @property
    def marks(self) -> Mapping[str, Any]:
        """The settings that could change an answer."""
        plain: dict[str, Any] = encode(self)
        return plain if self.draws else {name: plain[name] for name in ("max_new_tokens", "num_beams")}

    def tokens(self, model: Any, inputs: Mapping[str, Any], first: PromptedPicture) -> Any:
        """The generated tokens; sampling depends only on the first look, not on earlier calls."""
        options: dict[str, Any] = {"max_new_tokens": self.max_new_tokens, "num_beams": self.num_beams}
        inputs = _fitting(model, inputs)
        if not self.draws:
            # Models have their own sampling settings, which must not apply without sampling.
            return model.generate(**inputs, **options, do_sample=False, temperature=None, top_p=None, top_k=None)
        seed = int(digest_of_text(f"{self.seed}:{first.id}:{first.attempt}")[:15], 16)
        devices = [model.device] if model.device.type == "cuda" else []
        with torch().random.fork_rng(devices=devices):
            torch().manual_seed(seed)
            drawing = {"do_sample": True, "temperature": self.temperature, "top_p": self.top_p, "top_k": 0}
            return model.generate(**inputs, **options, **drawing)

    def groups(self, looks: Sequence[PromptedPicture], *, alike: bool) -> Iterator[list[PromptedPicture]]:
        """Batches of looks: one by one if sampling, else all, or all with the same text."""
        if self.draws:
            yield from ([look] for look in looks)
        elif alike:
            for _, group in itertools.groupby(looks, key=lambda look: look.text):
                yield list(group)
        else:
            yield list(looks)


@dataclass(frozen=True, slots=True)
class Captioner:
    """Completes a caption; a prompt is its beginning, and stays in it."""

    model: Any
    images: Any
    tokenizer: Any
    processor: Any | None
    writing: Writing

    @classmethod
    def load(cls, bench: Workbench, writing: Writing) -> Captioner:
        model = bench.model("AutoModelForImageTextToText")
        if model.config.model_type == "vision-encoder-decoder":
            # An encoder-decoder pair has two separate processors, which AutoProcessor does not find.
            images, tokenizer = bench.processor("AutoImageProcessor"), bench.processor("AutoTokenizer")
            return cls(model, images, tokenizer, None, writing)
        processor = bench.processor("AutoProcessor")
        return cls(model, processor.image_processor, processor.tokenizer, processor, writing)

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        replies: list[Answer | Failure] = []
        # Texts of different lengths would be padded, and a caption would continue after the padding.
        for group in self.writing.groups(looks, alike=True):
            inputs = self._inputs(group).to(self.model.device, self.model.dtype)
            tokens = self.writing.tokens(self.model, inputs, group[0])
            replies += [Answer(text=text.strip()) for text in _decoded(self.tokenizer, tokens)]
        return replies

    def _inputs(self, group: Sequence[PromptedPicture]) -> Any:
        images, text = [look.image for look in group], group[0].text
        if self.processor is None or (text is None and not _needs_text(self.processor)):
            inputs = self.images(images=images, return_tensors="pt")
            if text is not None:
                inputs["decoder_input_ids"] = self._beginning(text, len(group))
            return inputs
        inputs = self.processor(images=images, text=[text or ""] * len(group), return_tensors="pt")
        if self.model.config.model_type == "git":
            # Its tokenizer appends an end token, after which nothing is generated.
            inputs["input_ids"] = self._beginning(text or "", len(group), self.tokenizer.cls_token_id)
            inputs["attention_mask"] = torch().ones_like(inputs["input_ids"])
        return inputs

    def _beginning(self, text: str, pictures: int, *first: int) -> Any:
        tokens = [*first, *self.tokenizer(text, add_special_tokens=False)["input_ids"]]
        return torch().tensor([tokens] * pictures)


@dataclass(frozen=True, slots=True)
class WritingAnswerer:
    """Generates the answer to a question, like BLIP."""

    model: Any
    processor: Any
    writing: Writing

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        replies: list[Answer | Failure] = []
        for group in self.writing.groups(looks, alike=False):
            images, texts = [look.image for look in group], [look.text for look in group]
            inputs = self.processor(images=images, text=texts, padding=True, truncation=True, return_tensors="pt")
            tokens = self.writing.tokens(self.model, inputs.to(self.model.device, self.model.dtype), group[0])
            replies += [Answer(text=text.strip()) for text in _decoded(self.processor.tokenizer, tokens)]
        return replies


@dataclass(frozen=True, slots=True)
class Chat:
    """Uses the model's chat template; only its own tokens are the answer."""

    model: Any
    processor: Any
    writing: Writing

    @classmethod
    def load(cls, bench: Workbench, writing: Writing) -> Chat:
        model, processor = bench.model("AutoModelForImageTextToText"), bench.processor("AutoProcessor")
        # Its output must follow its text, not the padding.
        processor.tokenizer.padding_side = "left"
        if processor.tokenizer.pad_token is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token
        return cls(model, processor, writing)

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        replies: list[Answer | Failure] = []
        for group in self.writing.groups(looks, alike=False):
            inputs = self._inputs(group).to(self.model.device, self.model.dtype)
            tokens = self.writing.tokens(self.model, inputs, group[0])
            said = inputs["input_ids"]
            if tokens.shape[1] >= said.shape[1] and bool((tokens[:, : said.shape[1]] == said).all()):
                tokens = tokens[:, said.shape[1] :]
            replies += [Answer(text=text.strip()) for text in _decoded(self.processor.tokenizer, tokens)]
        return replies

    def _inputs(self, group: Sequence[PromptedPicture]) -> Any:
        if getattr(self.processor, "chat_template", None):
            talks = [
                [
                    {
                        "role": "user",
                        "content": [{"type": "image", "image": look.image}, {"type": "text", "text": look.text}],
                    }
                ]
                for look in group
            ]
            return self.processor.apply_chat_template(
                talks, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt", padding=True
            )
        images, texts = [[look.image] for look in group], [look.text for look in group]
        return self.processor(images=images, text=texts, padding=True, return_tensors="pt")


def _fitting(model: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs without extras that some tokenizers add and some models reject."""
    takes = inspect.signature(model.forward).parameters
    return {name: value for name, value in inputs.items() if name != "token_type_ids" or name in takes}


def _needs_text(processor: Any) -> bool:
    """Whether text is required: BLIP-2 and similar models put image placeholders into it."""
    return getattr(processor, "num_query_tokens", None) is not None


def _decoded(tokenizer: Any, tokens: Any) -> list[str]:
    texts: list[str] = tokenizer.batch_decode(tokens, skip_special_tokens=True)
    return texts
