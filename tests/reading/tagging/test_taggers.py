from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from anamorph.errors import MissingExtra, UnknownName, UsageError
from anamorph.model.reading import CaptionReading
from anamorph.reading.tagging.taggers import find_tagger
from anamorph.reading.tokens import tokenize
from tests.english import caption_reader


def tags(text: str) -> list[str]:
    return find_tagger("rules").tag(tokenize(text))


def test_every_word_and_mark_has_a_tag() -> None:
    text = "The man's dogs aren't barking, are they? 3 \u201cbig\u201d cats!"
    assert len(tags(text)) == len(tokenize(text).texts)
    assert tags("") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man walks down a street", "DT NN VBZ RB DT NN"),
        ("two people laugh near a surfboard", "CD NNS VBP IN DT NN"),
        ("a woman and her daughter feed ducks", "DT NN CC PRP$ NN VBP NNS"),
        ("watching a person play a game", "VBG DT NN VBP DT NN"),
        ("a group of ducks walks along", "DT NN IN NNS VBZ IN"),
        ("teddy bears on a bed", "NN NNS IN DT NN"),
        ("a remote control", "DT JJ NN"),
        ("he is painting a wall", "PRP VBZ VBG DT NN"),
    ],
)
def test_the_rules_tell_nouns_from_verbs(text: str, expected: str) -> None:
    assert tags(text) == expected.split()


@pytest.mark.parametrize("vehicle", ["train", "bus", "car", "boat", "plane", "truck"])
@pytest.mark.parametrize(
    "verb", ["blurs", "whizzes", "rumbles", "snakes", "barrels", "brakes", "honks", "banks", "docks", "towers", "stops"]
)
def test_what_a_vehicle_does_is_a_verb(vehicle: str, verb: str) -> None:
    for text in ("a sleek {} {} past a wall", "an old {} {} noisily by", "the {} {} along a road", "one {} {} past"):
        assert "VBZ" in tags(text.format(vehicle, verb)), text


@pytest.mark.parametrize(
    "text",
    [
        "a bench by the train tracks in the snow",
        "the car lights in the distance",
        "near the bus stops on the road",
        "the boat docks on the lake are empty",
        "the dog treats on the table are old",
        "a New York Jets jersey",
        "a set of train tracks beside a fence",
    ],
)
def test_what_belongs_to_something_is_a_noun(text: str) -> None:
    assert not {"VBZ"} & set(tags(text))


@pytest.mark.parametrize(
    "text",
    [
        "boys on a bench look at a phone",
        "two men in a boat fish near the shore",
        "three people on a couch watch television",
        "a cat and a dog on a bed sleep side by side",
    ],
)
def test_where_several_are_does_not_hide_what_they_do(text: str) -> None:
    assert "VBP" in tags(text)


@pytest.mark.parametrize(
    "text", ["people at a bus stop in the rain", "kids on a water slide at a park", "men at a fruit stand near a road"]
)
def test_a_compound_that_says_where_several_are_is_no_verb(text: str) -> None:
    assert "VBP" not in tags(text)


def test_a_subject_after_and_has_a_verb_of_its_own() -> None:
    assert tags("the catcher crouches and the umpire watches .")[-2] == "VBZ"


def test_mid_throw_is_when_and_mid_century_how_something_is() -> None:
    assert tags("a pitcher mid-throw on the mound")[2] == "RB"
    assert tags("a dog mid-jump catches a ball")[2:4] == ["RB", "VBZ"]
    assert tags("a mid-century chair")[1] == "NN"
    assert tags("a woman in her mid-thirties walks a dog")[5] == "VBZ"


def test_no_plural_follows_a_word_for_one_thing() -> None:
    assert tags("a remote rests beside the couch")[1:3] == ["NN", "VBZ"]
    assert tags("an orange sports car races past")[2] == "NNS"


def test_words_are_parted_from_what_hangs_on_them() -> None:
    tokens = tokenize("A man\u2019s hot-dog isn't <b>1,000</b> t-shirts")
    assert tokens.lowers == ["a", "man", "'s", "hot-dog", "is", "n't", "1,000", "t-shirts"]
    assert tokens.texts[2] == "\u2019s"
    assert (tokens.starts[3], tokens.ends[3]) == (8, 15)


def test_an_unknown_tagger_is_named() -> None:
    for name in ("nltk", "rules:big", ""):
        with pytest.raises(UnknownName, match="Known: rules, spacy"):
            find_tagger(name)


@pytest.mark.parametrize("name", ["spacy", "stanza"])
def test_a_tagger_that_is_not_installed_says_how_to_install_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=rf"pip install 'anamorph\[{name}\]'"):
        find_tagger(name)


def _pretend(monkeypatch: pytest.MonkeyPatch, name: str, **contents: Any) -> None:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    for key, value in contents.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)


def _tag(word: str) -> str:
    return {"dogs": "NNS", "cat": "NN", "a": "DT", "and": "CC", "two": "CD"}.get(word, "NNP")


def test_spacys_tags_are_read_on_our_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(model: str, exclude: list[str]) -> Any:
        if model == "en_missing":
            raise OSError("no such model")
        pipeline = lambda doc: [SimpleNamespace(tag_=_tag(word)) for word in doc]  # noqa: E731
        return _Callable(pipeline)

    class _Callable:
        vocab = None

        def __init__(self, pipeline: Any) -> None:
            self._pipeline = pipeline

        def __call__(self, doc: Any) -> Any:
            return self._pipeline(doc)

    _pretend(monkeypatch, "spacy", load=load, __path__=[])
    _pretend(monkeypatch, "spacy.tokens", Doc=lambda vocab, words: words)
    reading = caption_reader(tagger="spacy").read_text("two dogs and a cat")
    assert isinstance(reading, CaptionReading)
    assert [(m.label, m.number, m.count) for m in reading.mentions] == [("dog", "plural", 2), ("cat", "singular", None)]
    with pytest.raises(UsageError, match="python -m spacy download en_missing"):
        find_tagger("spacy:en_missing")


def test_stanzas_tags_are_read_on_our_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipeline:
        def __init__(self, language: str, **settings: Any) -> None:
            if settings.get("dir") == "/nowhere":
                raise FileNotFoundError("no model")
            assert settings["tokenize_pretokenized"] and settings["download_method"] is None

        def __call__(self, sentences: list[list[str]]) -> Any:
            words = [[SimpleNamespace(xpos=_tag(word)) for word in sentence] for sentence in sentences]
            return SimpleNamespace(sentences=[SimpleNamespace(words=sentence) for sentence in words])

    _pretend(monkeypatch, "stanza", Pipeline=Pipeline)
    reading = caption_reader(tagger="stanza").read_text("two dogs and a cat")
    assert isinstance(reading, CaptionReading)
    assert reading.labels == ("dog", "cat")
    with pytest.raises(UsageError, match="cannot be loaded"):
        find_tagger("stanza:/nowhere")
