from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import given, strategies as st
from PIL import Image

from anamorph.config import resolve
from anamorph.edits.crop import Crop
from anamorph.engine.run import carry_out, start
from anamorph.methods.oamt.cutting import CutRules, two_pieces
from anamorph.methods.oamt.method import NARROW, Oamt
from anamorph.methods.oamt.published import TriplesRecur, triples
from anamorph.model import Answer, Ask, Box, Case, Failure, Manner, Scene, Skip, Thing
from anamorph.relations.parts_tell_whole import PartsTellWhole
from anamorph.store.verdicts import tallies
from tests.relations.readings import read

# Its relation of the paper's profile is tested here.
COVERS = ("triples-recur",)


def scene(*boxes: Box, width: int = 400, score: float | None = None) -> Scene:
    things = (Thing(str(place), "dog", box, score=score) for place, box in enumerate(boxes))
    return Scene("photo", "photo.jpg", width, 200, tuple(things))


def test_the_cut_is_the_middle_of_the_gap_that_is_nearest_to_the_center() -> None:
    (left, right), clean = two_pieces(scene(Box(0, 0, 100, 100), Box(200, 0, 100, 100)), CutRules())
    assert clean and left == Box(0, 0, 150, 200) and right == Box(150, 0, 250, 200)


@pytest.mark.parametrize(
    "photo",
    [
        scene(),
        scene(Box(0, 0, 100, 100)),
        scene(Box(0, 0, 250, 100), Box(240, 0, 100, 100)),
        # The only gap is at the photo's side.
        scene(Box(0, 0, 20, 200), Box(40, 0, 360, 200)),
        scene(Box(0, 0, 100, 100), Box(200, 0, 100, 100), score=0.5),
        # Too small to count.
        scene(Box(0, 0, 10, 10), Box(200, 0, 100, 100)),
    ],
)
def test_pieces_overlap_where_no_cut_has_an_object_on_each_side(photo: Scene) -> None:
    (left, right), clean = two_pieces(photo, CutRules())
    assert not clean and left == Box(0, 0, 300, 200) and right == Box(100, 0, 300, 200)


@given(st.lists(st.tuples(st.integers(0, 350), st.integers(10, 200)), max_size=6), st.integers(4, 500))
def test_pieces_cover_the_photo_and_a_clean_cut_crosses_no_object(places: list[tuple[int, int]], width: int) -> None:
    photo = scene(*(Box(x, 0, side, 100) for x, side in places if x + side <= width), width=width)
    (left, right), clean = two_pieces(photo, CutRules())
    assert left.x == 0 and right.right == width and right.x <= left.right
    if clean:
        assert left.right == right.x
        for thing in photo.things:
            assert thing.box.area <= 0.02 * width * 200 or not thing.box.x < right.x < thing.box.right


def test_a_case_has_the_photo_and_its_two_pieces_and_a_profile_changes_the_relation() -> None:
    (case,) = Oamt().plan([scene()], Random(1))
    assert isinstance(case, Case) and isinstance(case.relation, PartsTellWhole)
    assert [len(probe.edits) for probe in case.probes] == [0, 1, 1]
    assert all(isinstance(probe.edits[0], Crop) for probe in case.follow_ups)
    (paper,) = Oamt(profile="paper").plan([scene()], Random(1))
    assert isinstance(paper, Case) and paper.relation == TriplesRecur()
    assert Oamt().judged_as(case.relation, "paper") == TriplesRecur()
    assert list(Oamt().plan([scene(width=3)], Random(1))) == [Skip("photo", NARROW, "scene")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two dogs playing with a frisbee", [("dogs", "playing", "frisbee"), ("frisbee", None, None)]),
        ("a man and a woman standing on a bench", [("man", "standing", "bench"), ("woman", "standing", "bench")]),
        ("a cat", [("cat", None, None)]),
    ],
)
def test_triples_have_an_object_a_verb_and_its_object(
    text: str, found: list[tuple[str, str | None, str | None]]
) -> None:
    read_now = [(each.mention.text, each.verb, each.target) for each in triples(read(text))]
    assert read_now[: len(found)] == found


@pytest.mark.parametrize(
    ("whole", "left", "right", "violated"),
    [
        ("two dogs playing", "a dog playing", "a dog playing", ()),
        ("two dogs playing", "two dogs playing", "a fence", ()),
        ("two dogs playing", "a dog playing", "a fence", ("mr1",)),
        ("two dogs playing", "a dog sleeping", "a dog sleeping", ("mr1",)),
        ("two women", "two men", "a fence", ("mr1",)),
        ("a dog", "a cat", "a fence", ("mr2",)),
        # A singular thing that is not alive is not looked for.
        ("a bench", "a cat on a couch", "a fence", ()),
        ("two dogs", "two dogs", "two dogs", ()),
    ],
)
def test_the_papers_relations_by_example(whole: str, left: str, right: str, violated: tuple[str, ...]) -> None:
    assert TriplesRecur().judge([read(each) for each in (whole, left, right)]).violated == violated


@dataclass(frozen=True)
class Asked:
    """Names a dog in a photo and not in its pieces; asked about these, it sees as many as `in_pieces`."""

    kind: ClassVar[str] = "asked-test"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    in_pieces: str

    @property
    def manner(self) -> Manner:
        return Manner(parallel=1)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"in pieces": self.in_pieces}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [self._answer(item) for item in batch]

    def close(self) -> None:
        pass

    def _answer(self, item: Ask) -> Answer:
        whole = item.load().shape[1] == 400
        if item.question is None:
            return Answer("a dog on a lawn" if whole else "a lawn")
        return Answer("1" if whole else self.in_pieces)


@pytest.mark.parametrize(("in_pieces", "proved"), [("0", 1), ("1", 0)])
def test_what_no_piece_names_is_settled_by_closed_questions_about_all_three(
    tmp_path: Path, in_pieces: str, proved: int
) -> None:
    (tmp_path / "photos").mkdir()
    Image.new("RGB", (400, 300), "green").save(tmp_path / "photos" / "one.jpg")
    plain = {"methods": ["oamt"], "scenes": {"kind": "folder", "path": str(tmp_path / "photos")}}
    config = replace(resolve(plain), given={"system": Asked(in_pieces)})
    with closing(start(config, tmp_path / "run")) as store:
        for _ in carry_out(store, config):
            pass
        assert sum(tally.violated for tally in tallies(store)) == proved
        assert store.count("probes", "round > 0") >= 3
