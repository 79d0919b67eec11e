"""Proving as a part of whole runs, on drawn scenes, with systems whose every answer a test knows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.budget import read_spending
from anamorph.engine.events import BudgetSpent, Event, ProofPlanned, RequestsWritten, Settled
from anamorph.engine.plan import plan_stage
from anamorph.engine.prove.evidence import kept_evidence
from anamorph.engine.prove.stage import NOT_ASKED, proving_calls
from anamorph.engine.run import carry_out, config_of, give_system, rejudge, start
from anamorph.model import Answer, Ask, Failure, Manner
from anamorph.store.answers import count_pending, pending_probes
from anamorph.store.proofs import count_proving, proofs_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases, tallies


class Mind:
    """What the system under test says to closed questions, and all that it was asked."""

    # By whether the id of the probe is odd.
    odd: str | None = "2"
    even: str | None = "2"
    asked: list[tuple[str, str | None, int]] = []


@dataclass(frozen=True)
class Terse:
    """Names a dog in every second image that it sees, and answers every question as its mind says."""

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
            Mind.asked.append((item.id, item.question, item.attempt))
            odd = int(item.id, 16) % 2 == 1
            if item.question is None:
                found.append(Answer("A dog and a tree." if odd else "A tree."))
                continue
            said = Mind.odd if odd else Mind.even
            found.append(Failure("no idea") if said is None else Answer(said))
        return found

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Steady(Terse):
    """Says the same of every image, so that nothing is suspected."""

    kind: ClassVar[str] = "steady-test"

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        Mind.asked += [(item.id, item.question, item.attempt) for item in batch]
        return [Answer("A dog and a tree.")] * len(batch)


@dataclass(frozen=True)
class Silent(Terse):
    """The same, and takes no question."""

    kind: ClassVar[str] = "silent-test"
    answers_with: ClassVar[tuple[str, ...]] = ("caption",)


@dataclass(frozen=True)
class Chat(Terse):
    """The same, and is told the form of its answers."""

    kind: ClassVar[str] = "chat-test"
    takes_instructions: ClassVar[bool] = True


@pytest.fixture(autouse=True)
def systems() -> None:
    for cls in (Terse, Steady, Silent, Chat):
        if cls.kind not in catalog.names("systems"):
            catalog.register(cls)
    Mind.odd, Mind.even, Mind.asked = "2", "2", []


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


def outcomes(store: RunStore) -> list[tuple[str, str | None]]:
    return [(v.outcome, v.state) for _, v in judged_cases(store) if v is not None]


def questions() -> list[str]:
    return [question for _, question, _ in Mind.asked if question is not None]


def test_an_omission_is_refuted_where_the_system_is_right_when_asked(tmp_path: Path) -> None:
    store, events = go(tmp_path / "run", config())
    found = outcomes(store)
    assert ("holds", "refuted") in found and not any(outcome == "violated" for outcome, _ in found)
    (settled,) = [event for event in events if isinstance(event, Settled)]
    assert settled.refuted == store.count("suspicions") > 0 and not settled.proved
    assert kept_evidence(store) == "answers"


def test_every_image_and_class_is_asked_about_once_in_the_words_of_the_settings(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "run", config(questions={"count": "Count the {classes}, please: how many?"}))
    assert set(questions()) == {"Count the dogs, please: how many?"}
    assert len(questions()) == store.count("probes", "round > 0") == count_proving(store, 1)[1]


def test_a_chat_model_is_told_the_form_and_others_are_not(tmp_path: Path) -> None:
    go(tmp_path / "one", config(system={"kind": "chat-test"}))
    assert set(questions()) == {"How many dogs are in the image? Answer with a single number."}
    Mind.asked = []
    go(tmp_path / "two", config())
    assert set(questions()) == {"How many dogs are in the image?"}


def test_closed_answers_that_contradict_each_other_are_asked_again_and_proved(tmp_path: Path) -> None:
    Mind.odd, Mind.even = "3", "1"
    store, events = go(tmp_path / "run", config())
    assert ("violated", "proved") in outcomes(store)
    assert [event.round for event in events if isinstance(event, ProofPlanned)] == [1, 2]
    case, verdict = next((c, v) for c, v in judged_cases(store) if v is not None and v.outcome == "violated")
    (proof, *_) = proofs_of(store, case.id, verdict.conflicts)
    assert {line.said for line in proof.lines} == {"3", "1"} and {line.part for line in proof.lines} == {
        "the source",
        "the follow-up",
    }
    assert all(len(line.answers) == 2 for line in proof.lines)
    assert "cannot all be right" in verdict.reason
    # Nothing else than what is proved counts.
    assert sum(tally.violated for tally in tallies(store)) == outcomes(store).count(("violated", "proved"))


@pytest.mark.parametrize("answer", [None, "A lovely day."])
def test_without_a_closed_answer_a_suspicion_is_undecided(tmp_path: Path, answer: str | None) -> None:
    Mind.odd = Mind.even = answer
    store, _ = go(tmp_path / "run", config(ask={"retries": 0, "give_up_after": 0}))
    assert {each for each in outcomes(store) if each[1]} == {("undecided", "undecided")}
    if answer is not None:
        assert any(question.endswith("Answer with one number only.") for question in questions())


def test_a_system_that_takes_no_question_raises_leads_unless_a_witness_is_named(tmp_path: Path) -> None:
    store, _ = go(tmp_path / "one", config(system={"kind": "silent-test"}))
    assert not store.count("probes", "round > 0") and kept_evidence(store) == "captions"
    assert ("lead", "lead") in outcomes(store) and not any(outcome == "violated" for outcome, _ in outcomes(store))
    Mind.odd = Mind.even = "0"
    store, _ = go(tmp_path / "two", config(system={"kind": "silent-test"}, confirm_with={"kind": "terse-test"}))
    assert kept_evidence(store) == "witness" and ("violated", "proved") in outcomes(store)
    assert store.count("probes", "round > 0 AND witness") == store.count("probes", "round > 0") > 0


def test_a_witness_that_may_not_be_asked_proves_no_less_than_captions_alone(tmp_path: Path) -> None:
    scenes = {"kind": "toybox", "count": 60}
    alone, _ = go(tmp_path / "one", config(system={"kind": "silent-test"}, scenes=scenes))
    most = {"most": "0%"}
    witness = config(system={"kind": "silent-test"}, confirm_with={"kind": "terse-test"}, scenes=scenes, prove=most)
    store, _ = go(tmp_path / "two", witness)
    asked = {v.reason for _, v in judged_cases(store) if v is not None and v.outcome == "lead"}
    assert kept_evidence(store) == "witness" and not any(NOT_ASKED in reason for reason in asked)
    pairs = zip(outcomes(alone), outcomes(store), strict=True)
    assert sum(one == two == ("lead", "lead") for one, two in pairs) > 10


def test_proving_can_be_turned_off_also_by_its_former_name(tmp_path: Path) -> None:
    for number, table in enumerate(({"prove": {"enabled": False}}, {"ask": {"confirm": False}})):
        store, _ = go(tmp_path / str(number), config(**table))
        assert not store.count("probes", "round > 0") and not questions()
        assert not any(outcome == "violated" for outcome, _ in outcomes(store))


def test_no_more_is_asked_than_the_plan_says(tmp_path: Path) -> None:
    Mind.odd, Mind.even = "3", "1"
    chosen = config(prove={"most": "10%"}, scenes={"kind": "toybox", "count": 60})
    store = start(chosen, tmp_path / "run")
    list(plan_stage(store, chosen))
    calls = proving_calls(store, chosen)
    assert calls is not None
    list(carry_out(store, chosen))
    assert len(questions()) <= calls[1] == 40
    assert store.count("suspicions", f"state = 'lead' AND why = '{NOT_ASKED.replace(chr(39), chr(39) * 2)}'") > 0


def test_a_stopped_run_asks_only_what_is_left_and_judging_again_asks_nothing(tmp_path: Path) -> None:
    Mind.odd, Mind.even = "3", "1"
    chosen = config(ask={"batch": 1})
    whole, _ = go(tmp_path / "whole", chosen)
    calls = len(Mind.asked)
    Mind.asked = []
    store = start(chosen, tmp_path / "run")
    events = carry_out(store, chosen)
    for _ in events:
        if store.connection.execute("SELECT count(*) FROM answers JOIN probes ON id = probe WHERE round").fetchone()[0]:
            break
    events.close()  # type: ignore[attr-defined]
    assert count_pending(store, 1, "proving") > 0
    list(carry_out(store, chosen))
    assert calls <= len(Mind.asked) <= calls + 4
    assert outcomes(store) == outcomes(whole)
    settled, calls = outcomes(store), len(Mind.asked)
    list(rejudge(store, chosen))
    assert outcomes(store) == settled and len(Mind.asked) == calls


def test_a_part_of_the_budget_is_kept_for_proving_and_what_it_does_not_need_goes_to_the_plan(tmp_path: Path) -> None:
    chosen = config(ask={"price": 1.0, "budget": 16.0, "order": "plan"})
    store, events = go(tmp_path / "run", chosen)
    first = next(place for place, (_, question, _) in enumerate(Mind.asked) if question is not None)
    assert first == 12 and len(Mind.asked) == 16
    store, events = go(tmp_path / "steady", config(ask=chosen.plain["ask"], system={"kind": "steady-test"}))
    assert len(Mind.asked) == 32 and len(questions()) == 4, "with nothing to prove, the plan has it all"
    (spent,) = [event for event in events if isinstance(event, BudgetSpent)]
    assert (spent.spent, spent.budget) == (16.0, 16.0) and spent.lacking == count_pending(store, 1, "planned")
    assert read_spending(store, chosen.settings.ask).exhausted


@pytest.mark.parametrize("budget", [0.4, 1.0, 1.3])
def test_a_budget_of_a_call_or_two_ends_too(tmp_path: Path, budget: float) -> None:
    go(tmp_path / "run", config(ask={"price": 0.5, "budget": budget, "order": "plan"}))
    assert len(Mind.asked) == int(budget / 0.5)


def test_a_budget_that_is_enough_is_not_called_used_up(tmp_path: Path) -> None:
    chosen = config(ask={"price": 1.0, "budget": 200.0})
    store, events = go(tmp_path / "run", chosen)
    assert not any(isinstance(event, BudgetSpent) for event in events) and count_pending(store, 1, "planned") == 0
    assert not read_spending(store, chosen.settings.ask).exhausted


# --- answers that are made elsewhere -------------------------------------------------------------------------------


def _answered(requests: Path, answers: Path) -> int:
    """Answer a file of requests as the system would, each attempt by a line of its own."""
    lines = [json.loads(line) for line in requests.read_text().splitlines()]
    with answers.open("w") as file:
        for line in lines:
            ask = Ask(line["id"], line["question"], None, lambda: None, line.get("attempt", 0))  # type: ignore[arg-type, return-value]
            (reply,) = Terse().ask([ask], 1.0)
            assert isinstance(reply, Answer)
            plain = {"id": line["id"], "text": reply.text}
            file.write(json.dumps({**plain, **({"attempt": line["attempt"]} if "attempt" in line else {})}) + "\n")
    return len(lines)


def test_a_run_in_rounds_of_recorded_answers_ends_like_a_direct_one(tmp_path: Path) -> None:
    Mind.odd, Mind.even = "3", "1"
    direct, _ = go(tmp_path / "direct", config())
    chosen = config(system={"kind": "recorded", "path": str(tmp_path / "answers")}, prove={"enabled": True})
    answers = tmp_path / "answers"
    answers.mkdir()
    store = start(chosen, tmp_path / "run")
    list(plan_stage(store, chosen))
    first = tmp_path / "requests-1.jsonl"
    first.write_text(
        "".join(json.dumps({"id": probe.digest, "question": None}) + "\n" for probe in pending_probes(store, 1))
    )
    requests, rounds = first, 0
    while requests is not None and rounds < 6:
        rounds += 1
        _answered(requests, answers / f"{rounds}.jsonl")
        current = give_system(store, config_of(store), f"recorded:{answers}") if rounds > 1 else chosen
        written = [event for event in carry_out(store, current) if isinstance(event, RequestsWritten)]
        requests = Path(written[0].files[0]) if written else None  # type: ignore[assignment]
        if requests is not None:
            assert all("Answer with" in json.loads(line)["question"] for line in requests.read_text().splitlines())
    assert rounds == 3
    assert outcomes(store) == outcomes(direct)
    assert store.fact("requests_waiting") == 0
