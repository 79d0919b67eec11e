from __future__ import annotations

import tomllib

import pytest

from anamorph.language.labels import Label, LabelSpace, label_space, parse_label_space
from anamorph.language.proposals import Proposal, as_toml, propose


def proposed(*labels: str | Label) -> dict[str, Proposal]:
    space = LabelSpace("mine", tuple(Label(each) if isinstance(each, str) else each for each in labels))
    return {each.label.name: each for each in propose(space)}


def test_a_class_that_ships_is_taken_over_with_all_its_words() -> None:
    found = proposed("sofa", "aeroplane", "giraffe")
    assert [each.label.like for each in found.values()] == ["coco/couch", "coco/airplane", "coco/giraffe"]


def test_of_two_classes_that_mean_the_same_shipped_one_only_its_namesake_takes_it_over() -> None:
    found = proposed("truck", "lorry")
    assert found["truck"].label.like == "coco/truck"
    assert found["lorry"].label.like is None and found["lorry"].label.senses


def test_senses_are_those_that_a_photo_can_show_and_the_others_are_named() -> None:
    crane = proposed("crane")["crane"]
    # The first three are two writers and a constellation.
    assert (crane.label.senses, crane.meaning) == (("crane#4",), "lifting device")
    assert crane.others == (("crane#5", "wading bird, wader"),)


def test_synonyms_are_other_words_for_the_sense_that_mean_it_first() -> None:
    found = proposed("gnu", "lectern", "helicopter")
    helicopter = found["helicopter"]
    assert (helicopter.label.synonyms, helicopter.ambiguous) == (("whirlybird", "eggbeater"), ("chopper",))
    assert "reading desk" in found["lectern"].label.synonyms
    assert found["gnu"].label.synonyms == ("wildebeest",)


def test_a_word_that_two_classes_could_have_goes_to_neither() -> None:
    alone = proposed("lectern")["lectern"].label.synonyms
    assert "reading desk" in alone
    both = proposed("lectern", "reading desk")
    assert "reading desk" not in both["lectern"].label.synonyms and "reading desk" in both["lectern"].ambiguous


def test_the_users_own_words_stay_and_come_first() -> None:
    mine = Label("lectern", "furniture", synonyms=("speaker's stand",), senses=("lectern#1",))
    label = proposed(mine)["lectern"].label
    assert label.synonyms[0] == "speaker's stand" and label.supercategory == "furniture"
    assert "reading desk" in label.synonyms


@pytest.mark.parametrize("name", ["frobnicator", '"quoted\x7f"', "日本"])
def test_what_wordnet_does_not_know_is_said(name: str) -> None:
    assert not proposed(name)[name].known


def test_a_phrase_that_wordnet_does_not_know_gets_the_sense_of_its_last_word() -> None:
    vest = proposed("safety vest")["safety vest"]
    assert vest.label.senses == ("vest#1",) and vest.label.synonyms == ()


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
