from __future__ import annotations

from collections.abc import Sequence

import pytest

from anamorph.config.settings import ProveSettings
from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.engine.prove import by_caption
from anamorph.engine.prove.by_caption import CaptionedCase, CaptionProof, settled_by_witness
from anamorph.engine.prove.by_class import ClosedProof
from anamorph.engine.prove.findings import Finding
from anamorph.model import (
    Answer,
    Box,
    CaptionReading,
    Conflict,
    ConflictKind,
    Edit,
    LabelSet,
    Reading,
    Scene,
    Thing,
    Wanted,
)
from anamorph.readers.english.reader import EnglishReader
from anamorph.reading.labels import label_space
from tests.engine.prove.closed_answers import Said, about

LARGE = Box(0, 0, 500, 400)
SMALL = Box(0, 0, 50, 40)
DOG = about("dog")


def read(text: str) -> CaptionReading:
    reading = EnglishReader().read(Answer(text=text), Wanted("caption", label_space("coco")))
    assert isinstance(reading, CaptionReading)
    return reading


def scene(box: Box = SMALL, references: Sequence[str] = ()) -> Scene:
    things = (Thing("1", "dog", box), Thing("2", "cat", SMALL))
    return Scene("photo", "p.jpg", 1000, 800, things, tuple(references))


def blurred(number: int) -> tuple[Edit, ...]:
    return (Blur(number),)


def settled(
    captions: tuple[str, str],
    others: Sequence[str] = (),
    what: ConflictKind = "lost",
    *,
    of: Scene | None = None,
    label: str = "dog",
    edits: tuple[Edit, ...] = (Blur(1),),
    changes: Sequence[tuple[str, int | None]] = (),
    exhaustive: bool = False,
    known: bool = False,
) -> Finding:
    described = {(): read(captions[0]), edits: read(captions[1])}
    described |= {blurred(number): read(text) for number, text in enumerate(others, start=2)}
    shown = of or scene()
    proof = CaptionProof(
        shown, lambda: described, exhaustive, ProveSettings().arguable, lambda: list(map(read, shown.captions))
    )
    case = CaptionedCase(((), edits), list(map(read, captions)), changes)
    probes = (1,) if known or what == "missing" else (0, 1)
    return proof.settled(case, Conflict(label, "omission", what, probes, known))


def test_another_detail_this_time_is_a_lead() -> None:
    assert settled(("A dog and a cat.", "A cat.")).why == by_caption.TASTE


def test_what_the_system_names_in_all_other_images_counts_where_they_are_many_or_nearly_the_same() -> None:
    named = ["A dog and a cat."] * 3
    captions = ("A dog and a cat.", "A cat.")
    found = settled(captions, named)
    assert found.state == "proved" and "4 of 4 other images" in found.why
    assert settled(captions, named[:2]).state == "lead"
    assert settled(captions, [*named, "A cat."]).state == "lead"
    # People put it differently every time, and leave things out.
    told = [
        "My dog has seen something.",
        "A brown dog runs over grass.",
        "Sunny afternoon: the dog is off its leash.",
        "There lies a dog near some trees.",
        "Behind the fence, a dog barks at us.",
        "Somebody's dog looks tired.",
        "The white dog chases leaves.",
        "One dog on its own in a garden.",
    ]
    bare = ("A dog and a tree.", "A tree.")
    assert "9 of 9 other images" in settled(bare, told).why
    assert settled(bare, told[:7]).why == by_caption.TASTE
    assert settled(bare, [*told, "Grass."]).why == by_caption.TASTE
    assert settled(bare, [*told * 4, "Grass."]).state == "proved"


def test_another_thing_that_is_there_named_in_its_place_is_another_detail() -> None:
    named = ["A dog on a lawn."] * 9
    found = settled(("A dog on a lawn.", "A cat on a lawn."), named)
    assert found.state == "lead" and found.why == by_caption.INSTEAD.format("cat")
    # A bird is not there, as far as anybody knows; and a cat that most others name has no place to take.
    assert settled(("A dog on a lawn.", "A bird on a lawn."), named).state == "proved"
    assert settled(("A dog and a cat.", "A cat."), ["A dog and a cat."] * 9).state == "proved"
    # Who names more than in any other image has room for it.
    assert settled(("A dog on a lawn.", "A cat, a bench and a kite."), named).state == "proved"


