from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.config import resolve
from anamorph.errors import AskError, BadPicture, UsageError
from anamorph.model import Answer, Ask, CaptionReading, Failure, Manner, Pixels
from anamorph.model.protocols import SystemOptions
from anamorph.systems.openai import OpenAISystem
from anamorph.toybox.faults.system import FAULTS, RULES, TOUCHES, Fault, FaultySystem
from anamorph.toybox.scenes import scene_of
from tests.conftest import ROOT
from tests.english import caption_reader

MANY, NOT_ONE = "How many dogs are in the image?", "Is there no dog in the image?"
ANY = "Is there any dog in the image?"


@functools.cache
def references() -> list[str]:
    return [caption for index in range(60) for caption in scene_of(99, index).captions]


@dataclass(frozen=True)
class Says:
    """Gives the same reply to everything, or what stands for the probe."""

    kind: ClassVar[str] = "says"
    reply: Answer | Failure = Answer("a dog")
    replies: Mapping[str, Answer | Failure] = field(default_factory=dict)
    looks: bool = False
    closed: list[int] = field(default_factory=list)

    @property
    def manner(self) -> Manner:
        return Manner(batch=7, parallel=3, looks=self.looks)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"reply": str(self.reply)}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [self.replies.get(item.id, self.reply) for item in batch]

    def close(self) -> None:
        self.closed.append(1)


def no_picture() -> Pixels:
    raise BadPicture("there is none")


def asking(id: str, question: str | None = None, attempt: int = 0, grey: int | None = None) -> Ask:
    load = no_picture if grey is None else lambda: np.full((6, 8, 3), grey, np.uint8)
    return Ask(id, question, None, load, attempt)


def spoilt(fault: Fault, reply: Answer, question: str | None = None, *, id: str = "x", **settings: Any) -> Answer:
    settings.setdefault("rate", 1.0)
    grey = settings.pop("grey", 20)
    (got,) = FaultySystem(fault, Says(reply), **settings).ask([asking(id, question, grey=grey)], 10)
    assert isinstance(got, Answer)
    return got


def caption(fault: Fault, text: str, **settings: Any) -> str:
    got = spoilt(fault, Answer(text), **settings).text
    assert got is not None
    return got


def answer(fault: Fault, text: str, question: str, **settings: Any) -> str:
    got = spoilt(fault, Answer(text), question, **settings).text
    assert got is not None
    return got


def read(text: str) -> CaptionReading:
    reading = caption_reader().read_text(text)
    assert isinstance(reading, CaptionReading), text
    return reading


# --- captions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["a", "b", "c", "d"])
def test_an_omission_leaves_one_class_out_of_a_caption(id: str) -> None:
    got = caption("omission", "An elephant behind two red cars.", id=id)
    assert got in ("A thing behind two red cars.", "An elephant behind two red things.")


@pytest.mark.parametrize("id", ["a", "b", "c", "d"])
def test_a_misclassification_names_another_class_in_the_same_number(id: str) -> None:
    before, after = (
        read(text) for text in ("Two dogs and a bus.", caption("misclassification", "Two dogs and a bus.", id=id))
    )
    assert len(after.labels) == 2 and len({*before.labels} & {*after.labels}) == 1
    assert [m.number for m in after.mentions] == ["plural", "singular"]
    assert after.mentions[0].count == 2


def test_a_misclassified_animal_is_still_an_animal() -> None:
    animals = {"bird", "cat", "horse", "sheep", "cow", "elephant", "zebra", "giraffe"}
    assert {read(caption("misclassification", "A dog.", id=str(k))).labels[0] for k in range(60)} == animals


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("An elephant.", {"Two elephants.", "Three elephants."}),
        ("There is a red car on a street.", {f"There are {n} red cars on a street." for n in ("two", "three")}),
        ("A couple of people are sitting", {"Three people are sitting", "A person is sitting"}),
        ("two orange cats", {"an orange cat", "three orange cats"}),
        ("Four potted plants", {"Three potted plants", "Five potted plants"}),
        ("Several sheep.", {"A sheep."}),
        ("Dogs in a park", {"A dog in a park"}),
        ("9 birds", {"eight birds", "10 birds"}),
        ("A flock of sheep", {"A flock of sheep"}),
        ("Big dogs", {"Big dogs"}),
    ],
)
def test_a_wrong_number_changes_the_words_that_say_it(text: str, possible: set[str]) -> None:
    assert {caption("wrong-number", text, id=str(k)) for k in range(20)} == possible


