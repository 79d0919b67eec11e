from __future__ import annotations

import pytest

from tests.reading.captions.conftest import Classes


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A small succulent in a terracotta pot.", "1"),
        ("A leafy fern hangs in a planter.", "1"),
        ("A green plant sits in a blue ceramic pot.", "1"),
        ("Ferns in hanging pots line the porch.", "2+"),
        ("Two orchids in white pots.", "2"),
        ("Two orchids in flowerpots.", "2"),
        ("Three succulents, each in its own pot.", "3"),
        ("A fern and a cactus in matching pots.", "2"),
        ("Basil and mint grow in clay pots.", "2+"),
        ("Flowers in a pot.", "1"),
        ("A pot of geraniums.", "1"),
        ("Two planters filled with ferns.", "2"),
        ("A potted dracaena.", "1"),
        ("A monstera in a white pot. The plant has large leaves, and the pot has a saucer.", "1"),
        ("No plants in pots are visible.", "0"),
    ],
)
def test_a_plant_in_a_pot_is_a_potted_plant(classes: Classes, text: str, number: str) -> None:
    assert classes(text) == {"potted plant": number}


@pytest.mark.parametrize(
    "text",
    [
        "A fern grows beside the path.",
        "A rose in a glass vase.",
        "Soup in a pot.",
        "Herbs in a pot of soup.",
        "Fresh basil in a cooking pot.",
        "Mint in a pot on the stove.",
        "A lobster in a pot.",
        "A small cactus sits next to a pot.",
        "A painting of a fern in a pot hangs on the wall.",
    ],
)
def test_other_plants_and_other_pots_are_none(classes: Classes, text: str) -> None:
    assert "potted plant" not in classes(text)
