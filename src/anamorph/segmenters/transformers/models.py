"""Models of the transformers library that find objects: with masks, with boxes, or by words."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from PIL import Image

from anamorph.detectors import Detection
from anamorph.errors import UsageError
from anamorph.model import Box, Pixels
from anamorph.reading.labels import label_space
from anamorph.weights.checkpoints import Checkpoint, Workbench, transformers
from anamorph.weights.torch_library import require

Style: TypeAlias = Literal["instance", "panoptic"]
Sort: TypeAlias = Literal["masks", "boxes", "words"]


class LoadedModel(Protocol):
    """A model in memory; finds objects with a score of at least `threshold`. `ground` are its classes of ground."""

    @property
    def ground(self) -> frozenset[str]: ...

    def find(self, pixels: Pixels, threshold: float) -> Iterator[Detection]: ...


def sort_of(checkpoint: Checkpoint) -> Sort:
    """The kind of a model, by its config.json."""
    described = json.loads(checkpoint.description())
    family = str(described.get("model_type", ""))
    architecture = next(iter(described.get("architectures") or []), "")
    auto: Any = transformers().models.auto.modeling_auto
    if family in ("grounding-dino", "mm-grounding-dino", "owlvit", "owlv2"):
        return "words"
    if architecture.endswith("ForObjectDetection"):
        return "boxes"
    if family in auto.MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING_NAMES or architecture.endswith("InstanceSegmentation"):
        return "masks"
    raise UsageError(
        f"{checkpoint.model} cannot be used as a segmenter: its config.json says "
        f"{architecture or family or 'nothing that is known'}. Mask2Former, MaskFormer, OneFormer, DETR and other "
        "detectors, GroundingDINO and OWL-ViT can."
    )


def loaded_model(bench: Workbench, style: Style, labels: Sequence[str], ground: Sequence[str]) -> LoadedModel:
    """The loaded model of a checkpoint; by default, its `ground` is derived from its classes."""
    match sort_of(bench.checkpoint):
        case "masks":
            return MaskModel.load(bench, style, ground)
        case "boxes":
            return BoxModel(bench.model("AutoModelForObjectDetection"), bench.processor("AutoImageProcessor"))
        case _:
            model, processor = bench.model("AutoModelForZeroShotObjectDetection"), bench.processor("AutoProcessor")
            grounding = "grounding-dino" in model.config.model_type
            return (ListModel if grounding else SentenceModel)(model, processor, tuple(labels))


@dataclass(frozen=True, slots=True)
class MaskModel:
    """Mask2Former, MaskFormer, OneFormer, EoMT, and DETR with a mask head."""

    model: Any
    processor: Any
    style: Style
    ground: frozenset[str]

    @classmethod
    def load(cls, bench: Workbench, style: Style, ground: Sequence[str]) -> MaskModel:
        family = json.loads(bench.checkpoint.description()).get("model_type")
        auto: Any = transformers().models.auto.modeling_auto
        universal = family in auto.MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING_NAMES
        loader = "AutoModelForUniversalSegmentation" if universal else "AutoModelForInstanceSegmentation"
        takes_task = family == "oneformer"
        if takes_task:
            # Its processor needs it to resize masks, declared or not.
            require("OneFormer", "torchvision", "torchvision")
        processor = bench.processor("AutoProcessor" if takes_task else "AutoImageProcessor")
        model = bench.model(loader)
        names = {int(id): str(name) for id, name in model.config.id2label.items()}
        known = frozenset(ground) or _ground_of(names, processor)
        return cls(model, processor, style, known & frozenset(names.values()))

    def find(self, pixels: Pixels, threshold: float) -> Iterator[Detection]:
        task = {"task_inputs": [self.style]} if self.model.config.model_type == "oneformer" else {}
        inputs = self.processor(images=Image.fromarray(pixels), **task, return_tensors="pt")
        outputs = self.model(**inputs.to(self.model.device, self.model.dtype))
        process = getattr(self.processor, f"post_process_{self.style}_segmentation")
        # On a single map, objects overwrite each other, and a doubtful one may hide a sure one.
        apart = self.style == "instance" and "return_binary_maps" in inspect.signature(process).parameters
        options: dict[str, Any] = {"return_binary_maps": True} if apart else {}
        # Merges regions of the same ground; EoMT's name for the option differs.
        for option, sort in (("label_ids_to_fuse", set), ("stuff_classes", list)):
            if option in inspect.signature(process).parameters:
                names = self.model.config.id2label.items()
                options[option] = sort(int(id) for id, name in names if str(name) in self.ground)
        (made,) = process(outputs, threshold=threshold, target_sizes=[pixels.shape[:2]], **options)
        regions = np.asarray(made["segmentation"].cpu())
        for number, segment in enumerate(made["segments_info"]):
            mask = regions[number] == 1 if apart else regions == segment["id"]
            if mask.any():
                label = str(self.model.config.id2label[segment["label_id"]])
                yield Detection(label, float(segment["score"]), _around(mask), mask)


@dataclass(frozen=True, slots=True)
class BoxModel:
    """DETR, RT-DETR, YOLOS and other detectors: boxes, no masks."""

    model: Any
    processor: Any
    ground: frozenset[str] = field(default=frozenset(), init=False)

    def find(self, pixels: Pixels, threshold: float) -> Iterator[Detection]:
        inputs = self.processor(images=Image.fromarray(pixels), return_tensors="pt")
        outputs = self.model(**inputs.to(self.model.device, self.model.dtype))
        (made,) = self.processor.post_process_object_detection(
            outputs, threshold=threshold, target_sizes=[pixels.shape[:2]]
        )
        for score, label, box in zip(made["scores"], made["labels"], made["boxes"], strict=True):
            yield Detection(str(self.model.config.id2label[int(label)]), float(score), _box(box.tolist()))


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """OWL-ViT and OWLv2, prompted by sentences: boxes, no masks."""

    model: Any
    processor: Any
    labels: tuple[str, ...]
    ground: frozenset[str] = field(default=frozenset(), init=False)

    def find(self, pixels: Pixels, threshold: float) -> Iterator[Detection]:
        sentences = [[f"a photo of a {label}" for label in self.labels]]
        inputs = self.processor(images=Image.fromarray(pixels), text=sentences, truncation=True, return_tensors="pt")
        outputs = self.model(**inputs.to(self.model.device, self.model.dtype))
        (made,) = self.processor.post_process_grounded_object_detection(
            outputs, threshold=threshold, target_sizes=[pixels.shape[:2]]
        )
        for score, label, box in zip(made["scores"], made["labels"], made["boxes"], strict=True):
            yield Detection(self.labels[int(label)], float(score), _box(box.tolist()))


@dataclass(frozen=True, slots=True)
class ListModel:
    """GroundingDINO, prompted by a list of names: boxes, no masks.

    A label's score is the mean over its words, as in GroundingDINO's own evaluation on COCO. The library's
    post-processing returns words instead, which may be half a name, or two names.
    """

    model: Any
    processor: Any
    labels: tuple[str, ...]
    ground: frozenset[str] = field(default=frozenset(), init=False)

    def find(self, pixels: Pixels, threshold: float) -> Iterator[Detection]:
        text = " ".join(f"{label.lower()}." for label in self.labels)
        inputs = self.processor(images=Image.fromarray(pixels), text=text, return_tensors="pt")
        spans = self._spans(inputs["input_ids"][0].tolist())
        outputs = self.model(**inputs.to(self.model.device, self.model.dtype))
        words = outputs.logits[0].float().sigmoid().cpu().numpy()
        scores = np.stack([words[:, list(span)].mean(axis=1) for span in spans], axis=1)
        best = scores.argmax(axis=1)
        height, width = pixels.shape[:2]
        boxes = outputs.pred_boxes[0].float().cpu().numpy() * (width, height, width, height)
        for query in np.flatnonzero(scores.max(axis=1) >= threshold):
            x, y, across, along = (float(each) for each in boxes[query])
            score = float(scores[query, best[query]])
            yield Detection(self.labels[best[query]], score, Box(x - across / 2, y - along / 2, across, along))

    def _spans(self, tokens: Sequence[int]) -> list[tuple[int, ...]]:
        """The positions of each label's words in the list; UsageError if the list is too long for the model."""
        tokenizer = self.processor.tokenizer
        stop, special = tokenizer.convert_tokens_to_ids("."), set(tokenizer.all_special_ids)
        spans: list[tuple[int, ...]] = []
        span: list[int] = []
        for place, token in enumerate(tokens):
            if token == stop:
                spans.append(tuple(span))
                span = []
            elif token not in special or token == tokenizer.unk_token_id:
                span.append(place)
        room = self.model.config.max_text_len
        if len(spans) != len(self.labels) or not all(spans) or len(tokens) > room:
            raise UsageError(
                f"The {len(self.labels)} labels have {len(tokens)} tokens, but the model takes at most {room}: "
                "set segmenter.labels to fewer, each without periods."
            )
        return spans


def _ground_of(names: Mapping[int, str], processor: Any) -> frozenset[str]:
    """The classes of ground, according to the model itself, or else to COCO."""
    # OneFormer's processor knows: it reads the list of classes of the training set.
    described = vars(processor.image_processor).get("metadata") if "image_processor" in vars(processor) else None
    if described and described.get("thing_ids"):
        return frozenset(name for id, name in names.items() if id not in set(described["thing_ids"]))
    stuff = label_space("coco-stuff").names
    # Panoptic annotations merge some of them.
    return frozenset((*stuff, *(f"{name}-merged" for name in stuff), "ceiling-merged"))


def _around(mask: Any) -> Box:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    left, top = float(columns[0]), float(rows[0])
    return Box(left, top, float(columns[-1]) + 1 - left, float(rows[-1]) + 1 - top)


def _box(corners: Sequence[float]) -> Box:
    left, top, right, bottom = (float(each) for each in corners)
    return Box(left, top, right - left, bottom - top)