def test_a_hallucination_adds_a_class_before_the_end() -> None:
    got = caption("hallucination", "A dog on the grass.")
    assert re.fullmatch(r"A dog on the grass and an? [a-z ]+\.", got)
    assert len(read(got).labels) == 2


def test_co_occurrence_names_the_second_class_whenever_the_first_is_named() -> None:
    pair = ("dog", "apple")
    assert caption("co-occurrence", "Two dogs.", pair=pair) == "Two dogs and an apple."
    assert caption("co-occurrence", "Two dogs and an apple.", pair=pair) == "Two dogs and an apple."
    assert caption("co-occurrence", "A cat.", pair=pair) == "A cat."


def test_dark_drop_omits_only_where_the_picture_is_dark() -> None:
    assert caption("dark-drop", "A dog.", grey=100) == "A thing."
    assert caption("dark-drop", "A dog.", grey=140) == "A dog."
    assert caption("dark-drop", "A dog.", grey=140, dark_below=0.6) == "A thing."


@pytest.mark.parametrize("fault", FAULTS[:6])
def test_a_caption_that_names_nothing_or_is_a_refusal_stays(fault: Fault) -> None:
    for text in ("I'm sorry, I cannot help with that.", "  "):
        assert caption(fault, text) == text
    if fault != "hallucination":
        assert caption(fault, "An empty place.") == "An empty place."


@pytest.mark.parametrize("fault", ["omission", "misclassification", "wrong-number", "hallucination"])
def test_captions_stay_readable_english_and_say_something_else(fault: Fault) -> None:
    for k, text in enumerate(references()):
        got = caption(fault, text, id=str(k))
        assert got != text
        assert not re.search(r"\b[Aa] [aeio]|\b[Aa]n [^aeiou]|there is (two|three)|  | \.|\.\.", got), got
        assert got[0].isupper() and got.endswith(".")
        before, after = read(text), read(got)
        if fault == "wrong-number":
            assert after.labels == before.labels or "child" in text
        else:
            assert set(after.labels) != set(before.labels)


@given(st.text(max_size=80), st.sampled_from(FAULTS[:8]))
def test_no_text_breaks_an_injector(text: str, fault: Fault) -> None:
    for question in (None, MANY, NOT_ONE):
        assert isinstance(spoilt(fault, Answer(text), question), Answer)


# --- answers and labels ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "said", "question", "expected"),
    [
        ("omission", "2", MANY, "1"),
        ("omission", "Three.", MANY, "Two."),
        ("omission", "There are three dogs in the image.", MANY, "There are two dogs in the image."),
        ("omission", "There are two dogs.", MANY, "1"),
        ("omission", "0", MANY, "0"),
        ("omission", "yes", ANY, "no"),
        ("omission", "No", NOT_ONE, "Yes"),
        ("omission", "yes", NOT_ONE, "yes"),
        ("hallucination", "0", MANY, "1"),
        ("hallucination", "no", ANY, "yes"),
        ("hallucination", "yes", NOT_ONE, "no"),
        ("wrong-number", "0", MANY, "1"),
        ("wrong-number", "yes", ANY, "yes"),
        ("always-zero", "4", MANY, "0"),
        ("always-zero", "no", ANY, "no"),
        ("always-yes", "no", ANY, "yes"),
        ("always-yes", "No, there is none.", ANY, "Yes"),
        ("always-yes", "4", MANY, "4"),
        ("dark-drop", "2", MANY, "1"),
        ("misclassification", "2", MANY, "2"),
        ("co-occurrence", "yes", ANY, "yes"),
    ],
)
def test_answers_are_made_wrong_as_the_fault_says(fault: Fault, said: str, question: str, expected: str) -> None:
    assert answer(fault, said, question) == expected


def test_a_wrong_number_is_one_more_or_one_less() -> None:
    assert {answer("wrong-number", "3", MANY, id=str(k)) for k in range(20)} == {"2", "4"}


