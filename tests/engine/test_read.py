"""Runs whose answers are read by asking another system: a captioner that writes French."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamorph.config import resolve
from anamorph.engine.budget import spending_lines
from anamorph.engine.events import ReadSome
from anamorph.engine.run import carry_out, config_of, rejudge, start
from anamorph.model import Verdict
from anamorph.report.numbers import read_numbers
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases

# The reader gets its prompt in place of a question and no image; the text stands in the fence.
PROGRAM = """
import json, pathlib, re

def caption(images, questions):
    return ["Un oiseau et un chien." if image.mean() > 140 else "Un chat." for image in images]

def read(images, questions):
    replies = []
    for image, prompt in zip(images, questions):
        assert image is None
        text = re.search(r"^BEGIN (\\S+)\\n(.*?)\\nEND \\1$", prompt, re.S | re.M)[2]
        with pathlib.Path("calls.txt").open("a") as log:
            log.write(text + "\\n")
        found = [(word, name) for word, name in (("oiseau", "bird"), ("chien", "dog"), ("chat", "cat")) if word in text]
        mentions = [
            {"class": name, "head": name, "quote": word, "least": 1, "most": 1, "present": True, "sure": True}
            for word, name in found
        ]
        replies.append(json.dumps({"mentions": mentions}))
    return replies
"""


@pytest.fixture
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("french.py").write_text(PROGRAM, encoding="utf-8")
    return {
        "methods": ["deeptest"],
        "scenes": "toybox:6",
        "system": "callable:french.py:caption",
        "readers": {
            "caption": "llm",
            "llm": {"system": "callable:french.py:read", "cache": "readings.sqlite", "price": 0.01},
        },
        "prove": {"enabled": False},
    }


def verdicts(store: RunStore) -> list[Verdict]:
    return [verdict for _, verdict in judged_cases(store) if verdict is not None]


def calls() -> list[str]:
    return Path("calls.txt").read_text(encoding="utf-8").splitlines()


def test_answers_in_french_are_read_once_each_and_judged_like_any_other(french: dict[str, Any]) -> None:
    config = resolve(french)
    with start(config, Path("run")) as store:
        events = list(carry_out(store, config))
        found = verdicts(store)
        outcomes = {verdict.outcome for verdict in found}
        reasons = " ".join(verdict.reason for verdict in found if verdict.outcome != "holds")
        spending = read_numbers(store, config).spending
    assert outcomes <= {"holds", "lead", "violated"} and "bird" in reasons
    assert any(isinstance(event, ReadSome) for event in events)
    assert sorted(calls()) == ["Un chat.", "Un oiseau et un chien."]
    assert spending.readings["llm"]["calls"] == 2 and spending.readings["llm"]["spent"] == pytest.approx(0.02)
    assert "Read by llm: 2 texts with 2 calls" in " ".join(spending_lines(spending))


def test_judging_again_asks_nothing(french: dict[str, Any]) -> None:
    config = resolve(french)
    with start(config, Path("run")) as store:
        list(carry_out(store, config))
        before = [(case.digest, verdict) for case, verdict in judged_cases(store)]
    with RunStore.open(Path("run")) as store:
        list(rejudge(store, config_of(store)))
        assert [(case.digest, verdict) for case, verdict in judged_cases(store)] == before
    assert len(calls()) == 2


def test_what_the_budget_does_not_cover_is_undecided_and_read_later(french: dict[str, Any]) -> None:
    french["readers"]["llm"]["budget"] = 0.01
    config = resolve(french)
    with start(config, Path("run")) as store:
        list(carry_out(store, config))
        reasons = {verdict.reason for verdict in verdicts(store) if verdict.outcome == "undecided"}
        assert any("the budget of readers.llm is spent" in reason for reason in reasons)
        facts = json.dumps(store.fact("config"))
    assert len(calls()) == 1
    plain = json.loads(facts)
    plain["readers"]["llm"]["budget"] = 1.0
    with RunStore.open(Path("run")) as store:
        list(carry_out(store, resolve(plain)))
        assert "undecided" not in {verdict.outcome for verdict in verdicts(store)}
    assert len(calls()) == 2


def test_a_run_whose_english_reader_meets_another_language_does_not_pass(french: dict[str, Any]) -> None:
    del french["readers"]
    config = resolve({**french, "scenes": "toybox:12"})
    Path("french.py").write_text(
        'def caption(images, questions):\n    return ["Un chien et un oiseau sont dans le jardin."] * len(images)\n',
        encoding="utf-8",
    )
    with start(config, Path("run")) as store:
        list(carry_out(store, config))
        gate = read_numbers(store, config).gate
    assert gate.exit_code == 4
    assert "other-language" in {reason.kind for reason in gate.reasons}


@pytest.mark.parametrize(("kind", "matters"), [("answer", False), ("caption", True)])
def test_the_language_of_answers_matters_where_the_rules_read_them(
    french: dict[str, Any], kind: str, matters: bool
) -> None:
    french["readers"][kind] = "llm"
    if kind == "answer":
        del french["readers"]["caption"]
    config = resolve({**french, "scenes": "toybox:12", "deeptest": {"question": "Que voit-on ?"}})
    Path("french.py").write_text(
        'def caption(images, questions):\n    return ["Un chien et un oiseau sont dans le jardin."] * len(images)\n',
        encoding="utf-8",
    )
    with start(config, Path("run")) as store:
        list(carry_out(store, config))
        kinds = {reason.kind for reason in read_numbers(store, config).gate.reasons}
    assert ("other-language" in kinds) == matters
