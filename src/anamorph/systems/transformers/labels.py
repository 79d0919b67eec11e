"""Models with a fixed set of labels: classifiers, detectors, and classifying answerers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anamorph.model import Answer, Failure
from anamorph.systems.transformers.tasks import PromptedPicture
from anamorph.systems.transformers.writing import Writing, WritingAnswerer
from anamorph.weights.checkpoints import Workbench
from anamorph.weights.torch_library import torch

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class LabelScorer:
    """Scores every label it knows; the best ones are the answer."""

    model: Any
    processor: Any
    sigmoid: bool
    threshold: float
    top: int

    @classmethod
    def load(
        cls, bench: Workbench, scores: Literal["auto", "softmax", "sigmoid"], threshold: float, top: int
    ) -> LabelScorer:
        model = bench.model("AutoModelForImageClassification")
        several = getattr(model.config, "problem_type", None) == "multi_label_classification"
        sigmoid = scores == "sigmoid" or (scores == "auto" and several)
        return cls(model, bench.processor("AutoImageProcessor"), sigmoid, threshold, top)

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        inputs = self.processor(images=[look.image for look in looks], return_tensors="pt")
        logits = self.model(**inputs.to(self.model.device, self.model.dtype)).logits.float()
        scores = logits.sigmoid() if self.sigmoid else logits.softmax(-1)
        return [self._labels(row) for row in scores.cpu()]

    def _labels(self, scores: Any) -> Answer:
        best = scores.topk(min(self.top, len(scores)))
        names = self.model.config.id2label
        labels: dict[str, float] = {}
        for score, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            if score >= self.threshold:
                # Two classes may share a name; the better score comes first.
                labels.setdefault(str(names[index]), round(score, _DIGITS))
        return Answer(labels=labels)


@dataclass(frozen=True, slots=True)
class ObjectFinder:
    """Finds objects; each label has the score of its best box."""

    model: Any
    processor: Any
    threshold: float

    @classmethod
    def load(cls, bench: Workbench, threshold: float) -> ObjectFinder:
        return cls(bench.model("AutoModelForObjectDetection"), bench.processor("AutoImageProcessor"), threshold)

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        inputs = self.processor(images=[look.image for look in looks], return_tensors="pt")
        outputs = self.model(**inputs.to(self.model.device, self.model.dtype))
        sizes = torch().tensor([look.image.size[::-1] for look in looks])
        found = self.processor.post_process_object_detection(outputs, threshold=self.threshold, target_sizes=sizes)
        return [self._labels(boxes) for boxes in found]

    def _labels(self, boxes: Any) -> Answer:
        labels: dict[str, float] = {}
        for score, index in zip(boxes["scores"].tolist(), boxes["labels"].tolist(), strict=True):
            name = str(self.model.config.id2label[index])
            labels[name] = max(labels.get(name, 0.0), round(score, _DIGITS))
        return Answer(labels=labels)


@dataclass(frozen=True, slots=True)
class ChoosingAnswerer:
    """Chooses the likeliest of its known answers, like ViLT."""

    model: Any
    processor: Any

    def answers(self, looks: Sequence[PromptedPicture]) -> list[Answer | Failure]:
        images, texts = [look.image for look in looks], [look.text for look in looks]
        inputs = self.processor(images=images, text=texts, padding=True, truncation=True, return_tensors="pt")
        logits = self.model(**inputs.to(self.model.device, self.model.dtype)).logits
        return [Answer(text=str(self.model.config.id2label[index])) for index in logits.argmax(-1).tolist()]


def answerer(bench: Workbench, writing: Writing) -> ChoosingAnswerer | WritingAnswerer:
    """A question answerer of either kind."""
    model, processor = bench.model("AutoModelForVisualQuestionAnswering"), bench.processor("AutoProcessor")
    return WritingAnswerer(model, processor, writing) if model.can_generate() else ChoosingAnswerer(model, processor)
