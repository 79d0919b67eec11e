"""A run that is judged as published or as released tools did, and as its own claims again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from anamorph.config import Config, resolve
from anamorph.engine.events import Judged
from anamorph.engine.judge import relation_of
from anamorph.engine.run import carry_out, rejudge, start
from anamorph.errors import RunError, UsageError
from anamorph.model import MethodOptions, RelationOptions, encode
from anamorph.report.numbers import read_numbers
from anamorph.store.answers import answers_of
from anamorph.store.run import RunStore
from anamorph.store.verdicts import judged_cases

SMALL = {"spolre": {"layouts_per_scene": 2}, "rome": {"pairs_per_scene": 4}}


def config(**settings: Any) -> Config:
    plain = {
        "methods": ["rome", "spolre", "deeptest"],
        "scenes": {"kind": "toybox", "count": 4},
        "system": {"kind": "toybox", "model": "captioner"},
    }
    return resolve({**plain, **SMALL, **settings})


def carried_out(folder: Path, chosen: Config) -> None:
    with start(chosen, folder) as store:
        list(carry_out(store, chosen))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    carried_out(folder, config())
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def bodies(store: RunStore, *methods: str) -> dict[int, Any]:
    return {
        case.id: encode(verdict)
        for case, verdict in judged_cases(store)
        if verdict is not None and (not methods or case.method in methods)
    }


@pytest.mark.parametrize("profile", ["paper", "released", "released-guarded"])
def test_stored_answers_are_judged_as_the_profile_of_their_method_and_back(run: Path, profile: str) -> None:
    chosen = config()
    readers = chosen.readers()
    with RunStore.open(run) as store:
        own = bodies(store)
        assert any(body.get("grade") for body in own.values())
        list(rejudge(store, chosen, profile))
        methods = {method.kind: method for method in chosen.methods}
        for case, verdict in judged_cases(store):
            method = methods[case.method]
            if profile not in MethodOptions.profiles.of(method):
                assert json.dumps(own[case.id]) == json.dumps(bodies(store)[case.id])
                continue
            judged_as = MethodOptions.judged_as.of(method)
            assert judged_as is not None and verdict is not None
            relation = judged_as(relation_of(store, case), profile)
            assert relation is not None
            answers = answers_of(store, case.probes)
            read_by = RelationOptions.read_by.of(relation)
            readings = [readers.read(relation.reads, answers[probe][0], read_by=read_by) for probe in case.probes]
            assert verdict == relation.judge(readings) and verdict.grade is None
        assert read_numbers(store, chosen).judged_as == profile
        list(rejudge(store, chosen))
        assert bodies(store) == own and read_numbers(store, chosen).judged_as is None


def test_a_profile_changes_verdicts(run: Path) -> None:
    with RunStore.open(run) as store:
        own = bodies(store, "spolre")
        list(rejudge(store, config(), "released"))
        assert bodies(store, "spolre") != own


def test_resuming_brings_the_own_verdicts_back(run: Path) -> None:
    with RunStore.open(run) as store:
        own = bodies(store)
        list(rejudge(store, config(), "paper"))
        assert bodies(store) != own
        list(carry_out(store, config()))
        assert bodies(store) == own


def test_a_run_whose_judging_was_cut_off_between_two_profiles_does_not_count_as_judged(run: Path) -> None:
    with RunStore.open(run) as store:
        for event in rejudge(store, config(), "paper"):
            if isinstance(event, Judged):
                break
        assert read_numbers(store, config()).state == "unjudged"
        list(rejudge(store, config()))
        assert read_numbers(store, config()).state == "complete"


def test_an_answer_that_only_a_released_reader_cannot_read_is_not_asked_again(run: Path) -> None:
    with RunStore.open(run) as store:
        with store.transaction():
            store.connection.execute("UPDATE answers SET text = '<think>I cannot see an image.</think> a dog'")
        list(rejudge(store, config(), "released"))
        assert {body["outcome"] for body in bodies(store, "rome").values()} == {"undecided"}
        assert store.count("answers", "unreadable") == 0


def test_a_plan_that_does_not_hold_what_a_profile_needs_is_refused_before_anything_changes(tmp_path: Path) -> None:
    chosen = config(spolre={**SMALL["spolre"], "profile": "paper"})
    carried_out(tmp_path / "run", chosen)
    with RunStore.open(tmp_path / "run") as store:
        own = bodies(store)
        list(rejudge(store, chosen, "released"))
        released = bodies(store)
        with pytest.raises(RunError, match=r"'spolre' were planned with another profile, .* 'released-guarded'"):
            list(rejudge(store, chosen, "released-guarded"))
        assert bodies(store) == released != own


def test_a_profile_that_no_method_has_is_answered_with_those_that_there_are(run: Path) -> None:
    with RunStore.open(run) as store:
        with pytest.raises(UsageError, match=r"relased: no method .* They have paper, released, released-guarded"):
            list(rejudge(store, config(), "relased"))
        with pytest.raises(UsageError, match="They have none"):
            list(rejudge(store, config(methods=["deeptest"]), "paper"))
