"""The three kinds of words of the shipped label spaces: every row is read as its list says."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from anamorph.model.labels import Label, LabelSpace
from anamorph.model.reading import CaptionReading
from anamorph.reading.labels import SHIPPED, label_space, parse_label_space, unnameable
from anamorph.reading.morphology import singular_of
from anamorph.reading.naming import Namer, namer_of
from tests.english import caption_reader

LABELS = [(space, label) for space in SHIPPED for label in label_space(space).labels]
by_label = pytest.mark.parametrize(
    ("space", "label"), LABELS, ids=[f"{space}-{label.name}".replace(" ", "-") for space, label in LABELS]
)


def read(space: str, word: str) -> tuple[set[str], set[str]]:
    """The classes that a thing of this name surely has, and those that it may have."""
    reading = caption_reader(labels=space).read_text(f"There is a {word} over there.")
    assert isinstance(reading, CaptionReading), word
    return set(reading.labels), set(reading.perhaps)


@by_label
def test_every_word_for_a_class_is_read_as_it(space: str, label: Label) -> None:
    # "A bowl of soup" names food as well, where a space has both.
    others = {"bowl of soup": {"food-other"}} if space == "coco-all" else {}
    assert [word for word in label.words if read(space, word)[0] - others.get(word, set()) != {label.name}] == []


@by_label
def test_every_word_that_may_mean_a_class_is_read_so(space: str, label: Label) -> None:
    wrong = []
    for word in label.may_be:
        surely, perhaps = read(space, word)
        if label.name not in perhaps or label.name in surely:
            wrong.append(word)
    assert wrong == []


@by_label
def test_what_is_not_of_a_class_is_not_read_as_it(space: str, label: Label) -> None:
    assert [word for word in label.is_not if label.name in set.union(*read(space, word))] == []


@by_label
def test_no_phrase_is_listed_as_something_else_without_need(space: str, label: Label) -> None:
    alone = Namer(LabelSpace("alone", (replace(label, is_not=()),)))
    needless = []
    for phrase in label.is_not:
        words = phrase.split()
        place = words.index("of") if "of" in words else len(words)
        # "pitcher of water" and "leg of lamb"
        names = [alone.named(part, singular_of(part[-1]) or part[-1]) for part in (words[:place], words[-1:])]
        if not any(label.name in (name.label, *name.may_be) for name in names):
            needless.append(phrase)
    assert needless == []


@pytest.mark.parametrize("space", SHIPPED)
def test_no_word_means_two_classes_and_none_is_in_two_lists_of_one(space: str) -> None:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for label in label_space(space).labels:
        lists = [{key(word) for word in words} for words in ((label.name, *label.words), label.may_be, label.is_not)]
        for word in lists[0]:
            owners[word].add(label.name)
        assert not (lists[0] & lists[1] or lists[0] & lists[2] or lists[1] & lists[2]), label.name
    assert {word: found for word, found in owners.items() if len(found) > 1} == {}


def key(phrase: str) -> str:
    return phrase.lower().replace("-", "").replace(" ", "")


# --- how a noun group is looked up -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "label"),
    [
        ("laptop charger", None),
        ("passenger jet", "airplane"),
        ("police dog", "dog"),
        ("prairie dog", None),
        ("hot dog stand", None),
        ("car seat", None),
        ("mouse trap", None),
        ("toilet brush", None),
        ("dining room table", "dining table"),
        ("teddy bear", "teddy bear"),
        ("fire truck", "truck"),
        ("sewing machine", None),
    ],
)
def test_the_longest_phrase_decides_and_else_the_head(phrase: str, label: str | None) -> None:
    surely, _ = read("coco", phrase)
    assert surely == ({label} if label else set())


def test_a_word_may_mean_one_class_surely_and_another_perhaps() -> None:
    assert read("coco", "bike") == ({"bicycle"}, {"motorcycle"})
    assert read("coco", "pickup truck") == ({"truck"}, {"car"})


def test_context_settles_what_a_word_means_alone_and_not_in_a_phrase() -> None:
    def labels(text: str) -> tuple[str, ...]:
        reading = caption_reader().read_text(text)
        assert isinstance(reading, CaptionReading)
        return reading.labels

    assert labels("Fans cheer in the stadium.") == ("person",)
    assert labels("A fan hums on the shelf.") == ()
    assert labels("A ceiling fan turns above the cheering crowd.") == ("person",)
    assert labels("The pitcher winds up on the mound.") == ("person",)
    assert labels("A water pitcher stands on the mound.") == ()
    assert labels("A leg of lamb.") == () and labels("A lamb.") == ("sheep",)


@pytest.mark.parametrize("key_is", ["is", "synonyms"])
@pytest.mark.parametrize("key_is_not", ["is_not", "unlike"])
def test_old_and_new_keys_of_a_users_file_mean_the_same(key_is: str, key_is_not: str) -> None:
    content = f'[[labels]]\nname = "vest"\n{key_is} = ["waistcoat"]\nmay_be = ["top"]\n{key_is_not} = ["bullet vest"]\n'
    space = parse_label_space(content.encode(), "own.toml")
    label = space.label("vest")
    assert (label.words, label.may_be, label.is_not) == (("waistcoat",), ("top",), ("bullet vest",))
    namer = namer_of(space)
    assert namer.named(["red", "waistcoat"], "waistcoat").label == "vest"
    assert namer.named(["tank", "top"], "top").may_be == ("vest",)
    assert namer.named(["bullet", "vest"], "vest")[:2] == (None, ())


def test_the_words_of_both_an_old_and_a_new_key_count() -> None:
    content = '[[labels]]\nname = "vest"\nis = ["waistcoat"]\nsynonyms = ["gilet"]\n'
    assert parse_label_space(content.encode(), "own.toml").label("vest").words == ("waistcoat", "gilet")


def test_what_is_taken_over_has_all_three_lists() -> None:
    couch = label_space("voc").label("sofa")
    assert "couch" in couch.words and "futon" in couch.may_be and "car seat" in couch.is_not


# --- classes that no text can name -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["coco", "voc"])
def test_every_class_of_coco_and_voc_can_be_named(name: str) -> None:
    space = label_space(name)
    assert unnameable(space, space.names) == ()


@given(st.sampled_from([label.name for label in label_space("coco").labels]), st.data())
def test_a_class_that_can_be_named_is_read_from_a_text(name: str, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from((name, *label_space("coco").label(name).words)))
    assert name in read("coco", word)[0]


def test_a_class_that_is_not_in_the_space_or_is_a_code_cannot_be_named() -> None:
    coco = label_space("coco")
    assert unnameable(coco, ("dog", "shopper", "SOFA_3SEATER", "dog", "shopper")) == ("shopper", "SOFA_3SEATER")


def test_a_code_can_be_named_by_its_words_and_a_name_by_itself() -> None:
    def space(**lists: tuple[str, ...]) -> LabelSpace:
        return LabelSpace("mine", (Label("couch"), Label("SOFA_3SEATER", **lists)))  # type: ignore[arg-type]

    assert unnameable(space(), ("couch", "SOFA_3SEATER")) == ("SOFA_3SEATER",)
    assert unnameable(space(words=("sofa",)), ("SOFA_3SEATER",)) == ()
    # What only may be a class names it never surely.
    assert unnameable(space(may_be=("sofa",)), ("SOFA_3SEATER",)) == ("SOFA_3SEATER",)
    assert unnameable(space(words=("couch",)), ("SOFA_3SEATER",)) == ("SOFA_3SEATER",)


def test_underscores_and_capitals_of_english_words_are_read() -> None:
    space = LabelSpace("mine", tuple(map(Label, ("traffic_cone", "GARDEN GNOME", "fireExtinguisher", "XQPL"))))
    assert unnameable(space, space.names) == ("XQPL",)
    assert namer_of(space).named(["traffic", "cone"], "cone").label == "traffic_cone"
    assert namer_of(space).named(["fire", "extinguishers"], "extinguisher").label == "fireExtinguisher"
