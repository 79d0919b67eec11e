"""The sample of a study, which depends on nothing but the run and the seed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from anamorph import catalog
from anamorph.config import Config
from anamorph.errors import UsageError
from anamorph.methods.atom.tables import AND
from anamorph.store.pictures import captioned_issues, kept_follow_ups, kept_photos
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import planned_combinations
from anamorph.studies.label_errors.finding import Rules, find_label_errors
from anamorph.studies.study.study import REAL, Study, StudyItem, StudyKind, StudyPicture, item_id, new_study

# Whose captions are corrected: those of issues, or reference captions that may be wrong.
CaptionsOf: TypeAlias = Literal["issues", "references"]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A picture of a scene that can be shown."""

    scene: str
    picture: StudyPicture


def draw_study(
    store: RunStore,
    config: Config,
    kind: StudyKind,
    folder: str,
    sample: int,
    seed: int,
    *,
    between: tuple[str, ...] = (),
    captions_of: CaptionsOf = "issues",
    least_seconds: int | None = None,
) -> Study:
    """A study of at most `sample` items of a run, whose folder is `folder` for whoever reads the study.

    `between` names what is compared or rated: "real" and methods; by default, untouched photos and every method.
    """
    rng = Random(f"{seed}:study:{kind}")
    if kind == "relevance":
        items = list(_relevance(store, sample, rng))
    elif kind == "caption":
        items = list(_captions(store, config, captions_of, sample, rng))
    else:
        groups = _groups(store, between)
        chosen = _pairs(groups, sample, rng) if kind == "pairwise" else _ratings(groups, sample, rng)
        originals = {each.scene: each.picture for each in _groups(store, ())[REAL]} if kind == "pairwise" else {}
        items = [_item(kind, place, each, originals) for place, each in enumerate(chosen)]
    if not items:
        raise UsageError(f"{store.folder}: has nothing to show in a study of the kind {kind}: {_WHY[kind]}.")
    return new_study(kind, folder, seed, tuple(items), least_seconds)


_WHY: dict[StudyKind, str] = {
    "naturalness": "no picture is kept",
    "pairwise": "no photo has two pictures to compare",
    "relevance": "no photo was collected for labels, and no case has a combination of labels",
    "caption": "no caption of it is suspicious",
}


def _groups(store: RunStore, between: Sequence[str]) -> dict[str, list[_Shown]]:
    """The pictures by what they are: untouched photos first, then the follow-ups of each method."""
    found: dict[str, list[_Shown]] = {REAL: []}
    for scene, image, file in kept_photos(store):
        found[REAL].append(_Shown(scene, StudyPicture(file, REAL, image)))
    for method, (scene, image, file) in kept_follow_ups(store):
        found.setdefault(method, []).append(_Shown(scene, StudyPicture(file, method, image)))
    unknown = [name for name in between if not found.get(name)]
    if unknown:
        known = ", ".join(name for name, shown in found.items() if shown)
        raise UsageError(f"{store.folder}: has no pictures of {unknown[0]!r}. Known: {known}.")
    return {name: found[name] for name in between} if between else {name: each for name, each in found.items() if each}


def _ratings(groups: dict[str, list[_Shown]], sample: int, rng: Random) -> list[tuple[_Shown, ...]]:
    """As many pictures of each group, in random order; a photo comes again only if there are no others."""
    used: dict[str, int] = {}
    chosen: list[tuple[_Shown, ...]] = []
    taken: set[str] = set()
    shuffled = {name: rng.sample(each, len(each)) for name, each in groups.items()}
    # In turn, so that every group has the same choice of photos.
    while len(chosen) < sample and any(shuffled.values()):
        for name in groups:
            if len(chosen) == sample or not shuffled[name]:
                continue
            best = min(shuffled[name], key=lambda each: used.get(each.scene, 0))
            shuffled[name].remove(best)
            used[best.scene] = used.get(best.scene, 0) + 1
            # Two methods may have made the same picture.
            if best.picture.file not in taken:
                taken.add(best.picture.file)
                chosen.append((best,))
    rng.shuffle(chosen)
    return chosen


