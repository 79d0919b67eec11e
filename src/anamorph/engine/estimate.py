"""Estimates of a plan: seconds and tokens of one real call, or tokens by the provider's rule, times its calls."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import renderer_for
from anamorph.engine.trial import try_one
from anamorph.errors import AnamorphError, SystemDown
from anamorph.model import Scene
from anamorph.model.protocols import SystemOptions
from anamorph.store.answers import probes_by_id, scene_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import first_cases

_MOST_IMAGES = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time and tokens of one call, and their source; None if unknown.

    `image_seconds` is what making one follow-up takes, and `threads` make images side by side.
    """

    origin: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    parallel: int = 1
    image_seconds: float | None = None
    threads: int = 1

    def asking_seconds(self, calls: int) -> float | None:
        """How long the system takes for so many calls."""
        return None if self.seconds is None else calls * self.seconds / self.parallel

    def making_seconds(self, images: int) -> float | None:
        """How long so many images take to make."""
        return None if self.image_seconds is None else images * self.image_seconds / self.threads


def estimate_by_asking(store: RunStore, config: Config) -> Estimate:
    """The measured cost of one call about one photo and of making a few follow-ups; nothing is kept."""
    system = config.system()
    try:
        trial = try_one(config, system)
        if trial.answer is None:
            raise SystemDown(f"The call for the estimate failed: {trial.problem}")
        usage, manner, ask = trial.answer.usage, system.manner, config.settings.ask
    finally:
        system.close()
    return Estimate(
        "one call",
        None if usage is None else usage.tokens_in,
        None if usage is None else usage.tokens_out,
        trial.seconds,
        ask.parallel or manner.parallel,
        _image_seconds(store, config),
        ask.render_threads,
    )


def estimate_by_rule(config: Config) -> Estimate | None:
    """The tokens of an image by the provider's rule, for the first photo; None if there is no rule."""
    if "system" not in config.plain:
        return None
    try:
        system = config.system()
    except AnamorphError:
        # The plan needs no system; a run says what is wrong with it.
        return None
    try:
        rule = SystemOptions.image_tokens.of(system)
        source = config.scenes()
        scene = next((found for found in source.scan() if isinstance(found, Scene)), None) if rule else None
        if rule is None or scene is None:
            return None
        height, width = source.pixels(scene).shape[:2]
        return Estimate(f"the rule of {system.kind} for images of {width} \u00d7 {height}", rule(width, height))
    finally:
        system.close()


def _image_seconds(store: RunStore, config: Config) -> float | None:
    """How long a follow-up of the plan takes to make; None if nothing is planned yet that needs one."""
    probes = [probe for case in first_cases(store) for probe in probes_by_id(store, case.probes)[1:]][:_MOST_IMAGES]
    if not probes:
        return None
    with closing(renderer_for(store, config)) as renderer:
        began = time.monotonic()
        for probe in probes:
            scene = scene_of(store, probe.scene, catalog.find)
            renderer.render(scene, [ImageOrder(probe.image, probe.edits)])
        return (time.monotonic() - began) / len(probes)
