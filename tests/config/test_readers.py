"""Who reads for a run: the choice of readers by name, their settings, and the label space that they read in."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import pytest

from anamorph import catalog
from anamorph.config import config_schema, resolve
from anamorph.config.readers import DEFAULT_READERS, LONGEST_READ, RunReaders, readers_that_make
from anamorph.errors import NotTrusted, UsageError
from anamorph.model import (
    READING_KINDS,
    Answer,
    AnswerReading,
    CaptionReading,
    LabelSet,
    Reading,
    ReadingKind,
    Unreadable,
    Wanted,
    Wording,
    setting,
)
from anamorph.readers.closed import ClosedReader
from anamorph.readers.english.reader import EnglishReader

TRACTORS = """name = "farm"

[[labels]]
name = "tractor"
synonyms = ["harvester"]

[[labels]]
name = "barn"
"""


@dataclass(frozen=True)
class Shouting:
    """Reads a text in capital letters."""

    kind: ClassVar[str] = "shouting"
    makes: ClassVar[tuple[ReadingKind, ...]] = ("caption", "wording")
    marks: str = setting("!", "What it ends with.")

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        return Wording(answer.text or "", (answer.text or "").upper() + self.marks)


@dataclass
class Closing:
    """Reads everything, and holds something."""

    kind: ClassVar[str] = "closing"
    closed: ClassVar[list[str]] = []

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        return Unreadable(answer.text or "", f"{wanted.kind} in {wanted.space.name}: {wanted.question}")

    def close(self) -> None:
        self.closed.append(self.kind)


@dataclass
class Breaking:
    """Raises what an answer names."""

    kind: ClassVar[str] = "breaking"

    def read(self, answer: Answer, wanted: Wanted) -> Reading:
        raise {"machine": MemoryError, "purpose": NotTrusted}.get(answer.text or "", IndexError)("no place")


@pytest.fixture(autouse=True)
def _readers_of_the_test(request: pytest.FixtureRequest) -> None:
    catalog._loaded.setdefault("readers", {}).update({cls.kind: cls for cls in (Shouting, Closing, Breaking)})


def complaint(readers: Any, **more: Any) -> str:
    with pytest.raises(UsageError) as caught:
        resolve({"readers": readers, **more})
    return str(caught.value)


def test_every_kind_of_reading_has_a_reader_by_default() -> None:
    readers = resolve({}).readers()
    assert list(DEFAULT_READERS) == list(READING_KINDS)
    for kind in READING_KINDS:
        assert readers.name_of(kind) == DEFAULT_READERS[kind]
        made = ClosedReader() if kind == "closed" else EnglishReader()
        assert readers.reader(readers.name_of(kind)) == made
    assert not readers.asking_kinds


def test_a_reader_is_chosen_by_its_name_for_one_kind_and_no_other() -> None:
    readers = resolve({"readers": {"wording": "shouting"}}).readers()
    assert readers.read("wording", Answer("a dog")) == Wording("a dog", "A DOG!")
    assert isinstance(readers.read("caption", Answer("a dog")), CaptionReading)


def test_a_chosen_reader_has_the_settings_of_its_table() -> None:
    readers = resolve({"readers": {"wording": "shouting", "shouting": {"marks": "?"}}}).readers()
    assert readers.read("wording", Answer("a dog")) == Wording("a dog", "A DOG?")
    assert readers.reader("shouting") is readers.reader("shouting")
    assert complaint({"shouting": {"mark": "?"}}).startswith(
        "readers.shouting.mark: unknown key. Did you mean 'marks'?"
    )
    assert complaint({"english": {"threshold": 2}}).startswith("readers.english.threshold: must be at most 1")


def test_an_answer_that_breaks_its_reader_is_unread_and_the_reader_is_remembered() -> None:
    readers = resolve({"readers": {"caption": "breaking"}}).readers()
    assert readers.read("caption", Answer("a dog")) == Unreadable(
        "a dog", "The reader breaking failed on it (IndexError: no place)."
    )
    assert readers.broken == {"breaking": "IndexError: no place"}


@pytest.mark.parametrize(("text", "error"), [("machine", MemoryError), ("purpose", NotTrusted)])
def test_what_is_not_the_readers_fault_is_raised(text: str, error: type[Exception]) -> None:
    readers = resolve({"readers": {"caption": "breaking"}}).readers()
    with pytest.raises(error):
        readers.read("caption", Answer(text))
    assert not readers.broken


def test_what_is_wanted_reaches_the_reader() -> None:
    readers = resolve({"labels": "voc", "readers": dict.fromkeys(READING_KINDS, "closing")}).readers()
    for kind in READING_KINDS:
        assert readers.read(kind, Answer("x"), "Why?") == Unreadable("x", f"{kind} in voc: Why?")


def test_a_relation_of_a_released_tool_is_read_by_that_tools_reader_whatever_the_run_chose() -> None:
    readers = resolve({"readers": {"caption": "shouting"}}).readers()
    assert isinstance(readers.read("caption", Answer("a man"), read_by="released-metaic"), CaptionReading)


def test_a_name_that_is_not_known_is_answered_with_the_nearest() -> None:
    assert "Unknown reader 'englsh'. Did you mean 'english'?" in complaint({"caption": "englsh"})
    assert "Unknown reader 'shoutin'. Did you mean 'shouting'?" in complaint({"wording": "shoutin"})
    assert "Unknown reader 'englisch'. Did you mean 'english'?" in complaint({"englisch": {}})


def test_a_reader_that_does_not_make_a_kind_is_refused_with_those_that_do() -> None:
    told = complaint({"answer": "shouting"})
    assert told.startswith("readers.answer: the reader 'shouting' makes caption, wording. These make answer: ")
    assert "english" in told and "closing" in told and "released" not in told
    assert "readers.labels: the reader 'released-rome' makes caption." in complaint({"labels": "released-rome"})


@pytest.mark.parametrize("value", [5, ["english"], True])
def test_what_is_no_name_is_refused(value: Any) -> None:
    assert complaint({"caption": value}).startswith("readers.caption: expected the name of a reader, such as 'english'")


def test_the_readers_that_make_a_kind_are_those_that_say_so_and_those_that_say_nothing() -> None:
    assert {"closing", "shouting", "english", "released-rome"} <= set(readers_that_make("caption"))
    assert "closing" in readers_that_make("closed") and "english" not in readers_that_make("closed")


def test_the_schema_knows_who_makes_which_kind() -> None:
    check = jsonschema.Draft202012Validator(config_schema())
    assert check.is_valid({"labels": "farm.toml", "readers": {"caption": "shouting", "english": {"threshold": 0.3}}})
    wrong: list[dict[str, Any]] = [{"answer": "shouting"}, {"caption": "nobody"}, {"caption": 5}, {"plain": {}}]
    for bad in wrong:
        assert not check.is_valid({"readers": bad}), bad


def test_readers_are_closed_if_they_were_made_and_have_something_to_close() -> None:
    Closing.closed.clear()
    for used in (False, True):
        readers = resolve({"readers": {"caption": "closing"}}).readers()
        if used:
            readers.read("caption", Answer("x"))
        readers.read("wording", Answer("x"))
        readers.close()
        assert Closing.closed == ["closing"] * used


def test_references_that_cannot_be_read_are_left_out() -> None:
    readers = resolve({}).readers()
    assert [each.labels for each in readers.read_references(["A dog.", "", "Two cats."])] == [("dog",), ("cat",)]
    assert readers.read_references([]) == ()


# --- the label space ---------------------------------------------------------------------------------------------


@pytest.fixture
def farm(tmp_path: Path) -> RunReaders:
    file = tmp_path / "farm.toml"
    file.write_text(TRACTORS)
    return resolve({"labels": str(file)}).readers()


def test_captions_are_read_in_the_label_space_of_the_run(farm: RunReaders) -> None:
    assert farm.space.names == ("tractor", "barn")
    reading = farm.read("caption", Answer("Two harvesters beside a barn and a dog."))
    assert isinstance(reading, CaptionReading) and reading.labels == ("tractor", "barn")


def test_answers_are_read_in_the_label_space_of_the_run(farm: RunReaders) -> None:
    question, text = "How many tractors are there?", "Two harvesters."
    reading = farm.read("answer", Answer(text), question)
    assert isinstance(reading, AnswerReading) and reading.number == 2
    told = farm.read("wording", Answer(text), question)
    assert isinstance(told, Wording) and isinstance(told.said, AnswerReading) and told.said.number == 2
    # In COCO's classes, nothing says that a harvester is a tractor.
    assert isinstance(resolve({}).readers().read("answer", Answer(text), question), Unreadable)


def test_what_is_there_and_what_is_not_is_told_in_its_words_too(farm: RunReaders) -> None:
    one = farm.read("answer", Answer("Yes, a harvester."), "Is there a tractor?")
    assert isinstance(one, AnswerReading) and (one.there, one.least) == (True, 1)
    none = farm.read("answer", Answer("There are no harvesters, just a barn."), "Are there any tractors?")
    assert isinstance(none, AnswerReading) and (none.there, none.number) == (False, 0)


def test_tags_are_those_of_the_label_space(farm: RunReaders) -> None:
    assert farm.read("labels", Answer("harvesters, barns")) == LabelSet(frozenset({"tractor", "barn"}))


def test_a_label_space_that_is_not_there_is_refused_before_anything_starts(tmp_path: Path) -> None:
    assert "Unknown label space 'cocoa'. Did you mean 'coco'?" in complaint({}, labels="cocoa")
    assert "gone.toml: the label space cannot be read" in complaint({}, labels=str(tmp_path / "gone.toml"))
    (tmp_path / "bad.toml").write_text("labels = 5")
    assert "bad.toml" in complaint({}, labels=str(tmp_path / "bad.toml"))


# --- the run of somebody else --------------------------------------------------------------------------------------


def strange(**plain: Any) -> RunReaders:
    return resolve(plain, trusted=False).readers()


def test_the_run_of_somebody_else_is_read_with_what_ships() -> None:
    readers = strange(labels="voc", readers={"english": {"tagger": "rules", "threshold": 0.3, "free_tags": True}})
    assert readers.read("labels", Answer(labels={"dog": 0.4})) == LabelSet(frozenset({"dog"}))
    assert readers.space.name == "voc"


@pytest.mark.parametrize("tagger", ["spacy", "spacy:evil", "stanza:/tmp/evil", ["rules", "spacy"], {"a": 1}])
def test_it_has_no_model_loaded_for_its_readers(tagger: Any) -> None:
    readers = strange(readers={"english": {"tagger": tagger}})
    with pytest.raises(NotTrusted, match=r"The reader 'english' needs tagger = .* which is not opened for a run"):
        readers.read("caption", Answer("a dog"))


def test_it_has_no_file_opened_for_its_label_space(tmp_path: Path) -> None:
    (tmp_path / "farm.toml").write_text(TRACTORS)
    for labels in (str(tmp_path / "farm.toml"), str(tmp_path / "gone.toml"), "cocoa"):
        readers = strange(labels=labels)
        with pytest.raises(NotTrusted, match=r"The label space .* is not opened for a run"):
            _ = readers.space
        with pytest.raises(NotTrusted, match=r"The label space .* is not opened for a run"):
            readers.read("caption", Answer("a dog"))


def test_its_own_reader_is_used_only_with_settings_that_name_nothing() -> None:
    """A text may be the name of anything, unless the reader says that the value ships."""
    assert isinstance(strange(readers={"wording": "shouting"}).read("wording", Answer("x")), Wording)
    with pytest.raises(NotTrusted, match="The reader 'shouting' needs marks = '/etc/passwd'"):
        strange(readers={"wording": "shouting", "shouting": {"marks": "/etc/passwd"}}).read("wording", Answer("x"))


HOSTILE = {
    "brackets": "(" * 16_000_000,
    "list": "dog, cat, " * 1_500_000,
    "digits": "9" * 15_000_000,
    "space": "a" + " " * 19_990 + "b",
    "lines": "a" + "\n" * 19_990 + "b",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", READING_KINDS)
def test_reading_takes_no_time_that_grows_with_the_square_of_an_answer(kind: ReadingKind, name: str) -> None:
    readers, text = resolve({}).readers(), HOSTILE[name]
    readers.read(kind, Answer("a dog"))
    began = time.process_time()
    reading = readers.read(kind, Answer(text), "How many dogs are in the image?")
    assert time.process_time() - began < 2
    if len(text) > LONGEST_READ:
        assert isinstance(reading, Unreadable) and "more than 20,000 characters" in reading.reason