def _pairs(groups: dict[str, list[_Shown]], sample: int, rng: Random) -> list[tuple[_Shown, ...]]:
    """Two pictures of the same photo, in random order: of the first group and of each other one in turn."""
    first, *others = groups
    by_scene: dict[str, list[_Shown]] = {}
    for each in groups[first]:
        by_scene.setdefault(each.scene, []).append(each)
    possible: list[list[tuple[_Shown, ...]]] = []
    for other in others:
        pairs: dict[str, tuple[_Shown, ...]] = {}
        for each in rng.sample(groups[other], len(groups[other])):
            if each.scene in by_scene and each.scene not in pairs:
                pairs[each.scene] = (rng.choice(by_scene[each.scene]), each)
        possible.append(list(pairs.values()))
    chosen: list[tuple[_Shown, ...]] = []
    while len(chosen) < sample and any(possible):
        for left in possible:
            if left and len(chosen) < sample:
                pair = left.pop()
                if pair[0].picture.file != pair[1].picture.file:
                    chosen.append(tuple(rng.sample(pair, 2)))
    rng.shuffle(chosen)
    return chosen


def _item(kind: StudyKind, place: int, shown: Sequence[_Shown], originals: Mapping[str, StudyPicture]) -> StudyItem:
    pictures = tuple(each.picture for each in shown)
    # Where one of the two is the untouched photo, to show it beside them would tell which.
    made = all(picture.what != REAL for picture in pictures)
    original = originals.get(shown[0].scene) if made else None
    id = item_id(kind, place, *(picture.file for picture in pictures))
    return StudyItem(id, shown[0].scene, pictures, original=original)


def _relevance(store: RunStore, sample: int, rng: Random) -> Iterator[StudyItem]:
    """Photos with the combinations of labels that they were collected or planned for."""
    sources = {scene: StudyPicture(file, REAL, image) for scene, image, file in kept_photos(store)}
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    for scene in StoredScenes(store, catalog.find):
        found.update(((scene.id, tuple(labels)), None) for labels in scene.collected_for)
    found.update(((name, tuple(text.split(AND))), None) for name, text in planned_combinations(store))
    possible = [(name, labels) for name, labels in found if name in sources]
    for place, (name, labels) in enumerate(_some(possible, sample, rng)):
        id = item_id("relevance", place, name, *labels)
        yield StudyItem(id, name, (sources[name],), labels)


def _captions(
    store: RunStore, config: Config, captions_of: CaptionsOf, sample: int, rng: Random
) -> Iterator[StudyItem]:
    possible: list[tuple[str, StudyPicture, str]]
    if captions_of == "issues":
        possible = [
            (image.scene, StudyPicture(image.file, method, image.digest), text)
            for image, text, method in captioned_issues(store)
        ]
    else:
        sources = {scene: StudyPicture(file, REAL, image) for scene, image, file in kept_photos(store)}
        suspects = find_label_errors(store, config.readers(), Rules())
        possible = [(each.scene, sources[each.scene], each.caption) for each in suspects if each.scene in sources]
    distinct = {(picture.image, text): (scene, picture, text) for scene, picture, text in possible}
    for place, (scene, picture, text) in enumerate(_some(list(distinct.values()), sample, rng)):
        yield StudyItem(item_id("caption", place, picture.file, text), scene, (picture,), caption=text)


def _some(possible: Sequence[Any], sample: int, rng: Random) -> Iterable[Any]:
    return rng.sample(possible, min(sample, len(possible)))


def folder_for(study_file: Path, run: Path) -> str:
    """How a study names the folder of a run: relative to its own, where they share more than the root."""
    here, there = study_file.resolve().parent, run.resolve()
    if here.parts[:2] != there.parts[:2] and not there.is_relative_to(here):
        return str(there)
    return Path(os.path.relpath(there, here)).as_posix()
