"""The first stages: scenes are scanned, methods plan cases over them, and both go straight to the store."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.default_method import hint_of, require_methods
from anamorph.engine.enrich.stage import enriched_scenes
from anamorph.engine.events import Advised, Event, Omitted, Planned, PlannedSome, Scanned, Skipped, StageBegan
from anamorph.engine.own_pool import build_own_pool, with_own_pool
from anamorph.engine.recogniser import recogniser_at_hand
from anamorph.engine.references import References
from anamorph.engine.segmenter import note_segmenter
from anamorph.engine.vocabulary import naming_advice, unnameable_in
from anamorph.errors import UsageError
from anamorph.model import Method, Probe, Scene, SceneSource, Skip
from anamorph.model.protocols import MethodOptions
from anamorph.store.omissions import OmissionCounts, note_omission_order, write_omissions
from anamorph.store.plans import (
    PlanWriter,
    StoredScenes,
    clear_plan,
    note_scene_questions,
    some_scene_has,
    values_in_edits,
    write_scenes,
)
from anamorph.store.run import RunStore
from anamorph.store.shards import FollowedScenes, NumberedItems, Shard, keep_own_part, note_shard
from anamorph.weights.inpainter import WITHOUT_WEIGHTS, best_inpainter

EVERY = 500
BETTER_WEIGHTS = (
    "What was behind the objects is pieced together from their surroundings. A network does it better: "
    "get its weights with `anamorph list models get migan`, and new runs use it."
)
UNCHECKED = (
    "Nothing here can check what painted pictures show, so one that lacks an object may cause a false report. "
    "Get weights that can with `anamorph list models get yolox-nano`, or name a segmenter (--segmenter KIND:...)."
)
NO_SEGMENTER = (
    'segmenting.scenes = "all" wants the objects that a segmenter finds, and the run has none: the annotated objects '
    "are used. Name one with --segmenter."
)


def plan_stage(store: RunStore, config: Config) -> Iterator[Event]:
    """Plan the run unless that was done; a plan that was interrupted is made anew."""
    if store.fact("planned"):
        return
    require_methods(config)
    source, numbered = config.scenes(), _numbered_items(store, config)
    # A plan that a power cut takes is made anew.
    with store.not_synced():
        clear_plan(store)
        questions = yield from _scan(store, config, source, numbered)
        yield StageBegan("plan")
        yield from build_own_pool(store, config, source)
        left_out = yield from _plan_cases(store, config, numbered)
    omissions = left_out.found()
    with store.transaction():
        write_omissions(store, omissions)
        note_scene_questions(store, questions)
        if numbered is not None:
            note_omission_order(store, left_out.orders())
            note_shard(store, numbered.note(best_inpainter()))
            if numbered.whole:
                keep_own_part(store, numbered.shard)
        store.set_fact("planned", True)
    for each in omissions:
        yield Omitted(each.method, each.noun, each.reason, each.count)
    yield from map(Advised, _advice(store, config, source, numbered))
    yield Planned(store.count("cases"), store.count("images"), store.count("probes"))


def _scan(
    store: RunStore, config: Config, source: SceneSource, numbered: NumberedItems | None
) -> Generator[Event, None, int]:
    """Store the scenes; returns the number of their questions."""
    limit = config.settings.limit
    yield StageBegan("scan", limit)
    found = questions = 0
    with enriched_scenes(config, source, limit, None if numbered is None else numbered.over) as (items, enrichment):
        for item in write_scenes(store, items, limit, None if numbered is None else numbered.ids_of_next):
            if isinstance(item, Scene):
                if numbered is None or numbered.is_own:
                    found += 1
                    questions += len(item.questions)
                yield Scanned(item.id)
            else:
                yield Skipped(item.what, item.reason)
        if enrichment.segmenter is not None:
            note_segmenter(store, enrichment.segmenter)
        if enrichment.segmenting is not None:
            yield enrichment.segmenting.counted()
    if not found:
        raise UsageError(
            "The scene source has no usable photo: every one was skipped."
            if numbered is None
            else f"Shard {numbered.shard} has no usable photo: the scene source has {numbered.items:,} in all parts."
        )
    return questions


def _plan_cases(
    store: RunStore, config: Config, numbered: NumberedItems | None
) -> Generator[Event, None, OmissionCounts]:
    """Store what the methods plan over the scenes; returns what they left out."""
    writer, left_out, cases = PlanWriter(store), OmissionCounts(), 0
    references = References.wanted_by(config.methods, config.readers())
    scenes = FollowedScenes(StoredScenes(store, catalog.find), None if references is None else references.over)
    # Of all shards' cases and skips where they are all planned, so that merged ones have the order of a single run.
    whole, place = (numbered if numbered is not None and numbered.whole else None), 0
    for method in config.methods:
        for planned in with_own_pool(store, method).plan(scenes, config.rng(method)):
            place += 1
            if isinstance(planned, Skip):
                if whole is None or whole.has(scenes.number):
                    left_out.add(method.kind, planned, (scenes.number if whole is None else 0, place))
            elif isinstance(planned, Probe):
                # Of a method that plans in rounds, which has no shards.
                writer.add_probe(planned)
            elif whole is None or whole.has(writer.scene_id(planned.source.scene)):
                writer.add(planned, None if whole is None else place)
                cases += 1
                if cases % EVERY == 0:
                    yield PlannedSome(cases)
    writer.flush()
    return left_out


def _advice(store: RunStore, config: Config, source: SceneSource, numbered: NumberedItems | None) -> Iterator[str]:
    """What could be better about the plan."""
    if numbered is not None and numbered.whole:
        yield f"Every shard scans and plans all scenes, and keeps its part: {why_whole(config)}."
    silent = unnameable_in(store, config)
    if silent:
        yield naming_advice(silent, config.settings.labels)
    if config.settings.segmenting.scenes == "all" and "segmenter" not in config.plain:
        yield NO_SEGMENTER
    if _could_be_better(store, config):
        yield BETTER_WEIGHTS
    if _paints_unchecked(store, config, source):
        yield UNCHECKED


def why_whole(config: Config) -> str:
    """Why a shard must scan and plan all scenes to plan its part like a single run; empty where it need not."""
    for method in config.methods:
        if MethodOptions.wants_pool.of(method):
            return f"{method.kind} inserts objects of all scenes; a pool (`anamorph list pool build`) avoids that"
        if not MethodOptions.by_scene.of(method):
            return f"what {method.kind} plans with a scene depends on the others"
    if config.settings.limit is not None and "segmenter" in config.plain:
        return "a limit counts the scenes that are left after segmenting"
    return ""


def _numbered_items(store: RunStore, config: Config) -> NumberedItems | None:
    """The counter of a shard's scenes; None for a run over all scenes."""
    if config.settings.shard is None:
        return None
    shard = Shard.parse(config.settings.shard)
    return NumberedItems(store, shard, bool(why_whole(config)), config.settings.limit)


def hint_for(store: RunStore, method: Method) -> str:
    """A hint: annotations that the method needs and no scene has, and where to get them; empty if a scene has them."""
    needs = MethodOptions.needs.of(method)
    if not needs or any(some_scene_has(store, need) for need in needs):
        return ""
    return hint_of(needs)


def _could_be_better(store: RunStore, config: Config) -> bool:
    """Whether the plan uses its inpainter only for lack of weights."""
    chosen = {MethodOptions.inpainter.of(method) for method in config.methods}
    return WITHOUT_WEIGHTS not in chosen and WITHOUT_WEIGHTS in values_in_edits(store, "inpainter")


def _paints_unchecked(store: RunStore, config: Config, source: SceneSource) -> bool:
    """Whether pictures will be painted and nothing here can look at them, although that was not switched off."""
    if not config.settings.recognition.enabled or not values_in_edits(store, "painter"):
        return False
    return recogniser_at_hand(config, source) is None
