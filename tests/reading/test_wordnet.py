from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from anamorph.errors import AnamorphError
from anamorph.reading.wordnet import Taxonomy, taxonomy

SOURCE = Path("/usr/share/wordnet")
ROOT = Path(__file__).resolve().parents[2]


def chain(noun: str, depth: int) -> list[list[str]]:
    wordnet = taxonomy()
    return [[wordnet.names(sense)[0] for sense in level] for level in wordnet.levels(wordnet.senses(noun)[0], depth)]


def test_senses_come_most_frequent_first_and_lead_upwards() -> None:
    assert chain("parrot", 1) == [["parrot"], ["bird"]]
    assert chain("woman", 2) == [["woman"], ["female", "adult"], ["person"]]
    assert taxonomy().names(taxonomy().senses("kite")[2]) == ("kite",)
    assert len(taxonomy().senses("dog")) == 7


def test_every_noun_leads_to_entity() -> None:
    wordnet = taxonomy()
    (entity,) = wordnet.senses("entity")
    for noun in ("dog", "hot dog", "justice", "running", "water", "teddy bear"):
        assert entity in wordnet.closure(wordnet.senses(noun)[0])


def test_words_know_how_often_they_are_which_part_of_speech() -> None:
    wordnet = taxonomy()
    assert wordnet.parts("orange").noun and wordnet.parts("orange").adjective and not wordnet.parts("orange").verb
    assert wordnet.parts("stand").verb > wordnet.parts("stand").noun > 0
    assert wordnet.parts("xyzzy") == (0, 0, 0, 0)
    assert wordnet.plurals["geese"] == "goose"
    assert wordnet.verb_forms["stood"] == "stand"


def test_unknown_words_have_no_senses() -> None:
    assert taxonomy().senses("xyzzy") == ()
    assert not taxonomy().knows("犬")


def test_a_damaged_file_is_refused() -> None:
    with pytest.raises(AnamorphError, match="damaged"):
        Taxonomy(b"something else")


def test_the_licence_stands_beside_the_file() -> None:
    licence = ROOT / "src" / "anamorph" / "reading" / "WORDNET-LICENSE.txt"
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence.read_text()


def test_the_file_is_what_the_script_makes() -> None:
    if not (SOURCE / "data.noun").is_file():
        pytest.skip("Debian's wordnet-base is not installed")
    path = ROOT / "scripts" / "build_wordnet.py"
    spec = importlib.util.spec_from_file_location("build_wordnet", path)
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    built = Taxonomy(script.build(SOURCE))
    shipped = taxonomy()
    for noun in ("dog", "person", "hot dog", "zyrian", "a"):
        assert built.senses(noun) == shipped.senses(noun)
        assert [built.names(s) for s in built.senses(noun)] == [shipped.names(s) for s in shipped.senses(noun)]
    assert built.plurals == shipped.plurals
