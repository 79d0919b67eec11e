from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from anamorph.config import resolve
from anamorph.engine.floor import _floor_of, _Stated, floor_stage
from anamorph.model import Relation
from anamorph.relations.accounts.account import Interval
from anamorph.relations.blank_shows_none import BlankShowsNone
from anamorph.relations.collage_adds_up import CollageAddsUp
from anamorph.relations.crop_shows_no_more import CropShowsNoMore
from anamorph.relations.negation_differs import NegationDiffers
from anamorph.relations.number_fits_existence import NumberFitsExistence
from anamorph.relations.pieces_cover_whole import PiecesCoverWhole
from anamorph.relations.same_number import SameNumber
from anamorph.relations.sum_in_any_order import SumInAnyOrder
from anamorph.report.floor import read_floor
from anamorph.store.floors import read_floors
from anamorph.store.verdicts import StoredCase
from anamorph.studies.calibrate.floors import floor_trial


class World:
    """Two photos with objects along a line, all that crosscheck asks about them, and some answers made false."""

    def __init__(self, rng: Random, rate: float) -> None:
        self.rng, self.rate = rng, rate
        self.objects = [[(rng.choice("ab"), rng.random()) for _ in range(rng.randrange(5))] for _ in range(2)]
        self.probes: dict[tuple[str, str, str], tuple[int, Interval]] = {}
        self.images: dict[int, int] = {}
        self.image_numbers: dict[str, int] = {}
        self.false = 0
        self.stated: list[_Stated] = []
        start = rng.random() * 0.4
        for photo in (0, 1):
            for label in "ab":
                whole, name = self.ask(photo, "whole", label, 0, 1), f"{photo}"
                exists = self.ask(photo, "whole", label, 0, 1, "exists")
                pieces = [self.ask(photo, "left", label, 0, 0.6), self.ask(photo, "right", label, 0.4, 1)]
                crop = self.ask(photo, "crop", label, start, start + 0.6)
                denied = self.ask(photo, "whole", label, 0, 1, "denied")
                self.case(NumberFitsExistence(label), [exists, whole], name)
                self.case(NegationDiffers(label), [exists, denied], name)
                self.case(PiecesCoverWhole(label), [whole, *pieces], name)
                self.case(CropShowsNoMore(label), [whole, crop], name)
                self.case(SameNumber(label), [whole, self.ask(photo, "mirror", label, 0, 1)], name)
                self.case(BlankShowsNone(label), [self.ask(photo, "blank", label, 2, 3, "exists")], name)
            sums = [self.ask(photo, "whole", "ab", 0, 1, way) for way in ("ab", "ba")]
            apart = [self.ask(photo, "whole", label, 0, 1) for label in "ab"]
            self.case(SumInAnyOrder("a", "b"), [*sums, *apart], f"{photo}")
        for label in "ab":
            alone = [self.ask(photo, "whole", label, 0, 1) for photo in (0, 1)]
            self.case(CollageAddsUp(label), [self.ask(2, "collage", label, 0, 1), *alone], "0")

    def ask(self, photo: int, image: str, labels: str, low: float, high: float, way: str = "count") -> int:
        key = (f"{photo} {image}", labels, way)
        if key not in self.probes:
            photos = (0, 1) if photo == 2 else (photo,)
            number = sum(label in labels and low <= x <= high for each in photos for label, x in self.objects[each])
            if self.rng.random() < self.rate:
                self.false += 1
                number = 0 if number and way in ("exists", "denied") else number + self.rng.choice((1, 2))
            interval: Interval = (number, number)
            if way in ("exists", "denied"):
                interval = (1, None) if number else (0, 0)
            probe = len(self.probes)
            self.probes[key] = probe, interval
            self.images[probe] = self.image_numbers.setdefault(key[0], len(self.image_numbers))
        return self.probes[key][0]

    def case(self, relation: Relation, probes: list[int], photo: str) -> None:
        stated = dict(self.probes.values())
        case = StoredCase(len(self.stated), "", "crosscheck", relation.kind, "", tuple(probes), "{}")
        account = relation.account(len(probes))  # type: ignore[attr-defined]
        intervals = {probe: stated[probe] for probe in probes}
        self.stated.append(_Stated(case, relation, account, intervals, linked=True, photo=int(photo)))


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.05, 0.2, 0.5])
def test_the_floor_is_never_above_the_number_of_false_answers(rate: float) -> None:
    false = certified = 0
    for seed in range(200):
        world = World(Random(f"{rate}/{seed}"), rate)
        answers, fewest, exact = _floor_of(world.stated, world.images)
        assert answers == len(world.probes) and exact
        assert fewest <= world.false
        false, certified = false + world.false, certified + fewest
    if rate == 0:
        assert certified == 0
    else:
        assert certified > 0.3 * false


def test_answers_without_links_contradict_nothing() -> None:
    world = World(Random(4), 0.3)
    unlinked = [
        _Stated(each.case, each.relation, each.account, each.intervals, linked=False, photo=each.photo)
        for each in world.stated
    ]
    assert _floor_of(unlinked, world.images)[1] < _floor_of(world.stated, world.images)[1]


@pytest.mark.parametrize(("how", "rate", "least"), [("random", 0.0, 0), ("random", 0.1, 1), ("class", 1.0, 0)])
def test_a_run_keeps_its_floor_and_judging_again_finds_the_same(
    tmp_path: Path, how: str, rate: float, least: int
) -> None:
    trial = floor_trial(tmp_path / "run", 12, 5, how, rate)  # type: ignore[arg-type]
    assert least <= trial.floor <= trial.false and trial.answers > 100
    from anamorph.engine.run import config_of
    from anamorph.store.run import RunStore

    with closing(RunStore.open(tmp_path / "run")) as store:
        before = {scope: read_floors(store, scope) for scope in ("all", "group", "relation", "class", "photo")}
        floor_stage(store, config_of(store))
        assert before == {scope: read_floors(store, scope) for scope in before}
        floor = read_floor(store)
        assert floor is not None and floor.fewest == trial.floor
        assert sum(row.fewest for row in before["group"]) == floor.fewest
        assert all(part.fewest <= floor.fewest for part in (*floor.relations, *floor.classes))
        assert (f"At least {floor.fewest:,} of" in floor.sentence) == (floor.fewest > 0)
        assert how == "random" or floor.pairs >= floor.opposite


def test_a_limit_on_the_floor_is_a_share() -> None:
    for text, limit in (("floor 2%", 0.02), ("floor 0.5", 0.5), ("5%", None)):
        settings = resolve({"gate": {"fail_over": text}}, "test").settings.gate
        assert settings.fail_over_floor == limit
    with pytest.raises(Exception, match="fail_over must be a share"):
        resolve({"gate": {"fail_over": "floor high"}}, "test")
