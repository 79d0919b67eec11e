from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings, strategies as st

from anamorph.model.labels import Label, LabelSpace
from anamorph.reading.labels import label_space, parse_label_space
from anamorph.reading.proposals import Proposal, as_toml, propose

NAMES = ("sofa", "SOFA_3SEATER", "shopper", "crane", "trafficCone", "box", "worker", "person", "hot dog", "UNIT_02")


def proposed(*labels: str | Label) -> dict[str, Proposal]:
    space = LabelSpace("mine", tuple(Label(each) if isinstance(each, str) else each for each in labels))
    return {each.label.name: each for each in propose(space)}


def test_a_class_that_ships_is_taken_over_with_all_its_words() -> None:
    found = proposed("sofa", "aeroplane", "giraffe")
    assert [each.label.like for each in found.values()] == ["coco/couch", "coco/airplane", "coco/giraffe"]


def test_of_two_classes_that_mean_the_same_shipped_one_only_its_namesake_takes_it_over() -> None:
    found = proposed("truck", "lorry")
    assert found["truck"].label.like == "coco/truck"
    assert found["lorry"].label.like is None and "truck" not in found["lorry"].label.words


def test_senses_are_those_that_a_photo_can_show_and_the_others_are_named() -> None:
    crane = proposed("crane")["crane"]
    # The first three are two writers and a constellation.
    assert (crane.label.senses, crane.meaning) == (("crane#4",), "lifting device")
    assert crane.others == (("crane#5", "wading bird, wader"),)


def test_words_for_the_sense_that_mean_it_first_are_it_and_others_may_be() -> None:
    found = proposed("gnu", "lectern", "helicopter")
    helicopter = found["helicopter"].label
    assert (helicopter.words, helicopter.may_be) == (("whirlybird", "eggbeater"), ("chopper",))
    assert "reading desk" in found["lectern"].label.words
    assert found["gnu"].label.words == ("wildebeest",)


def test_everyday_kinds_are_it_and_what_stands_above_may_be() -> None:
    box = proposed("box")["box"].label
    assert {"mailbox", "crate", "coffin"} <= set(box.words)
    assert {"chest", "container"} <= set(box.may_be)
    assert "music box" in box.is_not and not any(word == "box" for word in box.is_not)


@pytest.mark.parametrize(("name", "phrase"), [("puppy", "hush puppy"), ("goat", "mountain goat"), ("box", "black box")])
def test_compounds_that_are_something_else_are_not_it(name: str, phrase: str) -> None:
    assert phrase in proposed(name)[name].label.is_not


def test_a_compound_of_another_sense_of_the_name_is_not_said_to_be_something_else() -> None:
    assert "crash helmet" not in proposed("helmet")["helmet"].label.is_not


def test_a_word_that_two_classes_could_have_may_be_either_and_a_name_is_only_its_own() -> None:
    assert "reading desk" in proposed("lectern")["lectern"].label.words
    both = proposed("lectern", "reading desk")["lectern"].label
    assert "reading desk" not in (*both.words, *both.may_be)
    sacks = proposed(Label("SACK_1", senses=("sack#1",)), Label("SACK_2", senses=("sack#1",)))
    for name in ("SACK_1", "SACK_2"):
        assert "sack" in sacks[name].label.may_be and "sack" not in sacks[name].label.words


def test_a_code_takes_over_what_a_part_of_it_is_called_and_says_so() -> None:
    sofa = proposed("SOFA_3SEATER")["SOFA_3SEATER"]
    assert sofa.label.like == "coco/couch" and sofa.notes == ("Taken from 'sofa' in its name: check it.",)
    table = proposed("DINING_TABLE")["DINING_TABLE"]
    assert table.label.like == "coco/dining table" and not table.notes


def test_codes_that_mean_the_same_shipped_class_may_all_be_it() -> None:
    for found in proposed("SOFA_3SEATER", "SOFA_2SEATER").values():
        assert found.label.like is None and {"couch", "sofa"} <= set(found.label.may_be) and found.notes


def test_a_kind_of_a_shipped_class_does_not_take_over_all_its_words() -> None:
    shopper = proposed("shopper")["shopper"]
    assert shopper.label.like is None and "customer" in shopper.label.may_be
    assert "man" not in (*shopper.label.words, *shopper.label.may_be)
    assert "coco/person" in shopper.notes[0]


def test_the_users_own_words_stay_and_come_first() -> None:
    mine = Label("lectern", "furniture", ("speaker's stand",), ("pulpit",), ("reading desk",), senses=("lectern#1",))
    label = proposed(mine)["lectern"].label
    assert label.words[0] == "speaker's stand" and label.supercategory == "furniture"
    assert label.may_be[0] == "pulpit" and label.is_not[0] == "reading desk"
    assert "reading desk" not in label.words


@pytest.mark.parametrize("name", ["frobnicator", '"quoted\x7f"', "日本", "___", "42", "\u200b"])
def test_what_wordnet_does_not_know_is_said(name: str) -> None:
    assert not proposed(name)[name].known


def test_a_phrase_that_wordnet_does_not_know_gets_the_sense_of_its_last_word() -> None:
    vest = proposed("safety vest")["safety vest"]
    assert vest.label.senses == ("vest#1",) and vest.label.words == ()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=12) | st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
def test_any_names_have_proposals_that_are_a_label_space_and_stay_the_same(names: list[str]) -> None:
    names = [name for name in names if name.strip()] or ["dog"]
    space = LabelSpace("mine", tuple(map(Label, names)))
    text = as_toml("mine", propose(space))
    read = parse_label_space(text.encode("utf-8", "surrogatepass"), "mine.toml")
    assert read.names == space.names
    assert as_toml("mine", propose(read)) == text


def test_the_file_is_a_label_space_and_proposing_for_it_again_changes_nothing() -> None:
    space = LabelSpace("mine", tuple(map(Label, ("sofa", "crane", "truck", "lorry", "frobnicator", 'a "b"\\'))))
    text = as_toml("mine", propose(space))
    read = parse_label_space(text.encode(), "mine.toml")
    assert read.names == space.names
    assert as_toml("mine", propose(read)) == text


def test_proposals_for_the_shipped_spaces_are_label_spaces() -> None:
    for name in ("voc", "coco"):
        text = as_toml(name, propose(label_space(name)))
        assert len(tomllib.loads(text)["labels"]) == len(label_space(name).labels)
        assert parse_label_space(text.encode(), f"{name}.toml").names == label_space(name).names
