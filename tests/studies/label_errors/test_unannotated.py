"""Objects that a run's answers name and nobody annotated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from anamorph.config import resolve
from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.engine.run import start
from anamorph.model import Answer, Box, Case, Edit, Mask, Probe, Relation, Scene, Stuff, Thing
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.same_objects import SameObjects
from anamorph.store.answers import AttemptResult, record_results
from anamorph.store.plans import PlanWriter, write_scenes
from anamorph.store.run import RunStore
from anamorph.studies.label_errors.unannotated import Unannotated, find_unannotated

BOX = Box(1, 1, 4, 4)
CAT = Thing("1", "cat", BOX)
PHOTO = Scene("a", "a.jpg", 40, 30, (CAT,), ("A cat beside a laptop.", "A cat."))
Said: TypeAlias = Mapping[tuple[Edit, ...], str | Answer]
WORDS = "How many laptops are in the image?"


class World:
    """A run whose plan and answers are written by hand."""

    def __init__(self, folder: Path) -> None:
        plain: dict[str, Any] = {
            "methods": ["deeptest"],
            "scenes": {"kind": "toybox", "count": 1},
            "system": {"kind": "toybox", "model": "captioner"},
        }
        self.config = resolve(plain)
        self.store: RunStore = start(self.config, folder)
        self.plan = PlanWriter(self.store)

    def tell(self, scene: Scene, said: Said, relation: Relation | None = None) -> Sequence[Unannotated]:
        """What is found about one photo with these descriptions, of the untouched photo first."""
        self.add(scene)
        first, *others = (Probe(scene.id, edits) for edits in said)
        relation = relation or SameObjects()
        self.plan.add(Case("deeptest", first, tuple(others or [first]), relation))
        self.plan.flush()
        for edits, text in said.items():
            self.answer(Probe(scene.id, edits), text if isinstance(text, Answer) else Answer(text))
        return self.found()

    def add(self, scene: Scene) -> None:
        list(write_scenes(self.store, [scene], None))

    def ask(self, scene: Scene, question: str, *said: str, edits: tuple[Edit, ...] = (), witness: bool = False) -> None:
        probe = Probe(scene.id, edits, question)
        self.plan.add(Case("metavqa", probe, (probe,), SameObjects()))
        self.plan.flush()
        self.store.connection.execute("UPDATE probes SET witness = ? WHERE question = ?", (witness, question))
        for attempt, text in enumerate(said):
            self.answer(probe, Answer(text), attempt)

    def answer(self, probe: Probe, answer: Answer, attempt: int = 0) -> None:
        row = self.store.connection.execute("SELECT id FROM probes WHERE hex(digest) = upper(?)", (probe.digest,))
        with self.store.transaction():
            record_results(self.store, [AttemptResult(row.fetchone()[0], attempt, answer, "", 0.1, 1)])

    def found(self) -> list[Unannotated]:
        return find_unannotated(self.store, self.config)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        world = World(tmp_path / "run")
        stack.enter_context(world.store)
        yield world


def inserted(name: str) -> tuple[Edit, ...]:
    return (Insert(name, BOX),)


def test_what_descriptions_name_and_nobody_annotated_is_listed_with_its_evidence(world: World) -> None:
    (one,) = world.tell(PHOTO, {(): "A cat near a laptop.", (Blur(1),): "A cat at a laptop."})
    assert (one.scene, one.picture, one.label, one.named, one.described) == ("a", "a.jpg", "laptop", 2, 2)
    assert one.description == "A cat near a laptop."
    assert [(each.reference, each.caption) for each in one.references] == [(0, "A cat beside a laptop.")]
    assert one.of_references == 2 and not one.asked and not one.elsewhere and not one.denied


def test_a_class_that_fewer_than_half_of_the_descriptions_name_is_not_listed(world: World) -> None:
    said: Said = {(): "A cat and a laptop.", (Blur(1),): "A cat and a bed.", (Blur(2),): "A cat and a bed."}
    assert [(one.label, one.named, one.described) for one in world.tell(PHOTO, said)] == [("bed", 2, 3)]


def test_half_of_the_descriptions_are_enough(world: World) -> None:
    (one,) = world.tell(PHOTO, {(): "A cat.", (Blur(1),): "A cat and a laptop."})
    assert (one.label, one.named, one.described, one.description) == ("laptop", 1, 2, "A cat and a laptop.")


@pytest.mark.parametrize(
    "annotated",
    [
        replace(PHOTO, things=(CAT, Thing("2", "laptop", BOX, crowd=True))),
        replace(PHOTO, labels=("cat", "laptop")),
        replace(PHOTO, stuff=(Stuff("laptop", Mask(30, 40, "")),)),
        replace(PHOTO, things=(CAT, Thing("2", "notebook computer", BOX))),
        replace(PHOTO, complete="coco"),
        replace(PHOTO, things=()),
        replace(PHOTO, things=(replace(CAT, score=0.9),)),
    ],
    ids=["crowd", "label", "ground", "other word", "exhaustive", "no objects", "only a segmenter's"],
)
def test_nothing_is_lacking_where_it_is_annotated_or_annotations_promise_nothing_or_all(
    world: World, annotated: Scene
) -> None:
    assert not world.tell(annotated, {(): "A cat near a laptop."})


def test_a_word_that_may_mean_a_class_does_not_name_it(world: World) -> None:
    assert not world.tell(PHOTO, {(): "A cat beside a mug."})
    (one,) = world.tell(replace(PHOTO, id="b"), {(): "A cat beside a cup."})
    assert one.label == "cup"


def test_a_word_that_may_mean_what_is_annotated_names_nothing_else(world: World) -> None:
    said: Said = {(): "A man on a bike."}
    ridden = replace(PHOTO, things=(Thing("1", "person", BOX), Thing("2", "motorcycle", BOX)))
    assert not world.tell(ridden, said)
    (one,) = world.tell(replace(PHOTO, id="b", things=(Thing("1", "person", BOX),)), said)
    assert one.label == "bicycle"


def test_a_class_that_was_put_into_an_image_is_not_counted_there(world: World) -> None:
    said: Said = {(): "A cat and a laptop.", inserted("x"): "A cat, a dog and a laptop."}
    (one,) = world.tell(PHOTO, said, OnlyGains("dog"))
    assert (one.label, one.named, one.described) == ("laptop", 2, 2)


def test_only_images_without_an_inserted_one_say_whether_the_class_is_there(world: World) -> None:
    said: Said = {(): "A cat.", inserted("x"): "A cat and a laptop."}
    assert not world.tell(PHOTO, said, OnlyGains("laptop"))
    both: Said = {(): "A cat and a laptop.", inserted("x"): "A cat and two laptops."}
    (one,) = world.tell(replace(PHOTO, id="b"), both, OnlyGains("laptop"))
    assert (one.named, one.described) == (1, 1)


def test_an_image_with_an_object_of_unknown_class_and_a_part_of_the_photo_do_not_count(world: World) -> None:
    said: Said = {(): "A cat.", inserted("x"): "A cat and a laptop.", (Crop(BOX),): "A laptop."}
    assert not world.tell(PHOTO, said)


def test_labels_of_a_tagger_name_classes_of_the_label_space(world: World) -> None:
    (one,) = world.tell(PHOTO, {(): Answer(labels={"cat": 0.9, "laptop": 0.9, "happiness": 0.9})})
    assert (one.label, one.description) == ("laptop", "cat, happiness, laptop")


def test_what_the_system_says_when_it_is_asked_stands_beside_it(world: World) -> None:
    world.add(PHOTO)
    world.ask(PHOTO, WORDS, "2", "0")
    world.ask(PHOTO, "Is there a laptop in the image? Answer yes or no.", "Yes.")
    world.ask(PHOTO, "Are there any laptops?", "no", witness=True)
    world.ask(PHOTO, "How many laptops and cats are there?", "3")
    world.ask(PHOTO, "How many red laptops are there?", "0")
    world.ask(PHOTO, "How many dogs are there?", "0")
    world.ask(PHOTO, "Is there any laptop?", "It looks like it might be.")
    world.ask(PHOTO, "How many laptops are there?", "0", edits=(Blur(3),))
    (one,) = world.tell(PHOTO, {(): "A cat near a laptop."})
    assert [(each.question, each.said, each.there, each.witness) for each in one.asked] == [
        (WORDS, ("2", "0"), None, False),
        ("Is there a laptop in the image? Answer yes or no.", ("Yes.",), True, False),
        ("Are there any laptops?", ("no",), False, True),
    ]
    assert one.denied


def test_the_surest_come_first_and_what_is_denied_comes_last(world: World) -> None:
    blurred = (Blur(1),)
    photos = {name: replace(PHOTO, id=name, captions=()) for name in "abcd"}
    photos["c"] = replace(photos["c"], captions=("A laptop.",))
    world.add(photos["d"])
    world.ask(photos["d"], WORDS, "0")
    world.tell(photos["a"], {(): "A cat.", blurred: "A cat and a laptop."})
    world.tell(photos["b"], {(): "A cat and a laptop.", blurred: "A cat and a laptop."})
    world.tell(photos["c"], {(): "A cat and a laptop.", blurred: "A cat and a laptop."})
    found = world.tell(photos["d"], {(): "A cat and a laptop.", blurred: "A laptop."})
    assert [one.scene for one in found] == ["c", "b", "a", "d"]


def test_it_is_said_whether_another_photo_has_the_class_annotated(world: World) -> None:
    world.tell(replace(PHOTO, id="b", things=(Thing("1", "laptop", BOX),)), {(): "A laptop."})
    (one,) = world.tell(PHOTO, {(): "A cat and a laptop."})
    assert one.elsewhere
