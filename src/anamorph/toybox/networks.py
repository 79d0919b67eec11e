"""The trained networks of the toybox, run by onnxruntime."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.errors import MissingExtra
from anamorph.model import Pixels, decode

# Images of one size: batch x height x width x 3, uint8.
Pictures: TypeAlias = npt.NDArray[np.uint8]
_Floats: TypeAlias = npt.NDArray[np.float32]

FOLDER = Path(__file__).parent / "models"
WIDTH, HEIGHT = 160, 120
_PADDING = 114
# The networks see toybox scenes at half size; a crop must not appear enlarged.
_LARGEST_SCALE = 0.5
_SAID_AS = {"a": "any", "an": "any"}
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Words:
    """The vocabulary of the networks; the position of a word is its number."""

    labels: tuple[str, ...]
    caption: tuple[str, ...]
    question: tuple[str, ...]
    answers: tuple[str, ...]
    longest_caption: int
    longest_question: int


@functools.cache
def words() -> Words:
    """The vocabularies from training."""
    plain = json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))
    return decode(Words, plain)


@functools.cache
def weights_digest() -> str:
    """A digest of all networks, so that answers of other weights are never confused."""
    digest = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.onnx")):
        digest.update(path.read_bytes())
    digest.update((FOLDER / "words.json").read_bytes())
    return digest.hexdigest()[:16]


def fitted(pixels: Pixels) -> Pixels:
    """An image scaled to the networks' input, padded with gray."""
    height, width = pixels.shape[:2]
    scale = min(WIDTH / width, HEIGHT / height, _LARGEST_SCALE)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    if size == (WIDTH, HEIGHT):
        return small
    canvas: Pixels = np.full((HEIGHT, WIDTH, 3), _PADDING, np.uint8)
    left, top = (WIDTH - size[0]) // 2, (HEIGHT - size[1]) // 2
    canvas[top : top + size[1], left : left + size[0]] = small
    return canvas


def captions(pictures: Pictures) -> list[str]:
    """A caption for each image, by greedy decoding."""
    slots, summary = _glance(pictures)
    (memory,) = _run("captioner-read", slots=slots, summary=summary)
    begin, end = words().caption.index("<begin>"), words().caption.index("<end>")
    tokens = np.full((len(pictures), 1), begin, np.int64)
    done = np.zeros(len(pictures), bool)
    while not done.all() and tokens.shape[1] < words().longest_caption:
        (logits,) = _run("captioner-write", memory=memory, tokens=tokens)
        # Never the padding or start token.
        chosen = np.where(done, end, logits[:, 2:].argmax(axis=1) + 2)
        tokens = np.concatenate([tokens, chosen[:, None]], axis=1)
        done |= chosen == end
    return [_sentence([words().caption[k] for k in row if k > end]) for row in tokens]


def answers(pictures: Pictures, questions: Sequence[str]) -> list[str]:
    """A number, yes or no for each image and question."""
    slots, _ = _glance(pictures)
    (logits,) = _run("answerer", slots=slots, question=np.stack([_numbers(question) for question in questions]))
    return [words().answers[k] for k in logits.argmax(axis=1)]


def tags(pictures: Pictures) -> list[dict[str, float]]:
    """A score between 0 and 1 for each class and image."""
    _, summary = _glance(pictures)
    (logits,) = _run("tagger", summary=summary)
    scores = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return [{label: round(float(score), 4) for label, score in zip(words().labels, row, strict=True)} for row in scores]


def _glance(pictures: Pictures) -> tuple[_Floats, _Floats]:
    pixels = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32)
    slots, summary = _run("eye", pixels=pixels)
    return slots, summary


def _numbers(question: str) -> npt.NDArray[np.int64]:
    index = _question_index()
    # Trained on questions of one clause, without articles.
    said = [_SAID_AS.get(word, word) for word in _WORD.findall(question.lower().partition(",")[0])]
    known = [index.get(word, index["unk"]) for word in said if word != "whole"][: words().longest_question]
    # Left-padded, so that the last word is the last step of the recurrent network.
    return np.array([0] * (words().longest_question - len(known)) + known, np.int64)


@functools.cache
def _question_index() -> dict[str, int]:
    return {word: number for number, word in enumerate(words().question)}


def _sentence(said: Sequence[str]) -> str:
    text = " ".join(said).replace(" ,", ",")
    return text[:1].upper() + text[1:] + "." if text else ""


def _run(name: str, **inputs: npt.NDArray[Any]) -> list[_Floats]:
    outputs: list[_Floats] = _session(name).run(None, inputs)
    return outputs


@functools.cache
def _session(name: str) -> Any:
    try:
        onnxruntime: Any = importlib.import_module("onnxruntime")
    except ImportError as problem:
        raise MissingExtra("toybox:captioner, toybox:answerer and toybox:tagger", "onnx") from problem
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(FOLDER / f"{name}.onnx", options, providers=["CPUExecutionProvider"])
