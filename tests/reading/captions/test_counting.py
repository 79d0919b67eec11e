from __future__ import annotations

import pytest

from tests.reading.captions.conftest import Classes


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
        ("There are several boats: a ferry, two rowboats and a yacht.", {"boat": "4+"}),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A girl clutches a teddy bear. The bear is missing an eye.", {"person": "1", "teddy bear": "1"}),
        ("A girl hugs her teddy bear, and the bear has a scarf.", {"person": "1", "teddy bear": "1"}),
        ("Two teddy bears sit on a shelf. The bears wear bows.", {"teddy bear": "2"}),
        ("A teddy bear lies on the rug. Another bear sits on the shelf.", {"teddy bear": "2"}),
        ("Teddy bears fill the shelf. One bear wears a hat.", {"teddy bear": "2+"}),
        ("A plate of hot dogs. Each dog is topped with onions.", {"hot dog": "2+"}),
        ("A man eats a hot dog. The dog has mustard on it.", {"person": "1", "hot dog": "1"}),
        ("A grizzly carries a teddy bear. The bear growls.", {"bear": "1", "teddy bear": "1"}),
        ("A teddy bear lies on the grass. A bear walks by.", {"bear": "1", "teddy bear": "1"}),
        ("A man eats a hot dog. His dog watches.", {"person": "1", "hot dog": "1", "dog": "1"}),
        ("A woman eats a hot dog. The dog beside her begs.", {"person": "1", "hot dog": "1", "dog": "1"}),
        ("A man feeds a hot dog to the dog.", {"person": "1", "hot dog": "1", "dog": "1"}),
        ("A man with a beagle eats a hot dog. The dog has spots.", {"person": "1", "hot dog": "1", "dog": "1"}),
    ],
)
def test_the_last_word_of_a_name_comes_back_to_it(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A man sits with a Dalmatian. The dog wears sunglasses and its owner is grinning.", "1-2"),
        ("A woman plays fetch with her dog; the owner smiles.", "1-2"),
        ("A woman jogs with her dog, and it looks up at its owner.", "1-2"),
        ("A dog waits beside its owner.", "1"),
        ("A woman walks past a dog. A man, its owner, holds the leash.", "2"),
        ("A couple walks a dog. Its owners look happy.", "2"),
        ("A boy walks past a dog and its owner.", "1-2"),
        ("A vet examines a cat. Its owner looks on.", "1-2"),
        ("A toddler pets a dog. Its owner holds the leash.", "1-2"),
        ("A man passes a car. The shop owner waves.", "1-2"),
        ("A man eats in a restaurant. The owner greets him.", "1-2"),
    ],
)
def test_an_owner_may_be_the_one_person_who_was_named(classes: Classes, text: str, number: str) -> None:
    assert classes(text)["person"] == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Several horses graze. A mare stands apart from the rest of the herd.", {"horse": "2+"}),
        ("Six dogs run. A beagle lags behind the others.", {"dog": "6-7"}),
        ("Cows lie in a meadow. A bull stands apart from the herd.", {"cow": "2+"}),
        ("Three cars are parked. A red sedan is bigger than the other cars.", {"car": "3-4"}),
        ("Ten cyclists climb a hill. A rider in red is ahead of the pack.", {"person": "10-11"}),
        ("Three horses graze. A pony walks in from the left.", {"horse": "3-4"}),
        ("Two horses graze. A third horse stands apart from the others.", {"horse": "3"}),
        ("Three women chat. A man stands apart from the others.", {"person": "4"}),
        ("Several zebras rest. A giraffe stands apart from the herd.", {"zebra": "2+", "giraffe": "1"}),
        ("Five dogs play. A puppy runs toward the group.", {"dog": "5-6"}),
    ],
)
def test_one_that_is_apart_from_the_rest_is_a_part(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The diners by the window, a father and his son, look up.", "2"),
        ("The cyclists, a man and a woman, ride past.", "2"),
        ("Boys, a man and a woman, and a girl watch.", "2+"),
    ],
)
def test_two_between_commas_are_the_several_before_them(classes: Classes, text: str, number: str) -> None:
    assert classes(text) == {"person": number}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Laptop**: An open silver laptop\n- **Mouse**: A wireless mouse", {"laptop": "1", "mouse": "1"}),
        ("- **Dogs**: Two dogs playing\n- **Person**: A man with a hat", {"dog": "2", "person": "1"}),
        ("1. **Car**: A red sedan\n2. **Truck**: A white truck", {"car": "1", "truck": "1"}),
        ("Person 1: A man in a red shirt\nPerson 2: A woman in blue", {"person": "2"}),
        ("Bowl - a blue bowl with fruit", {"bowl": "1"}),
        ("- Chair: The wooden chair is empty", {"chair": "1"}),
        ("Cat: sleeping on the couch", {"cat": "1", "couch": "1"}),
        # No noun group reaches into the next line, unless a long one was wrapped.
        ("A dog\nCat\nTwo cars", {"dog": "1", "cat": "1", "car": "2"}),
        ("The picture shows a very long street with one hot\ndog on a plate.", {"hot dog": "1"}),
    ],
)
def test_a_line_of_a_list_names_its_thing_once(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a family of four having breakfast. The children drink juice.", {"person": "4"}),
        ("A family of four. Two adults and two children smile.", {"person": "4"}),
        ("A family of five walks by. The father carries a baby.", {"person": "5"}),
        ("A family of four elephants walks by.", {"elephant": "4"}),
        ("A motorcycle is parked. The bike is red.", {"motorcycle": "1"}),
        ("A motorcycle and a bike are parked. The bike is red.", {"motorcycle": "1", "bicycle": "1"}),
        ("A motorcycle passes a cyclist. The bike is blue.", {"motorcycle": "1", "person": "1", "bicycle": "1"}),
        ("A freight train with an orange locomotive crosses.", {"train": "1"}),
        ("A dog plays with a ball of yarn.", {"dog": "1"}),
    ],
)
def test_members_and_parts_add_nothing(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Two Dogs in a Park**\n\nTwo dogs are running on the grass.", {"dog": "2"}),
        ("# A Cat on a Couch\n\nA black cat sleeps on a gray couch.", {"cat": "1", "couch": "1"}),
        # What only the title names is there as well.
        ("A Dog and a Frisbee\n\nA dog jumps high.", {"dog": "1", "frisbee": "1"}),
        ("A man\n\nA woman", {"person": "2"}),
        ("People: 3\nCars: 2", {"person": "3", "car": "2"}),
        ("Objects:\n- dog (2)\n- cat (1)\n- ball", {"dog": "2", "cat": "1", "sports ball": "1"}),
        ("| Object | Count |\n|---|---|\n| dog | 2 |\n| cat | 1 |", {"dog": "2", "cat": "1"}),
        ("a dog (2 years old) sleeps", {"dog": "1"}),
    ],
)
def test_titles_repeat_and_lists_count(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected
