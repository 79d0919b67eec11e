"""The toybox's captioner in PyTorch: the weights of its ONNX files in the modules that it was trained as.

anamorph run --method rome --scenes toybox --system callable:examples/retrain/captioner.py:Captioner

captions with the weights that the variable RETRAINED names, which retrain.py has written.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from anamorph.toybox.networks import FOLDER, fitted, words

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "train_toybox"
# How many images are captioned at a time.
BATCH = 32
# The layers of the reader look at nothing but the slots, so this part of theirs was never used nor exported.
UNUSED = {f"captioner.reader.layers.{layer}.norm2.{name}" for layer in (0, 1) for name in ("weight", "bias")}


def script(name: str) -> Any:
    """A module of the scripts that trained the toybox's networks."""
    if not SCRIPTS.is_dir():
        raise SystemExit(f"{SCRIPTS} is missing: this example needs a checkout of the repository.")
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return importlib.import_module(name)


def shipped() -> Any:
    """The captioner that ships with Anamorph, ready to be trained further: its eye, dense layers, reader and writer."""
    torch, networks = importlib.import_module("torch"), script("networks")
    eye, dense = networks.Eye(), networks.Dense()
    captioner = networks.Captioner(len(words().caption), words().longest_caption)
    model = torch.nn.ModuleDict({"glance": networks.Glance(eye, dense), "captioner": captioner})
    found, convolutions = _weights("eye")
    state = {f"glance.{name}": array for name, array in found.items()}
    # The exporter merged each normalisation into the convolution before it; a normalisation that does nothing is left.
    before, after = (
        [module for module in eye.modules() if isinstance(module, kind)]
        for kind in (torch.nn.Conv2d, torch.nn.BatchNorm2d)
    )
    with torch.no_grad():
        for convolution, norm, (kernel, shift) in zip(before, after, convolutions, strict=True):
            convolution.weight.copy_(torch.from_numpy(kernel))
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.fill_(1)
            norm.bias.copy_(torch.from_numpy(shift))
    state |= {f"captioner.reader.{name}": array for name, array in _weights("captioner-read")[0].items()}
    state |= _weights("captioner-write")[0]
    missing, unexpected = model.load_state_dict({n: torch.from_numpy(a) for n, a in state.items()}, strict=False)
    left = {name for name in missing if not name.startswith("glance.eye.")} - UNUSED
    if left or unexpected:
        raise ValueError(f"the ONNX files and the modules differ: without weights {sorted(left)}, unknown {unexpected}")
    return model.to(memory_format=torch.channels_last).eval()


class Captioner:
    """A system for Anamorph: the toybox's eye, and a head whose weights are in a file."""

    def __init__(self, weights: Path | None = None) -> None:
        chosen = weights or Path(os.environ["RETRAINED"])
        self.torch = importlib.import_module("torch")
        self.model = shipped()
        self.model["captioner"].load_state_dict(self.torch.load(chosen))
        self.fingerprint = hashlib.sha256(chosen.read_bytes()).hexdigest()[:16]

    def __call__(self, images: list[npt.NDArray[np.uint8]], questions: list[str | None]) -> list[str]:
        with self.torch.inference_mode():
            return captions(self.model, [fitted(image) for image in images])


def captions(model: Any, pictures: Sequence[npt.NDArray[np.uint8]]) -> list[str]:
    """A caption for each fitted picture, always with the likeliest next word, as the shipped captioner writes."""
    torch = importlib.import_module("torch")
    memory = model["captioner"].reader(*model["glance"](as_input(pictures)))
    begin, end = words().caption.index("<begin>"), words().caption.index("<end>")
    tokens = torch.full((len(pictures), 1), begin)
    done = torch.zeros(len(pictures), dtype=torch.bool)
    while not done.all() and tokens.shape[1] < words().longest_caption:
        likeliest = model["captioner"].write(memory, tokens)[:, -1, 2:].argmax(1) + 2
        chosen = torch.where(done, end, likeliest)
        tokens = torch.cat([tokens, chosen[:, None]], 1)
        done |= chosen == end
    texts = [" ".join(words().caption[k] for k in row if k > end).replace(" ,", ",") for row in tokens.tolist()]
    return [text[:1].upper() + text[1:] + "." if text else "" for text in texts]


def as_input(pictures: Sequence[npt.NDArray[np.uint8]]) -> Any:
    """Fitted pictures as the tensor that the eye takes."""
    torch = importlib.import_module("torch")
    pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float()
    return pixels.to(memory_format=torch.channels_last)


Array = npt.NDArray[np.float32]


def _weights(name: str) -> tuple[dict[str, Array], list[tuple[Array, Array]]]:
    """The weights in an ONNX file by their names in PyTorch, and those of merged convolutions in their order."""
    (graph,) = (value for number, value in _fields((FOLDER / f"{name}.onnx").read_bytes()) if number == 7)
    nodes = [_node(value) for number, value in _fields(graph) if number == 1]
    arrays = dict(_tensor(value) for number, value in _fields(graph) if number == 5)
    named = {key: array for key, array in arrays.items() if not key.startswith("onnx::")}
    # A linear layer is a product with a nameless, transposed matrix, and then the sum with its bias, which has a name.
    factors = {outputs[0]: inputs[1] for kind, inputs, outputs in nodes if kind == "MatMul"}
    for kind, inputs, _ in nodes:
        if kind == "Add" and inputs[0] in named and inputs[1] in factors:
            named[inputs[0].removesuffix("bias") + "weight"] = arrays[factors[inputs[1]]].T.copy()
    merged = [
        (arrays[inputs[1]], arrays[inputs[2]]) for kind, inputs, _ in nodes if kind == "Conv" and inputs[1] not in named
    ]
    return named, merged


def _node(data: bytes) -> tuple[str, list[str], list[str]]:
    fields = list(_fields(data))
    inputs, outputs, kind = ([value.decode() for number, value in fields if number == n] for n in (1, 2, 4))
    return kind[0], inputs, outputs


def _tensor(data: bytes) -> tuple[str, Array]:
    fields = list(_fields(data))
    shape = [value for number, value in fields if number == 1]
    (name,), (raw,) = ([value for number, value in fields if number == n] for n in (8, 9))
    kinds = {1: "<f4", 7: "<i8"}
    (kind,) = (value for number, value in fields if number == 2)
    return name.decode(), np.frombuffer(raw, kinds[kind]).reshape(shape).copy()


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message of protocol buffers, which ONNX files are made of, so that no more needs installing."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        field, wire = divmod(number(), 8)
        if wire == 0:
            yield field, number()
            continue
        size = {1: 8, 5: 4}[wire] if wire in (1, 5) else number()
        yield field, data[at : at + size]
        at += size
