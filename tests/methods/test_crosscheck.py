from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from anamorph.config import Config, resolve
from anamorph.edits.crop import Crop
from anamorph.engine.events import Event, PlannedFurther
from anamorph.engine.further import REFUSED
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.methods.crosscheck.method import RELATIONS, Crosscheck, crop_at, halves
from anamorph.methods.crosscheck.naming import Named, _words, decoys, named_classes
from anamorph.model import Answer, Edit, Label, LabelSpace, Reading, ReadingKind, Scene
from anamorph.reading.labels import label_space
from anamorph.report.numbers import read_numbers
from anamorph.store.answers import find_probe
from anamorph.store.floors import read_floors
from anamorph.store.plans import PLAN_ROUNDS
from anamorph.store.run import RunStore
from anamorph.store.verdicts import tallies
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths
from tests.english import caption_reader

SCENE = Scene("photo", "photo.jpg", 640, 480)


class FakeTold:
    """A scene about which a system said this list."""

    def __init__(self, text: str = "", scene: Scene = SCENE) -> None:
        self.scene, self.text = scene, text
        self.partner: Scene | None = None
        self.space: LabelSpace = label_space("coco")
        self.arguable = frozenset({"cup"})

    def counted(self, label: str) -> bool:
        return label != "banana"

    def answer(self, edits: tuple[Edit, ...], question: str | None) -> Answer | None:
        return Answer(self.text) if question == Crosscheck().wording.list and not edits else None

    def asked(self, edits: tuple[Edit, ...], question: str | None) -> bool:
        return question == Crosscheck().wording.list

    def read(self, kind: ReadingKind, answer: Answer, question: str | None = None) -> Reading:
        return caption_reader().read_text(answer.text or "")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("dog, person, remote control", ["dog", "person", "remote"]),
        ("Dogs, two people and a chair.", ["dog", "person", "chair"]),
        ("1. dog\n2. lawn mower\n- sofa", ["dog", "couch", "lawn mower"]),
        ("cup, dog", ["dog", "cup"]),
        ("sky, grass, dog, wooden floor", ["dog"]),
        ("I see a very large dog that sits on a chair", []),
        ("", []),
        ("dog, dog, puppy", ["dog"]),
    ],
)
def test_classes_come_from_the_systems_own_words(text: str, labels: list[str]) -> None:
    assert [each.label for each in named_classes(FakeTold(text), [Answer(text)])] == labels


def test_the_labels_of_a_scene_are_asked_about_as_well() -> None:
    told = FakeTold("dog", replace(SCENE, labels=("tractor", "dog")))
    assert [each.label for each in named_classes(told, [Answer("dog")])] == ["dog", "tractor"]


def test_decoys_are_classes_that_were_not_named_one_of_each_kind() -> None:
    told = FakeTold()
    named = named_classes(told, [Answer("dog, person")])
    for seed in range(50):
        drawn = decoys(told, named, Random(seed))
        labels = [label for label, _ in drawn]
        assert [way for _, way in drawn] == ["company", "frequent", "random"] and len(set(labels)) == 3
        assert not {"dog", "person", "cup"} & set(labels)
        assert labels[0] in {*_words()["company"]["dog"], *_words()["company"]["person"]}


def test_company_is_made_of_classes_and_of_kinds_in_a_label_space_of_ones_own() -> None:
    names = {*label_space("coco").names}
    table = _words()["company"]
    assert {*table} == names and {other for others in table.values() for other in others} <= names
    assert not any(label in others for label, others in table.items())
    told = FakeTold()
    kinds = {"hammer": "tool", "saw": "tool", "cup": "kitchen"}
    told.space = LabelSpace("mine", tuple(Label(name, kind) for name, kind in kinds.items()))
    assert decoys(told, [Named("hammer", True)], Random(1))[0] == ("saw", "company")


def test_the_pieces_cover_the_photo_and_overlap_and_crops_lie_on_it() -> None:
    for width, height in ((640, 480), (333, 501), (3, 2)):
        scene = replace(SCENE, width=width, height=height)
        first, second = halves(scene)
        if width >= height:
            assert first.x == 0 and second.right == width and (first.right > second.x or width < 5)
        else:
            assert first.y == 0 and second.bottom == height and first.bottom > second.y
        for across, down in ((0.0, 0.0), (1.0, 1.0), (0.3, 0.9)):
            box = crop_at(scene, across, down)
            assert box.x >= 0 and box.y >= 0 and box.right <= width and box.bottom <= height