def labels(fault: Fault, before: Mapping[str, float], **settings: Any) -> Mapping[str, float]:
    got = spoilt(fault, Answer(labels=before), **settings).labels
    assert got is not None
    return got


def given_in(scores: Mapping[str, float]) -> set[str]:
    return {name for name, score in scores.items() if score >= 0.5}


def test_labels_are_made_wrong_as_the_fault_says() -> None:
    before = {"dog": 0.9, "cat": 0.1, "car": 0.2}
    assert labels("omission", before) == {"dog": 0.0, "cat": 0.1, "car": 0.2}
    moved = labels("misclassification", before)
    assert moved["dog"] == 0.0 and len(given_in(moved)) == 1
    more = labels("hallucination", before)
    assert more["dog"] == 0.9 and len(given_in(more)) == 2
    assert labels("co-occurrence", before, pair=("dog", "car")) == {**before, "car": 0.9}
    assert labels("co-occurrence", before, pair=("cat", "car")) == before
    assert labels("dark-drop", before, grey=10)["dog"] == 0.0
    assert labels("dark-drop", before, grey=200) == before
    untouched: tuple[Fault, ...] = ("wrong-number", "always-zero", "always-yes")
    for fault in untouched:
        assert labels(fault, before) == before
    assert labels("omission", {"dog": 0.2}) == {"dog": 0.2}
    assert given_in(labels("hallucination", {}))


# --- which answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS)
def test_at_rate_0_nothing_changes(fault: Fault) -> None:
    batch = [asking(str(k), grey=0) for k in range(50)]
    assert FaultySystem(fault, Says(), rate=0.0).ask(batch, 10) == [Answer("a dog")] * 50


def test_the_rate_is_the_share_of_the_answers_that_are_made_wrong() -> None:
    batch = [asking(str(k)) for k in range(4000)]
    got = FaultySystem("omission", Says(), rate=0.3).ask(batch, 10)
    assert 0.28 < sum(reply != Answer("a dog") for reply in got) / 4000 < 0.32
    again = FaultySystem("omission", Says(), rate=0.3, seed=2).ask(batch, 10)
    assert got != again
    assert got != FaultySystem("omission", Says(), rate=0.3).ask([asking(str(k), attempt=1) for k in range(4000)], 10)


def test_a_steady_fault_makes_the_same_mistake_each_time_the_same_is_asked() -> None:
    first, again = ([asking(str(k), attempt=attempt) for k in range(200)] for attempt in (0, 1))
    steady = FaultySystem("omission", Says(), rate=0.3, steady=True)
    assert steady.ask(first, 10) == steady.ask(again, 10) != [Answer("a dog")] * 200
    usual = FaultySystem("omission", Says(), rate=0.3)
    # The first time both are the same; only the other slips elsewhere when it is asked again.
    assert usual.ask(first, 10) == steady.ask(first, 10) and usual.ask(again, 10) != usual.ask(first, 10)
    assert steady.fingerprint != usual.fingerprint and "steady" not in usual.fingerprint


def test_a_faulty_chat_model_is_told_the_form_of_its_answers_like_the_one_inside() -> None:
    chat = OpenAISystem("small", base_url="http://localhost:1/v1")
    assert SystemOptions.takes_instructions.of(FaultySystem("omission", chat)) is True
    assert SystemOptions.takes_instructions.of(FaultySystem("omission", Says())) is False


def test_without_a_rate_slips_are_rare_and_rules_are_always_followed() -> None:
    assert {fault: FaultySystem(fault, Says()).share for fault in FAULTS} == {
        fault: 1.0 if fault in RULES else 0.2 for fault in FAULTS
    }


def test_an_answer_does_not_depend_on_its_neighbours_in_the_batch() -> None:
    system = FaultySystem("misclassification", Says(), rate=0.5)
    batch = [asking(str(k)) for k in range(40)]
    assert system.ask(batch, 10) == [system.ask([item], 10)[0] for item in batch]


PROGRAM = """
import json, sys
sys.path.insert(0, {root!r})
from tests.toybox.test_faults import chosen
print(json.dumps(chosen()))
"""


