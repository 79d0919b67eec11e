"""The toybox's own neural systems."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import BadPicture, MissingExtra
from anamorph.model import Answer, Ask, Failure, Pixels, decode
from anamorph.toybox import networks
from anamorph.toybox.captions import said_by
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import paint
from anamorph.toybox.drawing.recipes import Recipe
from anamorph.toybox.systems import ToyboxSystem


# Fresh scenes: the networks were trained on seed 1001.
@functools.cache
def recipes() -> list[Recipe]:
    return [compose(5005, index) for index in range(60)]


@functools.cache
def pictures() -> list[Pixels]:
    return [paint(recipe) for recipe in recipes()]


needs_onnxruntime = pytest.mark.skipif(
    importlib.util.find_spec("onnxruntime") is None, reason="onnxruntime is not installed"
)


def asks(shown: Sequence[Pixels], questions: Sequence[str | None] | None = None) -> list[Ask]:
    questions = questions or [None] * len(shown)
    return [
        Ask(str(k), question, None, lambda picture=picture: picture)  # type: ignore[misc]
        for k, (picture, question) in enumerate(zip(shown, questions, strict=True))
    ]


def numbers(recipe: Recipe) -> dict[str, int]:
    return dict(Counter(item.label for item in recipe.items))


def texts(replies: Sequence[Answer | Failure]) -> list[str]:
    return [reply.text or "" for reply in replies if isinstance(reply, Answer)]


@needs_onnxruntime
def test_the_captioner_names_classes_and_numbers_of_fresh_scenes() -> None:
    replies = texts(ToyboxSystem("captioner").ask(asks(pictures()), 60))
    right = [said_by(text).numbers == numbers(recipe) for text, recipe in zip(replies, recipes(), strict=True)]
    assert np.mean(right) >= 0.8
    assert len(set(replies)) > 40


@needs_onnxruntime
def test_the_tagger_scores_the_classes_of_fresh_scenes() -> None:
    replies = ToyboxSystem("tagger").ask(asks(pictures()), 60)
    right = []
    for reply, recipe in zip(replies, recipes(), strict=True):
        assert isinstance(reply, Answer) and reply.labels is not None
        assert set(reply.labels) == set(CLASSES)
        assert all(0 <= score <= 1 for score in reply.labels.values())
        right.append({label for label, score in reply.labels.items() if score >= 0.5} == set(numbers(recipe)))
    assert np.mean(right) >= 0.8


@needs_onnxruntime
def test_the_answerer_counts_and_says_whether_there_are_any() -> None:
    questions, truth, shown = [], [], []
    for recipe, picture in zip(recipes(), pictures(), strict=True):
        there = numbers(recipe)
        one, other = next(iter(there)), "zebra" if "zebra" not in there else "couch"
        both = there[one] + there.get(other, 0)
        for question, answer in (
            (f"How many {CLASSES[one].plural} are in the image?", str(there[one])),
            (f"How many {CLASSES[other].plural} and {CLASSES[one].plural} are in the image?", str(both)),
            (f"Is there any {one} in the image?", "yes"),
            (f"Is there no {one} in the image?", "no"),
            (f"Is there any {other} in the image?", "yes" if other in there else "no"),
            ("How many zeppelins are in the image?", "0"),
        ):
            questions.append(question)
            truth.append(answer)
            shown.append(picture)
    replies = texts(ToyboxSystem("answerer").ask(asks(shown, questions), 60))
    assert np.mean([reply == answer for reply, answer in zip(replies, truth, strict=True)]) >= 0.88


@needs_onnxruntime
@pytest.mark.parametrize("model", ["captioner", "answerer", "tagger"])
def test_an_answer_does_not_depend_on_the_batch_it_came_in(model: str) -> None:
    system = decode(ToyboxSystem, {"model": model})
    batch = asks(pictures()[:9], ["How many people are in the image?"] * 9)
    together = list(system.ask(batch, 60))
    alone = [system.ask([item], 60)[0] for item in batch]
    if model == "tagger":
        for one, other in zip(together, alone, strict=True):
            assert isinstance(one, Answer) and isinstance(other, Answer)
            assert one.labels is not None and other.labels is not None
            assert max(abs(one.labels[label] - other.labels[label]) for label in one.labels) < 0.002
    else:
        assert together == alone


@needs_onnxruntime
def test_pictures_of_any_size_are_answered() -> None:
    odd = [np.full((h, w, 3), 90, np.uint8) for h, w in ((1, 1), (30, 900), (900, 30), (700, 1100))]
    for model in ("captioner", "tagger"):
        assert len(decode(ToyboxSystem, {"model": model}).ask(asks(odd), 60)) == 4


@needs_onnxruntime
def test_one_broken_picture_fails_alone() -> None:
    def broken() -> Pixels:
        raise BadPicture("cut short")

    batch = [*asks(pictures()[:1]), Ask("b", None, None, broken), *asks(pictures()[1:2])]
    replies = ToyboxSystem("captioner").ask(batch, 60)
    assert [type(reply) for reply in replies] == [Answer, Failure, Answer]


def test_the_answerer_needs_a_question() -> None:
    (reply,) = ToyboxSystem("answerer").ask(asks(pictures()[:1]), 60)
    assert isinstance(reply, Failure) and "question" in reply.message and not reply.retryable


def test_the_three_systems_have_fingerprints_of_their_own() -> None:
    prints = [str(decode(ToyboxSystem, {"model": m}).fingerprint) for m in ("captioner", "answerer", "tagger")]
    assert len(set(prints)) == 3


def test_without_onnxruntime_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    networks._session.cache_clear()
    with pytest.raises(MissingExtra, match="pip install"):
        ToyboxSystem("tagger").ask(asks(pictures()[:1]), 60)
    networks._session.cache_clear()


def test_the_networks_together_stay_small() -> None:
    files = list(Path(networks.FOLDER).iterdir())
    assert 0 < sum(file.stat().st_size for file in files) <= 8_000_000


def test_a_crop_keeps_the_scale_of_the_scene_it_came_from() -> None:
    picture = pictures()[0]
    whole, part = networks.fitted(picture), networks.fitted(np.ascontiguousarray(picture[:, :160]))
    assert np.array_equal(part[:, 40:120], whole[:, :80])
    assert (part[:, :40] == 114).all()