# --- whole runs ------------------------------------------------------------------------------------------------------


def config_for(scenes: int, **settings: Any) -> Config:
    plain = {
        "methods": ["crosscheck"],
        "scenes": {"kind": "toybox", "count": scenes, "seed": 12},
        "system": {"kind": "toybox", "model": "answerer"},
        **settings,
    }
    return resolve(plain, "test")


Spoil = Callable[[str, str | None], str]


def carried_out(folder: Path, config: Config, spoil: Spoil | None = None) -> Iterator[tuple[RunStore, list[Event]]]:
    with closing(start(config, folder / "run")) as store:
        list(plan_stage(store, config))
        system = TruthfulSystem.over(store, config, "answer", Truths())
        given = replace(config, given={**config.given, "system": system if spoil is None else _Spoilt(system, spoil)})
        yield store, list(carry_out(store, given))


class _Spoilt:
    """The truthful system, with its answers changed by a function of answer and question."""

    kind = "spoilt"

    def __init__(self, inner: TruthfulSystem, spoil: Spoil) -> None:
        self.inner, self.spoil = inner, spoil
        self.manner, self.fingerprint = inner.manner, {"spoilt": 1}
        self.asked = 0

    def ask(self, batch: Any, timeout_seconds: float) -> Any:
        self.asked += len(batch)
        replies = self.inner.ask(batch, timeout_seconds)
        return [
            Answer(self.spoil(reply.text or "", item.question)) if isinstance(reply, Answer) else reply
            for item, reply in zip(batch, replies, strict=True)
        ]

    def close(self) -> None:
        pass


def test_a_truthful_system_contradicts_itself_nowhere_and_every_relation_is_tested(tmp_path: Path) -> None:
    for store, events in carried_out(tmp_path, config_for(14)):
        assert sum(isinstance(event, PlannedFurther) for event in events) == store.fact(PLAN_ROUNDS) == 3
        found = tallies(store)
        assert sum(tally.violated for tally in found) == sum(tally.undecided for tally in found) == 0
        assert {tally.tags["relation"] for tally in found} == {*RELATIONS}
        numbers = read_numbers(store, config_for(14))
        assert numbers.gate.exit_code == 0


@pytest.mark.parametrize("calls", [8, 15, 25])
def test_a_photo_costs_at_most_its_calls(tmp_path: Path, calls: int) -> None:
    for store, _ in carried_out(tmp_path, config_for(6, crosscheck={"calls": calls})):
        # Those of collages are asked about the partner and are paid by the photo that wants them.
        probes = store.count("probes", "round = 0")
        assert probes <= 6 * calls


def test_a_relation_that_is_off_is_not_planned(tmp_path: Path) -> None:
    for store, _ in carried_out(tmp_path, config_for(5, crosscheck={"relations": ["pieces"]})):
        assert {tally.tags["relation"] for tally in tallies(store)} == {"pieces"}


def test_a_number_of_what_is_denied_is_proved_in_one_sentence(tmp_path: Path) -> None:
    def denies(answer: str, question: str | None) -> str:
        return "no" if question and question.startswith("Is there a") else answer

    for store, _ in carried_out(tmp_path, config_for(8), denies):
        rows = store.connection.execute("SELECT what, why, state FROM suspicions").fetchall()
        assert rows and {state for _, _, state in rows} == {"proved"}
        assert {what for what, _, _ in rows} == {"existence"}
        assert any("Of the whole photo it says no to 'Is there a" in why for _, why, _ in rows)


