from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamorph.errors import BadRecord, UnknownName, UsageError
from anamorph.model.reading import CaptionReading
from anamorph.reading.labels import SHIPPED, label_space, sense_of
from anamorph.reading.naming import namer_of
from tests.english import caption_reader


@pytest.mark.parametrize(("name", "labels", "groups"), [("coco", 80, 12), ("voc", 20, 4), ("coco-stuff", 91, 15)])
def test_a_shipped_space_has_all_its_classes_and_groups(name: str, labels: int, groups: int) -> None:
    space = label_space(name)
    assert len(space.labels) == len(set(space.names)) == labels
    assert len({label.supercategory for label in space.labels}) == groups


@pytest.mark.parametrize("name", SHIPPED)
def test_every_label_that_is_a_word_is_read_from_its_own_name(name: str) -> None:
    reader = caption_reader(labels=name)
    for label in label_space(name).labels:
        word = label.name.replace("-other", "").replace("-stuff", "")
        if "-" in word or word in ("structural", "solid", "textile"):
            continue
        reading = reader.read_text(f"there is the {word}")
        assert isinstance(reading, CaptionReading)
        assert reading.labels == (label.name,), word


def test_words_for_people_and_words_that_only_look_so() -> None:
    reader = caption_reader()
    for people in (
        *(
            "an onlooker",
            "the onlooker",
            "a paddleboarder",
            "a pensioner",
            "a handyman",
            "a sentry",
            "a crossing guard",
        ),
        *(
            "a kiddo",
            "the second baseman",
            "two gents",
            "diners",
            "the diners",
            "some locals",
            "a keyboardist",
            "a tot",
        ),
    ):
        reading = reader.read_text(f"There is a bench near {people}.")
        assert isinstance(reading, CaptionReading)
        assert reading.labels == ("bench", "person"), people
    for others in (
        "a diner",
        "a model train set",
        "a camper",
        "tater tots",
        "a local road",
        "an anchor",
        "roof rafters",
    ):
        reading = reader.read_text(f"There is a bench near {others}.")
        assert isinstance(reading, CaptionReading)
        assert reading.labels == ("bench",), others


def test_labels_know_their_supercategory_and_each_other() -> None:
    coco = label_space("coco")
    assert coco.supercategory("zebra") == "animal"
    assert coco.supercategory("hot dog") == "food"
    assert "zebra" in coco
    with pytest.raises(UnknownName, match="Did you mean 'zebra'"):
        coco.label("zebrra")


def test_words_of_a_class_of_pascal_voc_come_from_coco() -> None:
    reader = caption_reader(labels="voc")
    reading = reader.read_text("a plane over a couch, a table and a houseplant")
    assert isinstance(reading, CaptionReading)
    assert reading.labels == ("aeroplane", "sofa", "diningtable", "pottedplant")


OWN = """
name = "farm"

[[labels]]
name = "tractor"
supercategory = "machine"
synonyms = ["farm vehicle"]

[[labels]]
name = "goat"
supercategory = "animal"

[[labels]]
name = "ox"
plurals = ["oxen"]
"""


def test_a_users_own_space_is_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "farm.toml"
    path.write_text(OWN)
    reading = caption_reader(labels=str(path)).read_text("two farm vehicles, a billy goat and three oxen near a dog")
    assert isinstance(reading, CaptionReading)
    assert [(m.label, m.count) for m in reading.mentions] == [("tractor", 2), ("goat", None), ("ox", 3), (None, None)]


def test_a_users_own_space_is_read_from_json(tmp_path: Path) -> None:
    path = tmp_path / "pets.json"
    path.write_text(json.dumps({"labels": ["hamster", {"name": "cat", "like": "coco/cat"}]}))
    space = label_space(str(path))
    assert (space.name, space.names) == ("pets", ("hamster", "cat"))
    assert "kitten" in space.label("cat").words


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("labels = [", "not valid TOML"),
        ("name = 'x'", "labels: must be a list of at least one label"),
        ("labels = []", "labels: must be a list of at least one label"),
        ("labels = ['a', 'a']", r"labels\[1\].name: 'a' is also the name of labels\[0\]"),
        ("labels = [3]", r"labels\[0\]: must be a name or a table"),
        ("labels = ['']", r"labels\[0\].name: must not be empty"),
        ("labels = ['a']\ncolour = 1", "colour: unknown key"),
        ("labels = [{name = 'a', synonym = ['b']}]", r"labels\[0\].synonym: unknown key. Did you mean 'synonyms'"),
        ("labels = [{supercategory = 'a'}]", r"labels\[0\].name: is missing"),
        ("labels = [{name = 'a', synonyms = ['']}]", r"labels\[0\].synonyms: holds an empty word"),
        ("labels = [{name = 'a', synonyms = [1]}]", r"labels\[0\].synonyms\[0\]: expected a string"),
        ("labels = [{name = 'a', senses = ['kite']}]", r"labels\[0\].senses: 'kite' is not a sense"),
        ("labels = [{name = 'a', senses = ['kite#99']}]", r"labels\[0\].senses: 'kite#99' is not a sense"),
        ("labels = [{name = 'a', like = 'coco/kat'}]", r"labels\[0\].like: 'coco/kat' is not a shipped label"),
        ("name = ''\nlabels = ['a']", "name: must be a string"),
    ],
)
def test_a_wrong_file_is_refused_by_file_and_key(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(BadRecord, match=rf"own\.toml: .*{complaint}|own\.toml: {complaint}"):
        label_space(str(path))


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"missing\.toml: the label space cannot be read"):
        label_space(str(tmp_path / "missing.toml"))
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadRecord, match="is not UTF-8"):
        label_space(str(tmp_path / "bad.json"))
    with pytest.raises(UsageError, match="Did you mean 'coco'"):
        label_space("coc")


def test_a_sense_is_named_by_word_and_number() -> None:
    assert sense_of("kite#3") is not None
    for wrong in ("kite", "kite#0", "kite#9", "kite#x", "zzz#1", "#1", ""):
        assert sense_of(wrong) is None


def test_spaces_are_joined_and_a_word_of_two_means_the_label_of_the_first() -> None:
    space = label_space("coco-all")
    assert {*label_space("coco").names} < {*space.names} and "grass" in space
    # COCO-Stuff's table is a word of COCO's dining table.
    assert {*label_space("coco-stuff").names} - {*space.names} == {"table"}
    namer = namer_of(space)
    assert namer.named(["table"], "table").label == "dining table"
    assert namer.named(["lawn"], "lawn").label == "grass"


def test_a_file_may_join_shipped_spaces_and_add_labels(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('joins = ["voc"]\n[[labels]]\nname = "crane"\n')
    assert label_space(str(file)).names == ("crane", *label_space("voc").names)
    file.write_text('joins = ["vok"]\n')
    with pytest.raises(BadRecord, match="joins: must be a list of shipped label spaces: coco, coco-all"):
        label_space(str(file))
