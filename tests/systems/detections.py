"""A small network that finds two dogs, a person and half a bench in every picture, and items to ask it with."""

from __future__ import annotations

from pathlib import Path

from anamorph.detectors import Detection
from anamorph.model import Ask, Box, digest_of_text
from tests.detectors.tiny_networks import picture, write_network

_SEEN = [[(8, 8, 24, 24, 0.9, 16), (30, 8, 46, 24, 0.6, 16), (0, 0, 60, 60, 0.8, 0), (0, 40, 60, 60, 0.2, 13)]]


def finder(folder: Path) -> str:
    """The path of the network's file."""
    return str(write_network(folder / "finder.onnx", (1, 3, 64, 64), {"output0": _SEEN}))


def blind(folder: Path) -> str:
    """The path of a network that never finds anything."""
    return str(write_network(folder / "blind.onnx", (1, 3, 64, 64), {"output0": [[(0, 0, 0, 0, 0, 0)] * 3]}))


def classifier(folder: Path) -> str:
    """The path of a classifier that sees a dog, surely, and perhaps a cat."""
    file = write_network(folder / "c.onnx", (1, 3, 32, 32), {"out": [[0.4, 0.9, 0.1]]}, names="['cat', 'dog', 'bird']")
    return str(file)


def ask(question: str | None = None) -> Ask:
    """One item, with a picture that does not matter."""
    return Ask(digest_of_text("one"), question, None, lambda: picture(64, 64))


def found(label: str, area: float = 1.0) -> Detection:
    return Detection(label, 0.9, Box(0, 0, area, 1))