def test_what_is_named_in_a_part_and_denied_in_the_whole_is_found(tmp_path: Path) -> None:
    """The list of the whole photo lacks people, and so does what is said about it; the parts show them."""
    config = config_for(10, crosscheck={"relations": ["crop"]})
    with closing(start(config, tmp_path / "run")) as store:
        list(plan_stage(store, config))
        system = TruthfulSystem.over(store, config, "answer", Truths())
        given = replace(config, given={**config.given, "system": _WithoutPeopleInWholes(system)})
        list(carry_out(store, given))
        rows = store.connection.execute(
            """SELECT s.why, c.tags FROM suspicions s JOIN cases c ON c.id = s."case" WHERE s.state = 'proved'"""
        ).fetchall()
        assert rows
        for why, tags in rows:
            assert why.startswith("It sees a person in the") and why.endswith(
                "part of the photo and denies it in the whole photo."
            )
            assert json.loads(tags)["presence"] == "in a part"


class _WithoutPeopleInWholes:
    """Truthful, but blind to people in images that are not cut."""

    kind = "without-people"

    def __init__(self, inner: TruthfulSystem) -> None:
        self.inner, self.manner, self.fingerprint = inner, inner.manner, {"blind": 1}

    def ask(self, batch: Any, timeout_seconds: float) -> Any:
        replies = self.inner.ask(batch, timeout_seconds)
        with RunStore.open(self.inner.folder, read_only=True) as store:
            return [self._reply(find_probe(store, item.id), reply) for item, reply in zip(batch, replies, strict=True)]

    def _reply(self, probe: Any, reply: Any) -> Any:
        question = probe.question
        if probe.edits != "[]" or not any(word in question for word in ("List", "person", "people")):
            return reply
        if "List" in question:
            return Answer(", ".join(name for name in reply.text.split(", ") if name != "person") or "nothing")
        if question.startswith("How many"):
            return Answer("0")
        return Answer("true" if "There is no" in question else "false" if "There is" in question else "no")

    def close(self) -> None:
        pass


def test_more_in_a_part_than_in_the_whole_is_proved_with_another_crop(tmp_path: Path) -> None:
    config = config_for(10, crosscheck={"relations": ["crop", "pieces"]})
    with closing(start(config, tmp_path / "run")) as store:
        list(plan_stage(store, config))
        system = TruthfulSystem.over(store, config, "answer", Truths())
        whole = json.dumps([])

        class Denying(_Spoilt):
            def ask(self, batch: Any, timeout_seconds: float) -> Any:
                replies = super().ask(batch, timeout_seconds)
                with RunStore.open(store.folder, read_only=True) as reading:
                    rows = [
                        reading.connection.execute(
                            "SELECT i.edits FROM probes p JOIN images i ON i.id = p.image WHERE p.digest = ?",
                            (bytes.fromhex(item.id),),
                        ).fetchone()[0]
                        for item in batch
                    ]
                return [
                    Answer("1") if edits == whole and item.question == "How many people are in the image?" else reply
                    for item, reply, edits in zip(batch, replies, rows, strict=True)
                ]

        given = replace(config, given={**config.given, "system": Denying(system, lambda text, _: text)})
        list(carry_out(store, given))
        rows = store.connection.execute("SELECT why FROM suspicions WHERE state = 'proved'").fetchall()
        wider = store.connection.execute("SELECT count(*) FROM probes WHERE round > 0").fetchone()[0]
        assert rows and wider
        assert any("in the whole photo" in why and "part of the photo" in why for (why,) in rows)


def always_yes(answer: str, question: str | None) -> str:
    return "true" if question and "true or false" in question else "yes"


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda answer, question: "dog, cat" if question and "List" in question else answer, "do not depend"),
        (lambda answer, question: "0", "got the same answer, '0'"),
        (lambda answer, question: "A photo of a street.", "got the same answer, 'A photo of a street.'"),
        (always_yes, "a constant"),
    ],
)
def test_a_system_that_does_not_look_is_named_within_twenty_calls(tmp_path: Path, spoil: Spoil, why: str) -> None:
    config = config_for(30)
    for store, _ in carried_out(tmp_path, config, spoil):
        refused = store.fact(REFUSED)
        assert refused["method"] == "crosscheck" and why in refused["why"]
        assert store.count("answers") <= 20 and not store.count("cases")
        gate = read_numbers(store, config).gate
        assert gate.exit_code == 4 and why in gate.sentence


