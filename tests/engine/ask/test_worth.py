"""Tests of the order of worth: it depends on answers and never on timing, starves nothing, and estimates stay fair."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.config import AskSettings
from anamorph.engine.ask import worth
from anamorph.engine.events import Answered, StoppedByRule
from anamorph.engine.run import carry_out, config_of, start
from anamorph.engine.stopping import StopRules
from anamorph.errors import UsageError
from anamorph.model import Answer, Ask
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.store.orders import AskedRound, record_round, stored_rounds
from anamorph.store.run import RunStore
from anamorph.studies.merge.merging import merge_runs
from tests.engine.fakes import ONE_EDIT, Ran, Script, config_for, go, use

WORTH = {"order": "worth"}


def moody(batch: Sequence[Ask]) -> list[Answer]:
    """A cat on most pictures, a dog on every fifth."""
    return [Answer("a dog" if int(item.id[:4], 16) % 5 == 0 else "a cat") for item in batch]


def rounds_of(folder: Path) -> list[Any]:
    with RunStore.open(folder, read_only=True) as store:
        return list(stored_rounds(store))


def numbers_of(ran: Ran, **changes: Any) -> RunNumbers:
    with ran.store() as store:
        return read_numbers(store, config_for(ran.folder, **changes))


def test_everything_is_asked_once_and_judged_as_in_the_order_of_the_plan(tmp_path: Path) -> None:
    script = use(Script(moody, parallel=2, batch=3))
    by_worth = go(tmp_path / "worth", scenes={"count": 60}, ask=WORTH)
    assert by_worth.problem is None
    assert len(script.asked) == len(set(script.asked)) == 120

    use(Script(moody))
    by_plan = go(tmp_path / "plan", scenes={"count": 60}, ask={"order": "plan"})

    assert by_worth.outcomes() == by_plan.outcomes()
    cases = [case for decided in rounds_of(tmp_path / "worth") for case in decided.even]
    assert sorted(cases) == list(range(1, 61)), "in the end, all cases were drawn evenly"
    assert not rounds_of(tmp_path / "plan")
    assert numbers_of(by_worth, ask=WORTH).estimates.part == "all"


@pytest.mark.parametrize("after", [1, 25, 70])
def test_the_order_is_the_same_after_a_stop(tmp_path: Path, after: int) -> None:
    use(Script(moody, parallel=1, batch=4))
    go(tmp_path / "whole", scenes={"count": 60}, ask=WORTH)

    use(Script(moody, parallel=3, batch=2))
    config = config_for(tmp_path / "stopped", scenes={"count": 60}, ask=WORTH)
    with start(config, tmp_path / "stopped") as store:
        events = carry_out(store, config)
        answered = (event for event in events if isinstance(event, Answered))
        assert len(list(itertools.islice(answered, after))) == after
        events.close()  # type: ignore[attr-defined]
    go(tmp_path / "stopped", scenes={"count": 60}, ask=WORTH)

    assert rounds_of(tmp_path / "stopped") == rounds_of(tmp_path / "whole")


def test_another_seed_gives_another_order(tmp_path: Path) -> None:
    for seed in (1, 2):
        use(Script(moody))
        go(tmp_path / str(seed), scenes={"count": 60}, ask=WORTH, seed=seed)
    assert rounds_of(tmp_path / "1") != rounds_of(tmp_path / "2")


def test_images_that_cannot_be_made_and_failed_calls_hold_nothing_up(tmp_path: Path) -> None:
    def sometimes(batch: Sequence[Ask]) -> list[Answer]:
        if int(batch[0].id[:4], 16) % 7 == 0:
            raise ValueError("not this one")
        return moody(batch)

    use(Script(sometimes, parallel=2))
    ran = go(tmp_path, scenes={"count": 60, "broken": [3, 4, 5]}, ask={**WORTH, "give_up_after": 0})
    assert ran.problem is None
    with ran.store() as store:
        assert store.count("verdicts") == 60
        assert store.count("images", "problem IS NOT NULL") == 6


def test_a_budget_spreads_what_is_asked_and_rates_come_from_the_even_part(tmp_path: Path) -> None:
    methods = {"methods": ["deeptest"], "deeptest": {"compare": "wording"}}
    settings = {"scenes": {"count": 40}, "ask": {"price": 1, "budget": 100}, **methods}
    use(Script(moody, batch=4))
    ran = go(tmp_path, **settings)
    numbers = numbers_of(ran, **settings)

    assert numbers.estimates.part == "even"
    assert 16 <= numbers.estimates.cases <= numbers.counts.decided
    assert numbers.estimates.cases % 16 == 0, "whole rounds only: what is left of the last one may be there by choice"
    assert numbers.counts.drawn is not None
    assert numbers.counts.violation_rate == numbers.counts.drawn.share
    assert sum(each.counts.drawn.cases for each in numbers.groups if each.counts.drawn) == numbers.estimates.cases
    assert "drawn evenly at random" in numbers.estimates.sentence
    with ran.store() as store:
        scenes = store.connection.execute(
            """SELECT count(DISTINCT i.scene) FROM answers a
            JOIN probes p ON p.id = a.probe JOIN images i ON i.id = p.image"""
        ).fetchone()[0]
    assert scenes > 25, "in the order of the plan it would be 20"


def test_no_arm_is_starved_although_one_of_them_always_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "_class_of_claim", lambda claim: None)
    seen: list[list[int]] = []
    decide = worth.WorthOrder._decide

    def watched(order: worth.WorthOrder) -> Any:
        decided = decide(order)
        seen.append([arm.asked for arm in order._arms])
        return decided

    monkeypatch.setattr(worth.WorthOrder, "_decide", watched)
    flags = ["-m", "rome", "-m", "deeptest", "-s", "toybox:12", "-y", "toybox:captioner", "--order", "worth"]
    done = CliRunner().invoke(cli, ["run", *flags, "--out", str(tmp_path / "run"), "--no-report", "--json"])
    assert done.exit_code in (0, 1, 4), done.output
    arms = len(seen[0])
    assert arms > 4
    assert min(seen[min(len(seen) - 1, 1 + arms // 16)]) > 0, "after the spreading phase, every arm was asked"


def test_until_stops_once_the_interval_is_narrow_and_resume_goes_on(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"scenes": {"count": 300}, "ask": {"until": "interval < 25%"}}
    use(Script(moody, batch=8))
    ran = go(tmp_path, **settings)
    (stopped,) = ran.of(StoppedByRule)
    assert stopped.rule == "until interval < 25%"
    assert stopped.lacking > 0

    numbers = numbers_of(ran, **settings)
    low, high = numbers.counts.interval or (0, 1)
    assert high - low < 0.27
    assert numbers.stopped_by == "until interval < 25%"
    assert "complete for its purpose" in numbers.stop_sentence
    assert numbers.gate.outcome == "failed", "it has violations; that cases were not asked makes it no less conclusive"

    use(Script(moody, batch=8))
    again = go(tmp_path, scenes={"count": 300})
    assert not again.of(StoppedByRule)
    assert numbers_of(again).stopped_by is None
    assert numbers_of(again).lacking_answers == 0


def test_a_time_stops_asking_and_every_answer_that_is_under_way_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = use(Script(moody, batch=2))
    # The clock of the rule stands still until something was asked.
    monkeypatch.setattr(StopRules, "reached", _after_twenty(script))
    ran = go(tmp_path, scenes={"count": 60}, ask={"time": "30m"})
    (stopped,) = ran.of(StoppedByRule)
    assert stopped.rule == "time 30m"
    with ran.store() as store:
        assert store.count("answers") == len(script.asked) == 120 - stopped.lacking


def _after_twenty(script: Script) -> Any:
    def reached(rules: StopRules, interval: Any = None) -> bool:
        if len(script.asked) >= 20:
            rules.rule = "time 30m"
        return rules.rule is not None

    return reached


def test_a_rule_is_reached_by_the_clock_or_by_the_interval() -> None:
    assert not StopRules.of(AskSettings(time="1h")).reached((0.1, 0.9))
    late = StopRules(seconds=60.0, words={"time": "1m"}, began=-1e9)
    assert late.reached()
    assert late.rule == "time 1m"
    narrow = StopRules.of(AskSettings(until="interval < 3%"))
    assert not narrow.reached((0.10, 0.14))
    assert not narrow.reached(None)
    assert narrow.reached((0.10, 0.12))
    assert narrow.rule == "until interval < 3%"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"time": "soon"}, "time must be a duration such as 90s, 30m, 2h or 1h30m"),
        ({"time": "0m"}, "time must be a duration"),
        ({"until": "3%"}, "until must be a rule such as"),
        ({"until": "interval < 0%"}, "until must be a rule such as"),
        ({"until": "interval < many"}, "until must be a rule such as"),
        ({"until": "interval < 3%", "order": "plan"}, "until needs order"),
    ],
)
def test_rules_that_mean_nothing_are_refused(tmp_path: Path, ask: dict[str, str], said: str) -> None:
    use(Script())
    with pytest.raises(UsageError, match=said):
        config_for(tmp_path, ask=ask)


def test_durations_are_read() -> None:
    assert AskSettings(time="1h30m").time_seconds == 5400
    assert AskSettings(time="90s").time_seconds == 90
    assert AskSettings(time="2h").by_worth
    assert not AskSettings().by_worth
    assert not AskSettings(time="2h", order="plan").by_worth


def test_the_rules_of_the_command_line_are_for_that_command(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    flags = ["-m", "deeptest", "-s", "toybox:30", "-y", "toybox:captioner", "--until", "interval < 40%"]
    done = CliRunner().invoke(cli, ["run", *flags, "--out", run, "--json", "--no-report"])
    record = json.loads(done.stdout)
    assert record["stopped_by"] == "until interval < 40%"
    assert record["rates_from"]["part"] == "even"
    assert "stopped by the rule until interval < 40%" in done.stderr

    done = CliRunner().invoke(cli, ["resume", run, "--json", "--no-report"])
    record = json.loads(done.stdout)
    assert record["stopped_by"] is None
    assert record["rates_from"] == {"part": "all", "cases": 0}
    with RunStore.open(tmp_path / "run", read_only=True) as store:
        assert config_of(store).settings.ask.until is None


def test_shards_that_were_stopped_are_not_merged(tmp_path: Path) -> None:
    folders = []
    for index in (1, 2):
        use(Script(moody, batch=4))
        folders.append(tmp_path / f"shard-{index}")
        go(folders[-1], scenes={"count": 80}, shard=f"{index}/2", ask={"price": 1, "budget": 20}, deeptest=ONE_EDIT)
    with pytest.raises(Exception, match="rates over all shards would be biased"):
        merge_runs(folders, tmp_path / "merged")
    for folder, index in zip(folders, (1, 2), strict=True):
        use(Script(moody, batch=4))
        go(folder, scenes={"count": 80}, shard=f"{index}/2", ask={"price": 1, "budget": 200}, deeptest=ONE_EDIT)
    merge_runs(folders, tmp_path / "merged")


def test_a_forged_order_is_reported(tmp_path: Path) -> None:
    use(Script(moody))
    config = config_for(tmp_path, scenes={"count": 3}, ask=WORTH)
    with start(config, tmp_path) as store, store.transaction():
        record_round(store, 1, AskedRound((99,), ()))
    ran = go(tmp_path, scenes={"count": 3}, ask=WORTH)
    assert "names the case 99, which is not there" in str(ran.problem)
