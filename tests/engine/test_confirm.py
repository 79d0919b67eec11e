"""Issues that may only be terse, confirmed by asking; on drawn scenes, with systems whose every answer a test knows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.confirm import question_about
from anamorph.engine.events import Confirmed, Event, StageBegan
from anamorph.engine.run import carry_out, rejudge, start
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases


class Mind:
    """What the system under test says: to no question, and to questions; and all that it was asked."""

    captions: Mapping[bool, str] = {}
    answer: str | None = "2"
    asked: list[tuple[str, str | None]] = []
    fail_after: int | None = None


@dataclass(frozen=True)
class Terse:
    """Names a dog in every second image that it sees, and answers every question alike."""

    kind: ClassVar[str] = "terse-test"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")

    @property
    def manner(self) -> Manner:
        return Manner(parallel=1, looks=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"mind": 1}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        found: list[Answer | Failure] = []
        for item in batch:
            Mind.asked.append((item.id, item.question))
            if item.question is None:
                found.append(Answer("A dog and a tree." if int(item.id, 16) % 2 else "A tree."))
            elif Mind.answer is None:
                found.append(Failure("no idea"))
            else:
                found.append(Answer(Mind.answer))
        return found

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Silent(Terse):
    """The same, and takes no question."""

    kind: ClassVar[str] = "silent-test"
    answers_with: ClassVar[tuple[str, ...]] = ("caption",)


@pytest.fixture(autouse=True)
def systems(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (Terse, Silent):
        if cls.kind not in catalog.names("systems"):
            catalog.register(cls)
    Mind.answer, Mind.asked = "2", []


def config(**others: Any) -> Config:
    return resolve(
        {
            "methods": ["deeptest"],
            "deeptest": {"blur": [1], "brightness": [0.7], "contrast": [], "shear": []},
            "scenes": {"kind": "toybox", "count": 8},
            "system": {"kind": "terse-test"},
            **others,
        }
    )


def go(folder: Path, chosen: Config) -> tuple[RunStore, list[Event]]:
    store = start(chosen, folder)
    return store, list(carry_out(store, chosen))


def outcomes(store: RunStore) -> list[tuple[str, str | None, str | None]]:
    return [(v.outcome, v.grade, v.confirmation) for _, v in judged_cases(store) if v is not None]


def test_an_omission_is_dismissed_where_the_system_is_right_when_asked(tmp_path: Path) -> None:
    store, events = go(tmp_path / "run", config())
    found = outcomes(store)
    dismissed = [each for each in found if each[2] == "dismissed"]
    assert dismissed and all(each == ("holds", "omission", "dismissed") for each in dismissed)
    assert not any(outcome == "violated" for outcome, *_ in found)
    (confirmed,) = [event for event in events if isinstance(event, Confirmed)]
    assert (confirmed.confirmed, confirmed.dismissed, confirmed.unconfirmed) == (0, len(dismissed), 0)


def test_every_image_and_class_of_a_conflict_is_asked_about_once(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "run", config())
    asked = [(id, question) for id, question in Mind.asked if question is not None]
    assert {question for _, question in asked} == {question_about("dog")} == {"How many dogs are in the image?"}
    assert len(asked) == len(set(asked)) == store.count("confirmations")


def test_an_omission_is_confirmed_where_direct_answers_contradict_the_captions(tmp_path: Path) -> None:
    Mind.answer = "0"
    store, _ = go(tmp_path / "run", config())
    found = outcomes(store)
    assert ("violated", "omission", "confirmed") in found
    assert not any(confirmation == "dismissed" for *_, confirmation in found)


@pytest.mark.parametrize("answer", [None, "A lovely day."])
def test_without_an_answer_that_can_be_read_an_issue_stays_unconfirmed(tmp_path: Path, answer: str | None) -> None:
    Mind.answer = answer
    store, _ = go(tmp_path / "run", config(ask={"retries": 0, "give_up_after": 0}))
    assert {each for each in outcomes(store) if each[2]} == {("violated", "omission", "unconfirmed")}


def test_a_system_that_takes_no_question_is_not_asked_unless_another_one_is_named(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "one", config(system={"kind": "silent-test"}))
    assert not store.count("confirmations") and any(outcome == "violated" for outcome, *_ in outcomes(store))
    store, _ = go(tmp_path / "two", config(system={"kind": "silent-test"}, confirm_with={"kind": "terse-test"}))
    assert store.count("confirmations") and any(confirmation for *_, confirmation in outcomes(store))


def test_confirming_can_be_turned_off(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "run", config(ask={"confirm": False}))
    assert not store.count("confirmations") and {question for _, question in Mind.asked} == {None}


def test_a_stopped_run_asks_only_what_is_left_and_judging_again_asks_nothing(tmp_path: Path) -> None:
    chosen = config(ask={"batch": 1})
    store = start(chosen, tmp_path / "run")
    confirming = False
    for event in (events := carry_out(store, chosen)):
        confirming = confirming or (isinstance(event, StageBegan) and event.stage == "confirm")
        if confirming and store.count("confirmations", "text IS NOT NULL") >= 2:
            break
    events.close()  # type: ignore[attr-defined]
    before = store.count("confirmations", "text IS NOT NULL")
    assert 0 < before < store.count("confirmations")
    list(carry_out(store, chosen))
    questions = [id for id, question in Mind.asked if question is not None]
    assert len(questions) <= store.count("confirmations") + 2
    settled, calls = outcomes(store), len(Mind.asked)
    list(rejudge(store, chosen))
    assert outcomes(store) == settled and len(Mind.asked) == calls


def test_the_dismissed_verdict_keeps_its_conflicts_in_the_store(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "run", config())
    bodies = store.connection.execute("SELECT body FROM verdicts WHERE outcome = 'holds'").fetchall()
    plain = [json.loads(body) for (body,) in bodies]
    kept = [each for each in plain if each.get("confirmation") == "dismissed"]
    assert kept and all(each["conflicts"] and "Dismissed" in each["reason"] for each in kept)
