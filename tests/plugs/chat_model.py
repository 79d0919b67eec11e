"""A chat model that sees: the toybox's networks in a chat model's words, and a server that speaks OpenAI's API."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from anamorph.photos.decoding import pixels_of
from anamorph.toybox import networks
from tests.systems.servers import Handler, Server, serving

_LOCK = threading.Lock()


def reply(image: bytes, text: str) -> str:
    """What the model says of an image; the same every time."""
    import numpy as np

    pictures = np.stack([networks.fitted(pixels_of(image, "image"))])
    with _LOCK:
        if text.startswith("Write a caption"):
            return networks.captions(pictures)[0]
        if text.startswith("Which kinds of objects"):
            tags = networks.tags(pictures)[0]
            return ", ".join(label for label, score in tags.items() if score > 0.5) or "nothing"
        stated = re.match(r"There is (no )?(.*) in the image\.", text)
        if stated:
            there = networks.answers(pictures, [f"Is there a {stated[2].removeprefix('a ')} in the image?"])[0]
            return "true" if there.lower().startswith("yes") != bool(stated[1]) else "false"
        return networks.answers(pictures, [text.partition("?")[0] + "?"])[0]


def image_in(url: str) -> bytes:
    """The image in a data URL."""
    return base64.b64decode(url.partition("base64,")[2])


@contextmanager
def chat_server() -> Iterator[Server]:
    """A local server that answers Chat Completions with the model."""

    def answer(request: Handler) -> None:
        (message,) = [each for each in json.loads(request.body)["messages"] if each["role"] == "user"]
        texts = [part["text"] for part in message["content"] if part["type"] == "text"]
        images = [part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url"]
        said = reply(image_in(images[0]), texts[0])
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
        reply_ = {"id": "x", "object": "chat.completion", "created": 1, "model": "toy", "choices": [choice]}
        request.reply({**reply_, "usage": usage})

    with serving() as server:
        server.behaviour = answer
        yield server