@pytest.mark.parametrize("reply", ["0", "yes", "unanswerable"])
def test_a_question_answerer_that_knows_no_lists_is_tested_all_the_same(tmp_path: Path, reply: str) -> None:
    def no_lists(answer: str, question: str | None) -> str:
        return reply if question and ("List" in question or "true or false" in question) else answer

    for store, _ in carried_out(tmp_path, config_for(6), no_lists):
        assert store.fact(REFUSED) is None
        found = {tally.tags["relation"] for tally in tallies(store)}
        assert {"exists-and-count", "pieces", "mirror"} <= found and "negation" not in found


def test_the_same_seed_plans_the_same(tmp_path: Path) -> None:
    digests = []
    for place in ("one", "two"):
        for store, _ in carried_out(tmp_path / place, config_for(5)):
            digests.append(store.connection.execute("SELECT hex(digest) FROM cases ORDER BY digest").fetchall())
    assert digests[0] == digests[1]


def test_crops_are_cut_from_the_photo() -> None:
    assert Crop(halves(SCENE)[0]).box.width == 384


def test_a_system_that_cannot_count_is_asked_for_existence_only(tmp_path: Path) -> None:
    def only_yes_and_no(answer: str, question: str | None) -> str:
        if question and question.startswith("How many"):
            return "dog"
        return "red" if question and "List" in question else answer

    for store, _ in carried_out(tmp_path, config_for(6), only_yes_and_no):
        found = {tally.tags["relation"] for tally in tallies(store)}
        assert {"pieces", "mirror", "collage", "crop"} <= found and "exists-and-count" not in found
        assert sum(tally.undecided + tally.violated for tally in tallies(store)) == 0
        rows = store.connection.execute("SELECT count(*) FROM probes WHERE question LIKE 'How many%'").fetchone()
        assert rows == (2,), "only the first two photos show that it cannot count"


@pytest.mark.parametrize("events", [1, 5, 30, 120, 260])
def test_a_run_that_is_stopped_at_any_point_goes_on_to_the_same_end(tmp_path: Path, events: int) -> None:
    config = config_for(5)
    ends = []
    for name, stop in (("whole", None), ("stopped", events)):
        with closing(start(config, tmp_path / name)) as store:
            list(plan_stage(store, config))
            system = _Spoilt(TruthfulSystem.over(store, config, "answer", Truths()), always_two)
            given = replace(config, given={**config.given, "system": system})
            if stop is not None:
                begun = carry_out(store, given)
                for _, _ in zip(range(stop), begun, strict=False):
                    pass
                begun.close()  # type: ignore[attr-defined]
            list(carry_out(store, given))
            rows = store.connection.execute(
                """SELECT hex(c.digest), v.outcome FROM cases c JOIN verdicts v ON v."case" = c.id ORDER BY 1"""
            ).fetchall()
            ends.append((rows, read_floors(store, "all"), store.count("answers")))
    assert ends[0] == ends[1] and ends[0][1][0].fewest > 0


def always_two(answer: str, question: str | None) -> str:
    return "2" if question and question.startswith("How many") and "whole" not in question else answer


@pytest.mark.parametrize(
    ("relation", "spoil", "sentence"),
    [
        (
            "negation",
            lambda answer, question: "false" if question and "true or false" in question else answer,
            "Of the whole photo it says false to 'There is a",
        ),
        (
            "mirror",
            lambda answer, question: "left" if question and "left, middle" in question else answer,
            "it says left of the whole photo and left of the mirror image: these cannot all be right.",
        ),
        (
            "order-and-sum",
            lambda answer, question: "9" if question and "both kinds" in question else answer,
            "Of the whole photo it says 9 to 'How many ",
        ),
        (
            "blank",
            lambda answer, question: "yes" if question and question.startswith("Is there a") else answer,
            "about the blank image, which shows nothing.",
        ),
    ],
)
def test_a_proof_says_what_was_answered_in_its_own_words(
    tmp_path: Path, relation: str, spoil: Spoil, sentence: str
) -> None:
    config = config_for(8, crosscheck={"relations": [relation]})
    for store, _ in carried_out(tmp_path, config, spoil):
        whys = [why for (why,) in store.connection.execute("SELECT why FROM suspicions WHERE state = 'proved'")]
        assert whys and all(sentence in why and "Answer with" not in why for why in whys), whys
