from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hypothesis import given, strategies as st

from anamorph.engine.events import Finished
from anamorph.engine.judge import MOST_COMBINATIONS, graded, judge_combinations
from anamorph.engine.run import rejudge
from anamorph.model import Answer, Ask, Failure, Reading, ReadingKind, Verdict
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.same_answer import SameAnswer
from anamorph.store.run import RunStore
from tests.engine import fakes
from tests.engine.fakes import Script, config_for, go, use
from tests.english import caption_reader, wording_reader


def read(*texts: str) -> list[Reading]:
    return [wording_reader().read_text(text) for text in texts]


def test_a_violation_that_every_combination_shows_stands() -> None:
    assert judge_combinations(SameAnswer(), [read("a", "a", "b"), read("c", "d", "d")]).outcome == "violated"


def test_a_violation_that_the_systems_own_noise_explains_is_undecided() -> None:
    verdict = judge_combinations(SameAnswer(), [read("a", "b"), read("b", "b")])
    assert verdict.outcome == "undecided"
    assert "noise explains it: 2 of 4 combinations" in verdict.reason


def test_answers_that_never_differ_hold() -> None:
    assert judge_combinations(SameAnswer(), [read("a", "a"), read("a", "a")]).outcome == "holds"


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), min_size=2, max_size=9))
def test_the_verdict_agrees_with_all_combinations_or_is_a_bounded_sample_of_them(texts: list[list[str]]) -> None:
    verdict = judge_combinations(SameAnswer(), [read(*each) for each in texts])
    all_equal_possible = bool(set.intersection(*map(set, texts)))
    always_equal = len({text for each in texts for text in each}) == 1
    if always_equal:
        assert verdict.outcome == "holds"
    elif not all_equal_possible:
        assert verdict.outcome == "violated"
    total = 1
    for each in texts:
        total *= len(each)
    if total <= MOST_COMBINATIONS and all_equal_possible and not always_equal:
        assert verdict.outcome == "undecided"


def dim_is_different(batch: Sequence[Ask]) -> list[Answer | Failure]:
    return [Answer("dim" if ask.id in fakes.script.calls[0][1:2] else "bright") for ask in batch]


def test_a_changed_answer_is_a_violation_and_rejudging_agrees_without_a_call(tmp_path: Path) -> None:
    script = use(Script(dim_is_different, batch=4))
    ran = go(tmp_path, scenes={"count": 4})
    before = ran.outcomes()
    assert sorted(before) == ["holds", "holds", "holds", "violated"]
    calls = len(script.calls)
    with RunStore.open(tmp_path) as store:
        store.connection.execute("DELETE FROM verdicts")
        events = list(rejudge(store, config_for(tmp_path)))
    assert events[-1] == Finished(holds=3, violated=1, undecided=0)
    assert ran.outcomes() == before
    assert len(script.calls) == calls


def test_other_reader_settings_change_the_verdicts_of_old_answers(tmp_path: Path) -> None:
    use(Script(lambda batch: [Answer(labels={"dog": 0.4 + 0.2 * (int(ask.id, 16) % 2)}) for ask in batch]))
    ran = go(tmp_path, scenes={"count": 12})
    assert "lead" in ran.outcomes()
    with RunStore.open(tmp_path) as store:
        list(rejudge(store, config_for(tmp_path, readers={"plain": {"threshold": 0.9}})))
    assert set(ran.outcomes()) == {"holds"}


def test_noise_is_undecided_in_a_run_with_repeats(tmp_path: Path) -> None:
    use(Script(lambda batch: [Answer(f"{ask.attempt}") for ask in batch]))
    assert go(tmp_path, scenes={"count": 2}, ask={"repeats": 2}).outcomes() == ["undecided", "undecided"]


def test_a_case_with_some_attempts_missing_is_judged_by_the_others(tmp_path: Path) -> None:
    use(Script(lambda batch: [Failure("no") if ask.attempt else Answer("a cat") for ask in batch]))
    assert go(tmp_path, scenes={"count": 2}, ask={"repeats": 2}).outcomes() == ["holds", "holds"]


@dataclass(frozen=True)
class NeverHolds:
    """A relation of a user's own, which knows nothing of grades."""

    kind: ClassVar[str] = "never-holds"
    reads: ClassVar[ReadingKind] = "wording"

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return Verdict("violated", "Never.")


def test_a_violation_without_a_grade_is_a_contradiction_unless_its_relation_judges_as_published() -> None:
    assert graded(NeverHolds(), NeverHolds().judge(())).grade == "contradiction"
    assert graded(NeverHolds(), Verdict("violated", "Never.", grade="omission")).grade == "omission"
    assert graded(NeverHolds(), Verdict("holds", "Always.")).grade is None
    captions = list(map(caption_reader().read_text, ("a dog and a cat", "a horse")))
    published = OnlyLoses(("cat",))
    assert graded(published, published.judge(captions)).grade is None
    ours = OnlyLoses(("cat",), ledger=True)
    assert graded(ours, ours.judge(captions)).grade == "omission"
