from __future__ import annotations

import pytest

from tests.language.mentions.conftest import Classes


@pytest.mark.parametrize(
    "text",
    [
        "A man is skating. The man wears a cap.",
        "A skateboarder is in the air. The skater wears a cap.",
        "A man with a hat waves. He is old.",
        "A person is surfing. The surfer is good.",
        "The man is a chef.",
        "The owner, an old man with a cane, waves.",
        "A surfer rides a wave and shows his talent as a surfer.",
    ],
)
def test_the_same_one_again_adds_nothing(classes: Classes, text: str) -> None:
    assert classes(text)["person"] == "1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a dog and another dog", {"dog": "2"}),
        ("a dog and two cats with another dog", {"dog": "2", "cat": "2"}),
        ("A dog sleeps. A second dog barks.", {"dog": "2"}),
        ("Two dogs play. A third one sleeps.", {"dog": "3"}),
        ("Two dogs play, and one more is asleep.", {"dog": "3"}),
        ("A man carries a surfboard. The woman next to him carries one too.", {"person": "2", "surfboard": "2"}),
        ("A soldier waves. Other soldiers salute.", {"person": "3+"}),
        ("a man and a woman", {"person": "2"}),
        ("A boy climbs into the bus, and the driver greets him.", {"bus": "1", "person": "2"}),
        ("The train on the left is blue, and the train on the right is red.", {"train": "2"}),
        ("There is a cat on the bed and another on the floor.", {"cat": "2", "bed": "1"}),
    ],
)
def test_another_one_adds_one(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three people: two men and a woman", {"person": "3"}),
        ("a group of four people, two adults and two children, smile", {"person": "4"}),
        ("There are several boats: a canoe, two rowboats and a yacht.", {"boat": "4+"}),
        ("Two dogs are on a couch. One of them sleeps, the other barks.", {"dog": "2", "couch": "1"}),
        ("Two dogs are on a couch. One dog sleeps, the other dog barks.", {"dog": "2", "couch": "1"}),
        ("There are two dogs. One is a poodle, the other is a pug.", {"dog": "2"}),
        ("An elderly couple sits. The man smiles. Her husband waves.", {"person": "2"}),
        ("A flock of sheep grazes. One of the lambs is lost.", {"sheep": "2+"}),
        ("There are three cups: a blue one, a green one, and a yellow one.", {"cup": "3"}),
        ("A herd of elephants drinks. There are nine elephants in the picture.", {"elephant": "9"}),
    ],
)
def test_parts_do_not_add_to_their_total(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A brown bear with her two cubs.", {"bear": "3"}),
        ("a mother and baby elephant", {"elephant": "2"}),
        ("A cow is followed by her calf.", {"cow": "2"}),
        ("A mother duck leads six ducklings.", {"bird": "7"}),
    ],
)
def test_young_animals_are_animals(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected
