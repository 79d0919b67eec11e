"""BLEU, ROUGE-L and CIDEr of captions, as COCO's caption evaluation defines them.

BLEU is computed by sacrebleu. No maintained package under a permissive licence has COCO's ROUGE-L and CIDEr without
PyTorch, so these two are here; their values are those of COCO's own code.
"""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, TypeAlias

from anamorph.errors import MissingExtra

Words: TypeAlias = tuple[str, ...]

ORDERS = (1, 2, 3, 4)
# Lin's weight of recall, as COCO sets it.
_BETA = 1.2
# CIDEr-D's penalty of captions whose length differs from a reference's.
_SIGMA = 6.0


@dataclass(frozen=True, slots=True)
class CaptionedPhoto:
    """A photo, the words of a caption of it or of its follow-up, and those of the photo's reference captions."""

    photo: str
    caption: Words
    references: tuple[Words, ...]


def bleu(items: Sequence[CaptionedPhoto]) -> tuple[float, ...]:
    """BLEU-1 to BLEU-4 of the whole corpus, against the reference of the closest length, without smoothing."""
    try:
        library: Any = importlib.import_module("sacrebleu.metrics.bleu")
    except ImportError as problem:
        raise MissingExtra("BLEU", "metrics") from problem
    most = max(len(item.references) for item in items)
    streams = [
        [" ".join(item.references[place]) if place < len(item.references) else None for item in items]
        for place in range(most)
    ]
    scorer = library.BLEU(tokenize="none", smooth_method="none", force=True)
    found = scorer.corpus_score([" ".join(item.caption) for item in items], streams)
    precisions = [count / total if total else 0.0 for count, total in zip(found.counts, found.totals, strict=True)]
    return tuple(
        found.bp * math.prod(precisions[:order]) ** (1 / order) if all(precisions[:order]) else 0.0 for order in ORDERS
    )


def rouge_l(caption: Words, references: Iterable[Words]) -> float:
    """The F-measure of the longest common subsequence: the best precision and the best recall over references."""
    if not caption:
        return 0.0
    common = [(_longest_common(caption, reference), len(reference)) for reference in references]
    precision = max(length for length, _ in common) / len(caption)
    recall = max(length / total for length, total in common)
    if not precision:
        return 0.0
    return (1 + _BETA**2) * precision * recall / (recall + _BETA**2 * precision)


def _longest_common(one: Words, other: Words) -> int:
    above = [0] * (len(other) + 1)
    for word in one:
        row = [0]
        for place, against in enumerate(other):
            row.append(above[place] + 1 if word == against else max(above[place + 1], row[place]))
        above = row
    return above[-1]


@dataclass(frozen=True, slots=True)
class _Vector:
    """A text's n-grams of one length, weighted by how rare they are, and the length of the vector."""

    weights: Mapping[Words, float]
    norm: float


@dataclass(frozen=True, slots=True)
class Cider:
    """CIDEr-D (Vedantam et al. 2015): from 0 to 10; n-grams that few photos' references have weigh more."""

    photos: int
    frequencies: Mapping[Words, int]
    _texts: dict[Words, tuple[_Vector, ...]] = field(default_factory=dict)

    @classmethod
    def over(cls, references: Mapping[str, Sequence[Words]]) -> Cider:
        """Weights from the references of each photo."""
        frequencies: Counter[Words] = Counter()
        for texts in references.values():
            frequencies.update({gram for text in texts for order in ORDERS for gram in _grams(text, order)})
        return cls(len(references), frequencies)

    def score(self, caption: Words, references: Sequence[Words]) -> float:
        own = self._vectors(caption)
        return 10 * fmean(
            _similarity(one, other) * math.exp(-((_length(caption) - _length(text)) ** 2) / (2 * _SIGMA**2))
            for text in references
            for one, other in zip(own, self._vectors(text), strict=True)
        )

    def _vectors(self, text: Words) -> tuple[_Vector, ...]:
        if text not in self._texts:
            self._texts[text] = tuple(self._vector(Counter(_grams(text, order))) for order in ORDERS)
        return self._texts[text]

    def _vector(self, counts: Mapping[Words, int]) -> _Vector:
        weights = {
            gram: count * (math.log(self.photos) - math.log(max(1, self.frequencies.get(gram, 0))))
            for gram, count in counts.items()
        }
        return _Vector(weights, math.sqrt(sum(weight**2 for weight in weights.values())))


def _grams(text: Words, order: int) -> list[Words]:
    return [text[start : start + order] for start in range(len(text) - order + 1)]


def _length(text: Words) -> int:
    # COCO's code counts pairs of words here.
    return max(0, len(text) - 1)


def _similarity(caption: _Vector, reference: _Vector) -> float:
    if not caption.norm or not reference.norm:
        return 0.0
    common = (min(weight, reference.weights.get(gram, 0.0)) * reference.weights.get(gram, 0.0)
              for gram, weight in caption.weights.items())  # fmt: skip
    return sum(common) / (caption.norm * reference.norm)
