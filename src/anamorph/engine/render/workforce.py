"""Who makes the images of a run: threads of this process, processes where that pays, or workers of a Ray cluster."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.ray.cluster import connect
from anamorph.engine.ray.renderer import RayRenderer
from anamorph.engine.render.processes import ProcessRenderer
from anamorph.engine.render.recipe import RenderRecipe, only_here, recipe_of
from anamorph.engine.render.renderer import ImageRenderer, Renderer
from anamorph.engine.render.room import BoundedRenderer, Room
from anamorph.engine.studio import RunStudio
from anamorph.errors import RunError, UnknownName
from anamorph.model.protocols import EditOptions, InpainterOptions, SceneSourceOptions, SegmenterOptions
from anamorph.store.pictures import unmade_images
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore

# Fewer images are made by threads before processes have even started.
FEWEST_IMAGES = 32
# An image of MI-GAN with its checks takes about a second of a core, of which a twentieth is work in the interpreter. On
# two cores, two threads hardly waited for it, and processes were no faster.
FEWEST_CORES = 4
# A process with an inpainter and a segmenter takes about this much, and half of the memory is left to the system.
_BYTES_EACH = 1_500_000_000


@dataclass(frozen=True, slots=True)
class Workforce:
    """A renderer, how many threads may use it at once, and a line to show about the choice, if it needs one."""

    renderer: ImageRenderer
    threads: int
    advice: str | None = None


def workforce_for(store: RunStore, config: Config, renderer: Renderer) -> Workforce:
    """The renderer itself for threads, or one with processes in its place, which the caller closes instead.

    Neither has more scenes in hand at once than there is memory for.
    """
    found = _workforce(store, config, renderer)
    return replace(found, renderer=BoundedRenderer(found.renderer, Room(config.settings.ask.render_mb * 1_000_000)))


def _workforce(store: RunStore, config: Config, renderer: Renderer) -> Workforce:
    if config.settings.on_ray and renderer.maker.studio is not None:
        return _on_ray(store, config, renderer)
    ask = config.settings.ask
    threads, unmade = Workforce(renderer, ask.render_threads), unmade_images(store)
    if ask.render_processes == 0 or renderer.maker.studio is None or not unmade:
        return threads
    automatic = ask.render_processes is None
    count = ask.render_processes or _usable_cores()
    if automatic and (unmade < FEWEST_IMAGES or count < FEWEST_CORES):
        return threads
    recipe = recipe_of(store, config, renderer.maker)
    if automatic and not _pays(store, renderer, recipe):
        return threads
    missing = only_here(store, config)
    if missing is not None:
        return replace(threads, advice=_only_threads(threads, "other processes", missing))
    try:
        made = ProcessRenderer(renderer.source, renderer.folder, recipe, renderer.maker.format.suffix, count)
    except (RunError, OSError) as problem:
        if not automatic:
            renderer.close()
            raise
        return replace(threads, advice=f"Images are made by threads: {problem}")
    renderer.close()
    return Workforce(made, count)


def _on_ray(store: RunStore, config: Config, renderer: Renderer) -> Workforce:
    """Workers of the run's cluster, unless they cannot know what makes the images."""
    missing = only_here(store, config)
    if missing is not None:
        threads = Workforce(renderer, config.settings.ask.render_threads)
        return replace(threads, advice=_only_threads(threads, "Ray workers", missing))
    recipe = recipe_of(store, config, renderer.maker)
    cluster = connect(config.settings.engine)
    try:
        made = RayRenderer(cluster, renderer.source, renderer.folder, recipe, renderer.maker.format.suffix)
    except BaseException:
        cluster.close()
        renderer.close()
        raise
    renderer.close()
    return Workforce(made, made.threads(config.settings.ray), cluster.advice)


def _only_threads(workforce: Workforce, others: str, missing: str) -> str:
    return (
        f"Images are made by {workforce.threads} threads of this program, since {others} do not know {missing}, which "
        "it registered. In a file that `load` names, they would."
    )


def _pays(store: RunStore, renderer: Renderer, recipe: RenderRecipe) -> bool:
    """Whether making an image keeps a core busy for so long that starting processes is worth it.

    Not with another device than the processor, whose memory all processes would share, nor with a painter, which has
    gigabytes of weights and threads of its own.
    """
    identities = [*recipe.tools.get("inpainters", {}).values(), recipe.segmenter or {}, recipe.recogniser or {}]
    if recipe.tools.get("painters") or any("device" in each for each in identities):
        return False
    return _inpaints_slowly(store, renderer.maker.studio) or _checks_slowly(store, renderer)


def _inpaints_slowly(store: RunStore, studio: object) -> bool:
    if not isinstance(studio, RunStudio):
        return False
    for name in sorted(values_in_edits(store, "inpainter") & set(catalog.names("inpainters"))):
        if InpainterOptions.cpu_heavy.of(studio.inpainter(name)):
            return True
    return False


def _checks_slowly(store: RunStore, renderer: Renderer) -> bool:
    maker, drawn = renderer.maker, SceneSourceOptions.describes.of(renderer.source)
    if maker.insertions is not None and SegmenterOptions.cpu_heavy.of(maker.insertions.recogniser.segmenter):
        return True
    if maker.check is None or (maker.check.at_hand and drawn):
        return False
    return SegmenterOptions.cpu_heavy.of(maker.check.segmenter.segmenter) and any(
        EditOptions.made_up.of(catalog.find("edits", kind)) is not None for kind in _edit_kinds(store)
    )


def _edit_kinds(store: RunStore) -> list[str]:
    kinds = []
    for kind in sorted(values_in_edits(store, "kind")):
        try:
            catalog.find("edits", kind)
        except UnknownName:
            continue
        kinds.append(kind)
    return kinds


def _usable_cores() -> int:
    """As many processes as there are cores for this one, and memory for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return min(cores, 4)
    return max(1, min(cores, memory // 2 // _BYTES_EACH))
