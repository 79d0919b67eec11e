from __future__ import annotations

import pytest

from tests.reading.captions.conftest import Classes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A bench under a sign that reads "Beware of Dog".', {"bench": "1"}),
        ("a street sign that says bear street on a pole", {}),
        ("A man in a Chicago Bulls jersey.", {"person": "1"}),
        ("A 1967 Ford Mustang outside a diner.", {"car": "1"}),
        ("A Ram pickup truck tows a boat.", {"truck": "1", "boat": "1"}),
        ("An Apple MacBook lies open.", {"laptop": "1"}),
        ("Three jet skis on the sand.", {}),
        ("A fork in the road.", {}),
        ("A black Labrador and a Siamese.", {"dog": "1", "cat": "1"}),
    ],
)
def test_written_words_and_names_are_not_things(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A person's hand holds a cup.", {"person": "1", "cup": "1"}),
        ("An empty dog's bowl.", {"bowl": "1"}),
        ("The refrigerator door is open.", {"refrigerator": "1"}),
        ("A laptop screen glows.", {"laptop": "1"}),
        ("A lone bicycle wheel.", {}),
        ("The skater's board is broken.", {"skateboard": "1"}),
    ],
)
def test_parts_that_imply_the_whole_and_parts_that_do_not(
    classes: Classes, text: str, expected: dict[str, str]
) -> None:
    assert {
        label: number for label, number in classes(text).items() if label != "person" or "person" in expected
    } == expected


@pytest.mark.parametrize(
    "text",
    [
        "possibly a dog",
        "There may be a dog.",
        "What could be a dog lies there.",
        "A cat, or perhaps a dog, sleeps.",
        "A man is waiting for a dog.",
        "A space reserved for a dog.",
    ],
)
def test_a_guess_is_not_claimed(classes: Classes, text: str) -> None:
    assert "dog" not in classes(text)


def test_only_the_breed_is_in_doubt(classes: Classes) -> None:
    assert classes("a dog, possibly a beagle, on a bench") == {"dog": "1", "bench": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "A jazz musician playing a keyboard on stage.",
        "He plays the keyboard in a band.",
        "Two men play keyboards.",
        "A man playing keyboards.",
        "A boy plays an electric keyboard.",
        "A drummer, a guitarist and a man on the keyboard.",
        "A piano keyboard with worn keys.",
        "Bats hang from the ceiling of a cave.",
        "A bat flies past the moon.",
    ],
)
def test_an_instrument_is_no_keyboard_and_an_animal_no_baseball_bat(classes: Classes, text: str) -> None:
    assert not {"keyboard", "baseball bat"} & classes(text).keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cat plays with a keyboard.", {"cat": "1", "keyboard": "1"}),
        ("A singer at a desk with a laptop and a keyboard.", {"person": "1", "laptop": "1", "keyboard": "1"}),
        ("Three baseball gloves and two wooden bats.", {"baseball glove": "3", "baseball bat": "2"}),
        ("The players hold bats and gloves.", {"person": "2+", "baseball bat": "2+", "baseball glove": "2+"}),
        ("Wooden bats lean against the dugout.", {"baseball bat": "2+"}),
        ("A player holds a bat while birds fly above.", {"person": "1", "baseball bat": "1", "bird": "2+"}),
    ],
)
def test_keyboards_to_type_on_and_bats_to_hit_with_are_there(
    classes: Classes, text: str, expected: dict[str, str]
) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "balls"),
    [
        ("A boy holds a baseball.", "1"),
        ("Two baseballs lie in the grass.", "2"),
        ("The batter swings at the baseball.", "1"),
        ("A girl dribbles a basketball.", "1"),
        ("A man throws basketball at a hoop.", "1"),
        ("Girls play basketball.", None),
        ("Five friends playing beach volleyball.", None),
        ("A game of football.", None),
        ("Children play baseball.", None),
        ("A baseball game is under way.", None),
    ],
)
def test_a_ball_game_is_no_ball(classes: Classes, text: str, balls: str | None) -> None:
    assert classes(text).get("sports ball") == balls


def test_a_bowl_for_skaters_is_no_bowl(classes: Classes) -> None:
    assert "bowl" not in classes("A skater rides the edge of a concrete bowl.")
    assert classes("A skater eats a bowl of noodles.")["bowl"] == "1"