def chosen() -> list[str]:
    """What every caption fault makes of some captions."""
    batch = [asking(str(k)) for k in range(40)]
    replies = {str(k): Answer(references()[k]) for k in range(40)}
    found: list[str] = []
    for fault in FAULTS[:4]:
        system = FaultySystem(fault, Says(replies=replies), rate=0.5)
        found += [reply.text or "" for reply in system.ask(batch, 10) if isinstance(reply, Answer)]
    scores = Answer(labels={"dog": 0.9, "cat": 0.8})
    for reply in FaultySystem("hallucination", Says(scores), rate=1.0).ask(batch, 10):
        assert isinstance(reply, Answer)
        found.append(json.dumps(reply.labels, sort_keys=True))
    return found


def test_another_process_with_another_hash_seed_makes_the_same_mistakes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(root=str(ROOT))],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == chosen()


# --- calls ----------------------------------------------------------------------------------------------------------


def test_failures_replace_some_answers_and_leave_the_others_in_their_places() -> None:
    replies = {str(k): Answer(f"answer {k}") for k in range(100)}
    got = FaultySystem("failures", Says(replies=replies), rate=0.3).ask([asking(str(k)) for k in range(100)], 10)
    failed = [k for k, reply in enumerate(got) if isinstance(reply, Failure)]
    assert 15 < len(failed) < 45
    assert all(got[k] == Answer(f"answer {k}") for k in range(100) if k not in failed)
    assert all(
        isinstance(reply, Failure) for reply in FaultySystem("failures", Says(), rate=1.0).ask([asking("a")], 10)
    )


def test_delays_hold_a_call_up_and_run_into_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("anamorph.toybox.faults.system.time.sleep", slept.append)
    system = FaultySystem("delays", Says(), rate=1.0, delay_seconds=3.0)
    assert system.ask([asking("a"), asking("b")], 10) == [Answer("a dog")] * 2
    with pytest.raises(AskError, match="No answer within 2 s"):
        system.ask([asking("a")], 2)
    assert slept == [3.0, 2]
    FaultySystem("delays", Says(), rate=0.0).ask([asking("a")], 10)
    assert slept == [3.0, 2]


def test_failures_of_the_inner_system_stay_what_they_are() -> None:
    broken = Failure("broken", retryable=True)
    for fault in FAULTS[:8]:
        assert FaultySystem(fault, Says(broken), rate=1.0).ask([asking("a", grey=0)], 10) == [broken]
    unseen = FaultySystem("dark-drop", Says(), rate=1.0).ask([asking("a")], 10)
    assert unseen == [Failure("there is none")]


def test_manner_fingerprint_and_closing_are_those_of_the_inner_system() -> None:
    inner = Says()
    system = FaultySystem("omission", inner, rate=0.3)
    assert system.manner == inner.manner
    assert FaultySystem("dark-drop", inner).manner.looks
    assert system.fingerprint["inner"] == {"kind": "says", "reply": str(inner.reply)}
    for other in (
        FaultySystem("omission", inner, rate=0.4),
        FaultySystem("omission", inner, rate=0.3, seed=2),
        FaultySystem("omission", Says(Answer("a cat")), rate=0.3),
        FaultySystem("hallucination", inner, rate=0.3),
    ):
        assert other.fingerprint != system.fingerprint
    assert json.loads(json.dumps(system.fingerprint)) == system.fingerprint
    system.close()
    assert inner.closed == [1]


def test_it_is_chosen_by_a_short_form_and_by_a_table() -> None:
    short = resolve({"system": "faulty:omission,inner=toybox:captioner,rate=0.3,seed=1"}).system()
    table = {"kind": "faulty", "fault": "omission", "inner": {"kind": "toybox", "model": "captioner"}, "rate": 0.3}
    assert short == resolve({"system": table}).system()
    paired = resolve({"system": 'faulty:co-occurrence,inner=toybox:tagger,pair=["dog","cat"]'}).system()
    assert isinstance(paired, FaultySystem) and paired.pair == ("dog", "cat")
    with pytest.raises(UsageError, match=r"rate.*must be at most 1"):
        resolve({"system": "faulty:omission,inner=toybox:captioner,rate=3"}).system()


def test_every_fault_says_what_it_touches() -> None:
    assert set(TOUCHES) == set(FAULTS)
