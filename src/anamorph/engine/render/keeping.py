"""Images kept across runs, by all that they are made of: one that was made before need not be made again."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from anamorph.engine.kept import is_ours, made_by
from anamorph.engine.studio import RunStudio, identity_of_tool
from anamorph.errors import AnamorphError
from anamorph.model import Edit, Pixels, Scene, canonical_json, digest_of_bytes, digest_of_text, encode
from anamorph.store.images import ImageFormat
from anamorph.store.stock import Stock

# An image that took less than this, in seconds of a processor, is made again as fast as it is found.
WORTH_KEEPING = 0.03
# The settings of edits that name tools.
_TOOLS = ("cutout", "inpainter", "painter")
_HEAD = struct.Struct("<I")


class KeyedCheck(Protocol):
    """A check of images that says what its word depends on."""

    def concerns(self, edit: Edit) -> bool:
        """Whether it looks at pictures after this edit."""

    @property
    def key(self) -> Mapping[str, Any] | None:
        """All that its word depends on besides the pictures; None where nobody knows."""


@dataclass(frozen=True, slots=True)
class KeptImage:
    """An encoded image; one that a check discarded has the reason with it."""

    content: bytes
    problem: str | None = None
    discarded: bool = False


@dataclass(frozen=True, slots=True)
class ImageStock:
    """The images of earlier runs; safe to use from several threads and processes."""

    stock: Stock
    format: ImageFormat
    studio: RunStudio
    _tools: dict[tuple[str, str], Any] = field(default_factory=dict, repr=False, compare=False)

    def of_scene(self, scene: Scene, photo: Pixels, checks: Sequence[KeyedCheck]) -> SceneStock:
        """Those of one scene, for one thread."""
        return SceneStock(self, scene, photo, checks)

    def tool(self, kind: str, name: str) -> Any:
        """All that a tool's work depends on; AnamorphError or KeyError where it is not here or nobody knows."""
        key = kind, name
        if key not in self._tools:
            self._tools[key] = self._identity(kind, name)
        return self._tools[key]

    def _identity(self, kind: str, name: str) -> Any:
        if kind == "cutout":
            return encode(self.studio.pools.entry(name))
        tool = self.studio.inpainter(name) if kind == "inpainter" else self.studio.painter(name)
        if not is_ours(tool):
            raise KeyError(name)
        return identity_of_tool(tool)


@dataclass(slots=True, eq=False)
class SceneStock:
    """The kept images of one scene."""

    images: ImageStock
    scene: Scene
    photo: Pixels
    checks: Sequence[KeyedCheck]
    _base: dict[str, Any] | None = None

    def key_of(self, text: str, edits: Sequence[Edit]) -> ImageKey | None:
        """What an image is kept by; None for one that no tool works on, or that nobody can say all about."""
        used = frozenset(_tools_named(json.loads(text)))
        if not used or not all(map(is_ours, edits)):
            return None
        looking = [check for check in self.checks if any(check.concerns(edit) for edit in edits)]
        words = [check.key for check in looking]
        try:
            tools = [[kind, name, self.images.tool(kind, name)] for kind, name in sorted(used)]
        except (AnamorphError, OSError, LookupError):
            return None
        if None in words:
            return None
        if self._base is None:
            self._base = self._of_scene()
        parts = {**self._base, "edits": text, "tools": tools, "checks": words}
        return ImageKey(digest_of_text(canonical_json(parts)), used)

    def get(self, key: ImageKey) -> KeptImage | None:
        """The image, if it was made before."""
        found = self.images.stock.get(key.digest)
        return None if found is None else _unpacked(found)

    def put(self, key: ImageKey, image: KeptImage) -> None:
        """Keep an image."""
        head = canonical_json({"problem": image.problem, "discarded": image.discarded}).encode()
        self.images.stock.put(key.digest, _HEAD.pack(len(head)) + head + image.content)

    def _of_scene(self) -> dict[str, Any]:
        return {
            "made_by": made_by(),
            "photo": digest_of_bytes(np.ascontiguousarray(self.photo).data),
            "shape": list(self.photo.shape),
            "things": digest_of_text(canonical_json([encode(thing) for thing in self.scene.things])),
            "drawn": self.scene.is_drawn,
            "format": encode(self.images.format),
        }


@dataclass(frozen=True, slots=True)
class ImageKey:
    """The digest that an image is kept by, and the tools, by kind and name, that it covers."""

    digest: str
    tools: frozenset[tuple[str, str]]


def _unpacked(found: bytes) -> KeptImage | None:
    try:
        (size,) = _HEAD.unpack_from(found)
        head = json.loads(found[_HEAD.size : _HEAD.size + size])
        problem, discarded = head["problem"], head["discarded"]
    except (struct.error, ValueError, LookupError, TypeError):
        return None
    if not isinstance(problem, str | None) or not isinstance(discarded, bool):
        return None
    return KeptImage(found[_HEAD.size + size :], problem, discarded)


def _tools_named(plain: Any) -> Iterator[tuple[str, str]]:
    """The tools that edits name, however deep, by kind and name."""
    if isinstance(plain, list):
        for each in plain:
            yield from _tools_named(each)
    elif isinstance(plain, dict):
        for name, value in plain.items():
            if name in _TOOLS and isinstance(value, str):
                yield name, value
            else:
                yield from _tools_named(value)
