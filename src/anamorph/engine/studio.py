"""The tools that edits find on a picture: the run's inpainters and its pools of cut-outs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config
from anamorph.edits.pools import Pool, Pools
from anamorph.errors import RunError
from anamorph.inpainters.holes import filled
from anamorph.model import Cutout, Hole, Inpainter, Pixels, encode
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class RunStudio:
    """Inpainters and cut-outs as a configuration names them; safe to use from several threads."""

    inpainters: Mapping[str, Inpainter]
    pools: Pools
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def of(cls, config: Config) -> RunStudio:
        """The studio of a run; its pools are opened, its inpainters made when first used."""
        return cls(config.inpainters(), Pools(tuple(Pool.open(Path(folder)) for folder in config.pools())))

    def inpainter(self, name: str) -> Inpainter:
        """The inpainter with its settings; UnknownName if there is none."""
        with self._lock:
            return self.inpainters[name]

    def inpaint(self, name: str, pixels: Pixels, hole: Hole) -> Pixels:
        return filled(pixels, hole, self.inpainter(name).fill)

    def cutout(self, id: str) -> Cutout:
        return self.pools.cutout(id)


def settle_inpainters(store: RunStore, studio: RunStudio) -> None:
    """Make sure that every inpainter of the plan works, and is the one that the run began with.

    An image is known by its scene and its edits, and an edit only names its inpainter. So what a name stands for is
    kept with the run, and a run does not go on with other weights or settings under the same name.
    """
    before: dict[str, Any] = store.fact("inpainters", {})
    now = {name: _identity(studio.inpainter(name)) for name in _used(store)}
    changed = sorted(name for name in now if name in before and before[name] != now[name])
    if changed:
        raise RunError(
            f"{store.folder}: the inpainter {changed[0]!r} changed since this run began, so new images would not be "
            "like its earlier ones: start a new run, or bring the earlier weights and settings back."
        )
    if now:
        with store.transaction():
            store.set_fact("inpainters", {**before, **now})


def _identity(inpainter: Inpainter) -> dict[str, Any]:
    fingerprint: Mapping[str, Any] | None = getattr(inpainter, "fingerprint", None)
    return {"kind": inpainter.kind, **(encode(inpainter) if fingerprint is None else fingerprint)}


def _used(store: RunStore) -> list[str]:
    """The inpainters that edits of the plan name."""
    query = "SELECT EXISTS (SELECT 1 FROM images WHERE instr(edits, ?))"
    return [
        name
        for name in catalog.names("inpainters")
        if store.connection.execute(query, (f'"inpainter":"{name}"',)).fetchone()[0]
    ]