def test_labels_of_a_tagger_are_alike_where_most_are_the_same() -> None:
    def tagged(*labels: str) -> LabelSet:
        return LabelSet(frozenset(labels))

    def state(others: Sequence[LabelSet]) -> str:
        said: dict[tuple[Edit, ...], Reading] = {blurred(number): each for number, each in enumerate(others, start=2)}
        source, silent = tagged("dog", "cat"), tagged("cat")
        proof = CaptionProof(scene(), lambda: {(): source, blurred(1): silent, **said}, exhaustive=False)
        case = CaptionedCase(((), blurred(1)), [source, silent], ())
        return proof.settled(case, Conflict("dog", "omission", "lost", (0, 1))).state

    assert state([tagged("dog", "cat")] * 3) == "proved"
    assert state([tagged("dog", "tree"), tagged("dog", "car"), tagged("dog", "bed", "sofa")]) == "lead"


def test_images_from_which_it_was_removed_are_no_others() -> None:
    proof = CaptionProof(
        scene(),
        lambda: {
            (): read("A dog and a cat."),
            **{blurred(number): read("A dog and a cat.") for number in range(1, 6)},
            (Melt(("1",)),): read("A cat."),
            (Melt(("2",)),): read("A lawn."),
        },
        exhaustive=False,
    )
    case = CaptionedCase(((), (Melt(("2",)),)), [read("A dog and a cat."), read("A lawn.")], (("cat", -1),))
    assert proof.settled(case, Conflict("dog", "omission", "lost", (0, 1))).state == "proved"


def test_what_is_large_and_named_by_people_counts() -> None:
    people = ("A dog.", "A big dog.", "The dog sits.", "A dog again.")
    captions = ("A dog and a cat.", "A cat.")
    assert settled(captions, of=scene(LARGE, people)).state == "proved"
    assert settled(captions, of=scene(SMALL, people)).state == "lead"
    # One of them who leaves it out shows that it can be left out.
    assert settled(captions, of=scene(LARGE, (*people, "A lawn."))).state == "lead"
    assert settled(captions, of=scene(LARGE, people[:2])).state == "lead"


def test_a_word_that_stands_there_too_was_only_read_otherwise() -> None:
    others = ["Three guinea fowl on grass."] * 6
    found = settled(("Three guinea fowl on grass.", "Odd: guinea fowl forage."), others, label="bird")
    assert found.state == "lead"


def test_a_class_with_many_names_never_counts_by_silence() -> None:
    others = ["A table and a cat."] * 6
    found = settled(("A table and a cat.", "A cat."), others, label="dining table")
    assert found.why == by_caption.ARGUABLE


def test_another_subject_under_a_harmless_edit_is_always_reported() -> None:
    captions = ("Two dogs on a couch.", "A pizza and a fork.")
    assert settled(captions).state == "proved"
    # A melted couch may change the view, and a shared word says that it is the same picture.
    assert settled(captions, edits=(Melt(("2",)),)).state == "lead"
    assert settled(("Two dogs on a couch.", "A couch and a fork.")).state == "lead"
    # What is annotated is another part of the same picture.
    assert settled(("Two dogs on a couch.", "A cat and a fork.")).state == "lead"


@pytest.mark.parametrize(
    ("captions", "state"),
    [
        (("Three dogs play.", "Two dogs play."), "proved"),
        (("A dog plays.", "Two dogs play."), "lead"),
        (("Three dogs play.", "Dogs play."), "lead"),
    ],
)
def test_numbers_count_where_both_captions_commit_to_one(captions: tuple[str, str], state: str) -> None:
    assert settled(captions, what="number").state == state


