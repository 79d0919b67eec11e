"""Suspicious reference captions of a run: MetaIC's equations 10 and 11, and ROME's label errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

from anamorph import catalog
from anamorph.config.readers import RunReaders
from anamorph.engine.judge import Judge
from anamorph.model import Answer, CaptionReading, Grade, LabelSpace, Reading, Scene, setting
from anamorph.reading.tokens import tokenize
from anamorph.reading.unreadable import refuses
from anamorph.store.marks import CorrectedCaption
from anamorph.store.pictures import photo_digests
from anamorph.store.plans import StoredScenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import grades_of
from anamorph.studies.label_errors.captioned import captioned_pages
from anamorph.studies.label_errors.misspellings import near_miss
from anamorph.studies.label_errors.references import check_references

Level: TypeAlias = Literal["supercategory", "class"]
Kind: TypeAlias = Literal["no-image", "unreadable", "typo", "misclassification", "omission"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class CaptionPair:
    """The system's captions of a photo and of its follow-up, and the grade if the pair is an issue."""

    case: str
    source: str
    follow_up: str
    grade: Grade | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A class, or super-category, that the system names in `pairs` pairs and a reference caption does not name.

    `classes` are the classes that the system named; `annotated` says whether the photo's annotations have one of
    them, None if it has no annotations.
    """

    name: str
    classes: tuple[str, ...]
    pairs: int
    annotated: bool | None
    examples: tuple[CaptionPair, ...]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A reference caption that may be wrong; `instead` is the misspelt word or the classes named instead.

    `corrected` is a reviewer's caption in its place, or else for the photo; empty if there is none.
    """

    scene: str
    picture: str
    reference: int
    caption: str
    kind: Kind
    instead: tuple[str, ...]
    missing: tuple[Missing, ...]
    pairs_of_photo: int
    no_reference_names_it: bool
    corrected: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules: the level of names, whether each caption stands alone, and how sure the system must be."""

    level: Level = "supercategory"
    each_caption: bool = False
    annotated_only: bool = False
    least_pairs: int = setting(1, "Only what is named in at least this many pairs of pictures.", least=1)


@dataclass(slots=True)
class _Photo:
    """The findings that all pairs of one photo agree on."""

    pairs: int = 0
    invariant: Counter[str] = field(default_factory=Counter)
    classes: dict[str, dict[str, None]] = field(default_factory=dict)
    examples: dict[str, list[CaptionPair]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    def add(
        self, pair: CaptionPair, source: CaptionReading, follow_up: CaptionReading, general: Callable[[str], str]
    ) -> None:
        self.pairs += 1
        self.said.update((*source.labels, *follow_up.labels))
        for name in check_references(source, follow_up, (), general).invariant:
            self.invariant[name] += 1
            self.classes.setdefault(name, {}).update(dict.fromkeys(c for c in source.labels if general(c) == name))
            examples = self.examples.setdefault(name, [])
            examples += [pair] * (len(examples) < _EXAMPLES)


def find_label_errors(store: RunStore, readers: RunReaders, rules: Rules) -> Iterator[Suspect]:
    """Every reference caption that lacks what the system names in both pictures of a pair, in the order of photos."""
    judge = Judge(readers, 1)
    general = _general(readers.space, rules.level)
    photos: dict[str, _Photo] = {}
    for page in captioned_pages(store):
        grades = grades_of(store, [case.id for case, _ in page.cases])
        for case, name in page.cases:
            source, *follow_ups = (_caption(judge, page.answers.get(probe)) for probe in case.probes)
            if source is None:
                continue
            photo = photos.setdefault(name, _Photo())
            for follow_up in follow_ups:
                if follow_up is not None:
                    pair = CaptionPair(case.digest, source.text, follow_up.text, grades.get(case.id))
                    photo.add(pair, source, follow_up, general)
    if not photos:
        return
    for scene in StoredScenes(store, catalog.find):
        if scene.id in photos and scene.captions:
            yield from _suspects(scene, photos[scene.id], readers, general, rules)


def with_corrections(
    store: RunStore, suspects: Iterable[Suspect], captions: Iterable[CorrectedCaption]
) -> Iterator[Suspect]:
    """Suspects with what people wrote instead, the latest of several."""
    scenes = photo_digests(store)
    written: dict[tuple[str, str], str] = {}
    of_photo: dict[str, str] = {}
    for each in captions:
        if each.image in scenes:
            written[scenes[each.image], each.instead_of] = each.caption
            of_photo[scenes[each.image]] = each.caption
    for suspect in suspects:
        found = written.get((suspect.scene, suspect.caption), of_photo.get(suspect.scene, ""))
        yield replace(suspect, corrected=found)


def _general(space: LabelSpace, level: Level) -> Callable[[str], str]:
    if level == "class":
        return str
    above = {label.name: label.supercategory or label.name for label in space.labels}
    return lambda name: above.get(name, name)


def _caption(judge: Judge, answer: Answer | None) -> CaptionReading | None:
    reading = None if answer is None else judge.reading("caption", answer, None)
    return reading if isinstance(reading, CaptionReading) else None


def _suspects(
    scene: Scene, photo: _Photo, readers: RunReaders, general: Callable[[str], str], rules: Rules
) -> Iterator[Suspect]:
    annotated = {general(thing.label) for thing in scene.things}
    sure = {
        name: Missing(
            name,
            tuple(photo.classes[name]),
            pairs,
            name in annotated if scene.things else None,
            tuple(photo.examples[name]),
        )
        for name, pairs in photo.invariant.items()
        if pairs >= rules.least_pairs and (not rules.annotated_only or name in annotated)
    }
    references = [readers.read("caption", Answer(caption)) for caption in scene.captions]
    named = [{general(c) for c in r.labels} if isinstance(r, CaptionReading) else set() for r in references]
    by_none = {name for name in sure if all(name not in each for each in named)}
    for index, (caption, reading) in enumerate(zip(scene.captions, references, strict=True)):
        wanted = sure if rules.each_caption else by_none
        missing = tuple(sure[name] for name in sure if name in wanted and name not in named[index])
        if not missing:
            continue
        kind, instead = _kind(scene, photo, caption, reading, missing, readers.space)
        alone = any(one.name in by_none for one in missing)
        yield Suspect(scene.id, scene.picture, index, caption, kind, instead, missing, photo.pairs, alone)


def _kind(
    scene: Scene, photo: _Photo, caption: str, reading: Reading, missing: Sequence[Missing], space: LabelSpace
) -> tuple[Kind, tuple[str, ...]]:
    if not isinstance(reading, CaptionReading):
        return "no-image" if refuses(caption, tokenize(caption)) else "unreadable", ()
    slips = [near_miss(caption, space.label(name)) for one in missing for name in one.classes if name in space]
    misspelt = tuple(dict.fromkeys(caption[slip[0] : slip[1]] for slip in slips if slip is not None))
    if misspelt:
        return "typo", misspelt
    present = {thing.label for thing in scene.things} | photo.said
    others = tuple(label for label in reading.labels if label not in present)
    return ("misclassification", others) if others else ("omission", ())
