"""The tools that edits use: the run's inpainters and painters, and its pools of cut-outs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config
from anamorph.errors import RunError
from anamorph.model import Avoid, Cutout, Hole, Inpainter, Painter, Pixels, Region, encode
from anamorph.model.protocols import InpainterOptions
from anamorph.pixels.holes import filled
from anamorph.pools.folder import LIST_FILE, JoinedPools, Pool
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class RunStudio:
    """Inpainters, painters and cut-outs as a configuration names them; safe to use from several threads."""

    inpainters: Mapping[str, Inpainter]
    pools: JoinedPools
    painters: Mapping[str, Painter] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def of(cls, config: Config, store: RunStore | None = None) -> RunStudio:
        """The studio of a run; its pools are opened, its inpainters and painters made when first used.

        A run that is planned may have a pool of its own in its store.
        """
        return cls(config.inpainters(), pools_of(config, store), config.painters())

    def inpainter(self, name: str) -> Inpainter:
        """The inpainter with its settings; UnknownName if there is none."""
        with self._lock:
            return self.inpainters[name]

    def painter(self, name: str) -> Painter:
        """The painter with its settings; UnknownName if there is none."""
        with self._lock:
            return self.painters[name]

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels:
        inpainter = self.inpainter(name)
        fill_from = None if avoid is None else InpainterOptions.fill_from.of(inpainter)
        if avoid is None or fill_from is None:
            return filled(pixels, hole, inpainter.fill)
        around = avoid()
        return filled(pixels, hole, lambda pixels, hole: fill_from(pixels, hole, around))

    def cutout(self, id: str) -> Cutout:
        return self.pools.cutout(id)

    def paint(self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        return self.painter(name).paint(regions, height, width, prompt, seed)


def settle_tools(store: RunStore, studio: RunStudio) -> None:
    """Make sure that every inpainter and painter of the plan works, and is the one that the run began with.

    An image is known by its scene and its edits, and an edit only names its tool. So what a name stands for is kept
    with the run, and a run does not go on with other weights or settings under the same name.
    """
    for group, find in tools_of(studio).items():
        before: dict[str, Any] = store.fact(group, {})
        now = {name: identity_of_tool(find(name)) for name in _used(store, group)}
        changed = sorted(name for name in now if name in before and before[name] != now[name])
        if changed:
            raise RunError(
                f"{store.folder}: the {catalog.singular(group)} {changed[0]!r} changed since this run began, so new "
                "images would differ from its earlier ones: start a new run, or restore the earlier weights and "
                "settings."
            )
        if now:
            with store.transaction():
                store.set_fact(group, {**before, **now})


def tools_of(studio: RunStudio) -> dict[str, Callable[[str], Inpainter | Painter]]:
    """By group, how the tools that edits name are found."""
    return {"inpainters": studio.inpainter, "painters": studio.painter}


def identity_of_tool(tool: Inpainter | Painter) -> dict[str, Any]:
    """The identity of an inpainter or painter: everything that could change its pixels."""
    fingerprint = InpainterOptions.fingerprint.of(tool)
    return {"kind": tool.kind, **(encode(tool) if fingerprint is None else fingerprint)}


def _used(store: RunStore, group: str) -> list[str]:
    """The inpainters or painters that edits of the plan name; one that is not in the catalogue fails its images."""
    return sorted(values_in_edits(store, catalog.singular(group)) & set(catalog.names(group)))


def pools_of(config: Config, store: RunStore | None = None) -> JoinedPools:
    """The pools that a configuration names, and the one that a planned run has in its store, if any."""
    folders = [Path(folder) for folder in config.pools()]
    if store is not None and (store.cutouts / LIST_FILE).exists():
        folders.append(store.cutouts)
    return JoinedPools(tuple(Pool.open(folder) for folder in folders))