def test_numbers_of_what_the_edit_touches_do_not_count() -> None:
    melted: tuple[Edit, ...] = (Melt(("1",)),)
    assert settled(("Three dogs.", "Three dogs."), what="number", edits=melted, changes=(("dog", -1),)).state == "lead"


@pytest.mark.parametrize("what", ["invented", "gone", "number"])
def test_annotations_count_only_where_they_are_declared_exhaustive(what: ConflictKind) -> None:
    captions = ("A cat.", "A dog and a cat.")
    assert settled(captions, what=what, known=True).state == "lead"
    assert settled(captions, what=what, known=True, exhaustive=True).state == "proved"


def test_what_was_inserted_is_looked_for_in_follow_ups_only() -> None:
    placed: dict[tuple[Edit, ...], Reading] = {
        (Insert("dog-1", Box(n, n, 50, 50)),): read("A dog and a cat.") for n in range(1, 6)
    }
    silent: tuple[Edit, ...] = (Insert("dog-1", Box(0, 0, 50, 50)),)
    proof = CaptionProof(scene(), lambda: {(): read("A cat."), silent: read("A cat."), **placed}, exhaustive=False)
    case = CaptionedCase(((), silent), [read("A cat."), read("A cat.")], (("dog", 1),))
    assert proof.settled(case, Conflict("dog", "omission", "missing", (1,), known=True)).state == "proved"


# --- with a witness ----------------------------------------------------------------------------------------------


def witnessed(
    captions: tuple[str, str], said: Said, what: ConflictKind, others: Sequence[str] = (), known: bool = False
) -> Finding:
    described = {(): read(captions[0]), blurred(1): read(captions[1])}
    described |= {blurred(number): read(text) for number, text in enumerate(others, start=2)}
    proof = CaptionProof(scene(), lambda: described, exhaustive=False)
    case = CaptionedCase(((), blurred(1)), list(map(read, captions)), ())
    conflict = Conflict("dog", "omission", what, (1,) if known else (0, 1), known)
    closed = ClosedProof(scene(), said.hearing(), ProveSettings())
    return settled_by_witness(closed, proof, case, conflict, DOG)


def test_a_claim_that_the_witness_denies_is_proved_once_it_was_asked_again() -> None:
    captions = ("A cat.", "A dog and a cat.")
    first = witnessed(captions, Said().say((), DOG.question, "0").say(blurred(1), DOG.question, "0"), "gained")
    assert first.state == "open" and {order.attempts for order in first.orders} == {2}
    again = Said().say((), DOG.question, "0", "0").say(blurred(1), DOG.question, "0", "0")
    assert witnessed(captions, again, "gained").state == "proved"
    unsure = Said().say((), DOG.question, "0", "0").say(blurred(1), DOG.question, "0", "1")
    assert witnessed(captions, unsure, "gained").state == "lead"


def test_leaving_out_what_the_witness_does_not_see_is_right() -> None:
    said = Said().say((), DOG.question, "1").say(blurred(1), DOG.question, "0")
    assert witnessed(("A dog and a cat.", "A cat."), said, "lost").state == "refuted"


def test_leaving_out_what_the_witness_sees_counts_where_it_is_no_matter_of_taste() -> None:
    said = Said().say((), DOG.question, "1", "1").say(blurred(1), DOG.question, "1", "1")
    captions = ("A dog and a cat.", "A cat.")
    assert witnessed(captions, said, "lost", ["A dog and a cat."]).state == "proved"
    assert witnessed(captions, said, "lost", ["A cat.", "A cat on a lawn."]).state == "lead"


def test_an_object_that_the_witness_still_sees_was_not_removed() -> None:
    said = Said().say(blurred(1), DOG.question, "1")
    assert witnessed(("A dog.", "A dog."), said, "gone", known=True).state == "unfair"


def test_a_number_that_the_witness_contradicts_is_proved() -> None:
    said = Said().say((), DOG.question, "2", "2").say(blurred(1), DOG.question, "2", "2")
    assert witnessed(("Two dogs.", "Three dogs."), said, "number").state == "proved"
