from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from anamorph.model import CaptionReading, Unreadable, Wording
from anamorph.model.reading import AnswerReading
from anamorph.reading.wrapping import unwrapped
from tests.english import answer_reader, caption_reader, wording_reader
from tests.readers.english.test_gold import CAPTIONS

MESSAGE = "A brown horse pulls a cart."
WRAPPED = [
    f"**Caption:** {MESSAGE}",
    f"Caption: \u201c{MESSAGE}\u201d",
    f"Here is a caption: {MESSAGE}",
    f"Here\u2019s one short caption for your photo:\n\n> {MESSAGE}",
    f"Sure! Here's a plain description of the image:\n{MESSAGE}",
    f"The caption for this picture is: {MESSAGE}",
    f"## Caption\n\n{MESSAGE}",
    f"Image description: {MESSAGE}",
    f"Alt-text: {MESSAGE}",
    f"```\n{MESSAGE}\n```",
    f"```text\n{MESSAGE}\n```",
    f"`{MESSAGE}`",
    f"- {MESSAGE}",
    f"1. {MESSAGE}",
    f"*{MESSAGE}*",
    "A **brown horse** pulls a __cart__.",
    json.dumps({"caption": MESSAGE}),
    f'```json\n{{"description": "{MESSAGE}"}}\n```',
    f"<caption>{MESSAGE}</caption>",
    f"<think>Is it a dog? Two dogs? No, a horse.</think>\n\n{MESSAGE}",
    f"The user wants a caption for a dog.\n</think>\n{MESSAGE}",
    f"{MESSAGE}\n\nLet me know if you want another caption with the dog!",
    f"{MESSAGE} Would you like a longer one?",
    f"{MESSAGE} I hope this helps!",
]


@pytest.mark.parametrize("text", WRAPPED)
def test_what_is_around_a_caption_changes_nothing(text: str) -> None:
    plain, caption = wording_reader(), caption_reader()
    read, bare = plain.read_text(text), plain.read_text(MESSAGE)
    assert isinstance(read, Wording) and isinstance(bare, Wording)
    assert (read.text, " ".join(read.normal.split())) == (text, bare.normal)
    found, wanted = caption.read_text(text), caption.read_text(MESSAGE)
    assert isinstance(found, CaptionReading) and isinstance(wanted, CaptionReading)
    assert (
        [mention.head for mention in found.mentions]
        == [mention.head for mention in wanted.mentions]
        == ["horse", "cart"]
    )
    for mention in found.mentions:
        assert text[mention.start : mention.end] == mention.text, "every place still fits the text as it came"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("I can't say who this is, but the image shows a man on a horse.", ["person", "horse"]),
        ("I'm not able to name the people. However, there are two dogs beside a bench.", ["dog", "bench"]),
        ("As an AI, I see a cat on a couch.", ["cat", "couch"]),
        (
            "I cannot identify anyone, but I can describe what is there: a woman with an umbrella.",
            ["person", "umbrella"],
        ),
    ],
)
def test_half_a_refusal_is_read_for_what_it_tells(text: str, labels: list[str]) -> None:
    read = caption_reader().read_text(text)
    assert isinstance(read, CaptionReading)
    assert [mention.label for mention in read.mentions if mention.label] == labels
    assert isinstance(wording_reader().read_text(text), Wording)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with pictures of people.",
        "Sorry, but there is no image attached.",
        "As an AI model, I don't have eyes to see with.",
        "I cannot see it, but I can describe it if you upload it again.",
        "I do not feel comfortable describing this picture.",
        "I must decline to caption this.",
        "I'm not allowed to describe faces.",
        "Our guidelines prohibit a description of this scene.",
        "My rules don't let me talk about this photo.",
        "The photo did not come through.",
        "The image failed to load.",
        "It looks like you forgot to attach the picture.",
        "[image not loaded]",
        "**I apologize**, the request was blocked.",
        "<think>A dog on a lawn. Is that allowed?</think>I won't describe this.",
    ],
)
def test_refusals_are_no_answers_to_any_reader(text: str) -> None:
    for reader in (caption_reader(), wording_reader(), answer_reader()):
        read = reader.read_text(text)
        assert isinstance(read, Unreadable) and "refuses" in read.reason, reader


@pytest.mark.parametrize(
    "text", ["<think>A dog, I think, but", "```\n```", "Let me know if you'd like a shorter one!", "**", "Caption:"]
)
def test_wrapping_without_a_message_is_no_answer(text: str) -> None:
    for reader in (caption_reader(), wording_reader()):
        assert isinstance(reader.read_text(text), Unreadable), reader


@pytest.mark.parametrize(
    "text",
    [
        "A sign with the caption: no dogs.",
        "A man says sorry to a woman.",
        "A cat that cannot reach the bird, but the dog can.",
        "A note reads 'no photo available'.",
        "Three answers on a blackboard: 3, 4 and 5.",
        "A hopeful dog looks at you.",
        "Two dogs - one brown, one white - on a lawn.",
        "A clock that shows 10:30.",
        "1 dog and 2 cats",
        "Here are two dogs and a ball.",
        "None",
        "No",
    ],
)
def test_captions_and_answers_that_only_look_wrapped_stay_whole(text: str) -> None:
    assert " ".join(unwrapped(text).split()) == text
    assert isinstance(wording_reader().read_text(text), Wording)


@pytest.mark.parametrize(
    ("text", "number", "yes"),
    [
        ("**2**", 2, None),
        ("```\n3\n```", 3, None),
        ("Answer: **yes**", None, True),
        ("**Answer:** four", 4, None),
        ("The answer is: no.", 0, False),
        ("My final answer is yes", None, True),
        ('{"answer": "3"}', 3, None),
        ("<think>Two dogs, or three? Three.</think>\n3", 3, None),
        ("- yes", None, True),
    ],
)
def test_what_is_around_an_answer_changes_nothing(text: str, number: int | None, yes: bool | None) -> None:
    read = answer_reader().read_text(text)
    assert isinstance(read, AnswerReading) and (read.number, read.yes) == (number, yes)


@given(st.text(max_size=300))
def test_any_text_keeps_its_length_and_only_loses_characters(text: str) -> None:
    found = unwrapped(text)
    assert len(found) == len(text)
    assert all(now in (was, " ") for was, now in zip(text, found, strict=True))


@given(st.lists(st.sampled_from([*WRAPPED, "<think>", "</think>", "but", "```", "**", "{", ":"]), max_size=12))
def test_even_a_heap_of_wrapping_is_read_quickly_and_keeps_its_length(parts: list[str]) -> None:
    text = " ".join(parts)
    assert len(unwrapped(text)) == len(text)


def test_real_captions_of_people_and_chat_models_are_not_taken_for_wrapping() -> None:
    if not CAPTIONS.is_dir():
        pytest.skip(f"{CAPTIONS} is not there: the captions of people and chat models are not part of the project")
    texts = [line for line in (CAPTIONS / "human.txt").read_text("utf-8").split("\n") if line.strip()]
    texts += [json.loads(row)["caption"] for row in (CAPTIONS / "chat.jsonl").read_text("utf-8").splitlines()]
    changed = [text for text in texts if unwrapped(text).split() != text.split()]
    assert len(changed) <= len(texts) / 1000
