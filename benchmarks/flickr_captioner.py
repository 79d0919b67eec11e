"""The small captioner of docs/papers.md: an LSTM trained on Flickr8k, from the folder that FLICKR_CAPTIONER names.

anamorph run --system callable:benchmarks/flickr_captioner.py:caption ...
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]

_START, _END, _MASKED = 1, 2, (0, 3)
_BEAM, _STEPS = 3, 16


@functools.cache
def _weights() -> tuple[Any, Any, list[str]]:
    folder = Path(os.environ["FLICKR_CAPTIONER"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    encoder, step = (
        onnxruntime.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
        for name in ("encoder.onnx", "decoder_step.onnx")
    )
    return encoder, step, json.loads((folder / "vocab.json").read_text())["vocab"]


def caption(images: list[npt.NDArray[np.uint8]]) -> list[str]:
    """One caption for each image."""
    return [_caption(image) for image in images]


def _caption(image: npt.NDArray[np.uint8]) -> str:
    encoder, step, words = _weights()
    small = cv2.resize(image, (224, 224), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    feat, h, c = encoder.run(None, {encoder.get_inputs()[0].name: ((small - 127) / 128).transpose(2, 0, 1)[None]})
    beams: list[tuple[float, list[int], Any, Any]] = [(0.0, [_START], h, c)]
    done: list[tuple[float, list[int]]] = []
    for _ in range(_STEPS):
        grown = []
        for score, said, h, c in beams:
            token = np.array([said[-1]], dtype=np.int64)
            logits, h2, c2 = step.run(None, {"feat": feat, "h": h, "c": c, "token": token})
            chances = logits[0].astype(np.float64)
            chances[list(_MASKED)] = -np.inf
            chances -= np.log(np.exp(chances - chances.max()).sum()) + chances.max()
            grown += [(score + chances[k], [*said, int(k)], h2, c2) for k in np.argsort(-chances)[:_BEAM]]
        grown.sort(key=lambda each: -each[0])
        beams = [each for each in grown[:_BEAM] if each[1][-1] != _END]
        done += [(each[0] / (len(each[1]) - 1), each[1]) for each in grown[:_BEAM] if each[1][-1] == _END]
        if not beams or len(done) >= _BEAM:
            break
    done += [(each[0] / (len(each[1]) - 1), each[1]) for each in beams] if not done else []
    best = max(done)[1]
    return " ".join(words[token] for token in best if token not in (_START, _END))
