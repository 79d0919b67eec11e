from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph.concurrency.budget import Budget
from anamorph.config import AskSettings
from anamorph.engine.ask.dispatcher import Dispatcher, ProbeAttempt
from anamorph.engine.ask.stage import UNDER_WAY
from anamorph.engine.budget import Spending, money, read_spending, spending_lines
from anamorph.engine.events import AskFailed, BudgetSpent, Finished
from anamorph.errors import BadRecord, Lost, SystemDown, Transient, UsageError
from anamorph.model import Answer, Ask, Failure, Usage, decode
from anamorph.store.answers import AttemptResult
from anamorph.store.run import RunStore
from tests.engine import fakes
from tests.engine.fakes import Ran, Script, go, use


def spending(ran: Ran, **ask: float) -> Spending:
    with ran.store() as store:
        return read_spending(store, AskSettings(**ask))  # type: ignore[arg-type]


@given(st.floats(0.0001, 3), st.floats(0, 50), st.lists(st.integers(1, 9), max_size=60))
def test_a_budget_is_never_exceeded(price: float, limit: float, calls: list[int]) -> None:
    budget = Budget(price, limit, threading.Event())
    paid = [images for images in calls if budget.pay(images)]
    assert budget.sent == sum(paid) and budget.spent <= limit + 1e-6
    assert budget.refused == (len(paid) < len(calls)) == budget.stop.is_set()


def test_many_threads_share_one_budget() -> None:
    budget = Budget(0.1, 10, threading.Event())
    with ThreadPoolExecutor(8) as threads:
        paid = sum(threads.map(budget.pay, [1] * 500))
    assert paid == budget.sent == 100, "a budget of ten buys a hundred at a tenth, however sums of tenths are rounded"


def test_asking_ends_before_the_budget_is_exceeded_and_what_is_there_is_judged(tmp_path: Path) -> None:
    script = use(Script(parallel=3))
    ran = go(tmp_path, scenes={"count": 10}, ask={"price": 0.5, "budget": 6.2})
    assert ran.problem is None and len(script.asked) == 12
    (stopped,) = ran.of(BudgetSpent)
    assert stopped == BudgetSpent(budget=6.2, spent=6.0, images_sent=12, lacking=8)
    with ran.store() as store:
        assert store.count("answers") == 12, "every answer that was paid for is kept"
    (finished,) = ran.of(Finished)
    assert finished.holds >= 4 and finished.undecided == 10 - finished.holds
    assert spending(ran, price=0.5, budget=6.2) == Spending(12, 0.5, 6.0, 6.2, exhausted=True)


def test_a_larger_budget_goes_on_and_counts_what_was_spent_before(tmp_path: Path) -> None:
    script = use(Script())
    go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 5})
    again = go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 5})
    assert len(script.asked) == 5 and again.of(BudgetSpent)[0].lacking == 15
    go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 12})
    assert len(script.asked) == 12
    last = go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 20})
    assert len(script.asked) == len(set(script.asked)) == 20 and not last.of(BudgetSpent)
    assert last.of(Finished) == [Finished(holds=10, violated=0, undecided=0)]
    assert spending(last, price=1) == Spending(20, 1, 20.0, None)


def test_a_budget_that_is_just_enough_ends_like_any_run(tmp_path: Path) -> None:
    use(Script())
    ran = go(tmp_path, scenes={"count": 5}, ask={"price": 0.1, "budget": 1.0})
    assert not ran.of(BudgetSpent) and ran.of(Finished)[0].holds == 5


def test_tries_that_failed_cost_too(tmp_path: Path) -> None:
    def every_second(batch: Sequence[Ask]) -> list[Answer | Failure]:
        if len(fakes.script.calls) % 2:
            raise Transient("busy")
        return [Answer("a cat")]

    script = use(Script(every_second))
    ran = go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 11})
    assert len(script.asked) == 11
    with ran.store() as store:
        assert store.count("answers") == 5
    assert not ran.of(AskFailed), "a try that was not made is no failure"
    assert spending(ran, price=1).spent == 11


def test_a_batch_costs_as_much_as_its_images(tmp_path: Path) -> None:
    script = use(Script(batch=4))
    ran = go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 10})
    assert [len(call) for call in script.calls] == [4, 4] and spending(ran, price=1).spent == 8


def test_calls_under_way_when_the_budget_ends_get_their_time(tmp_path: Path) -> None:
    delivered: list[AttemptResult] = []

    def ends_after_the_next_one_was_refused(batch: Sequence[Ask]) -> list[Answer | Failure]:
        assert dispatcher.stop.wait(30)
        return [Answer("a cat")] * len(batch)

    use(Script(ends_after_the_next_one_was_refused))
    settings = AskSettings(price=1, budget=2)
    dispatcher = Dispatcher(fakes.FakeSystem(), settings, 3, deliver=delivered.extend, on_retry=lambda *_: None)
    for probe in range(3):
        dispatcher.put([ProbeAttempt(probe, None, Ask(str(probe), None, None, lambda: None))])  # type: ignore[arg-type, return-value]
    assert dispatcher.stop.wait(30)
    dispatcher.close(0)
    assert [outcome.answer for outcome in delivered] == [Answer("a cat")] * 2 and dispatcher.budget.refused


def test_a_system_that_is_down_is_told_before_the_budget(tmp_path: Path) -> None:
    def down(batch: Sequence[Ask]) -> list[Answer | Failure]:
        raise Transient("down")

    use(Script(down))
    ran = go(tmp_path, scenes={"count": 10}, ask={"price": 1, "budget": 100, "give_up_after": 4})
    assert isinstance(ran.problem, SystemDown) and spending(ran, price=1).spent == 4


def test_a_system_that_declines_many_pictures_in_a_row_is_not_down(tmp_path: Path) -> None:
    use(Script(lambda batch: [Failure("filtered", declined=True)] * len(batch)))
    ran = go(tmp_path, scenes={"count": 10}, ask={"give_up_after": 4})
    assert ran.problem is None and ran.of(Finished) == [Finished(holds=0, violated=0, undecided=10)]
    assert len(ran.of(AskFailed)) == 20


def test_a_budget_needs_a_price() -> None:
    with pytest.raises(BadRecord, match="budget needs price"):
        decode(AskSettings, {"budget": 5}, path="ask")


@pytest.mark.parametrize(("amount", "text"), [(0, "0.00"), (5, "5.00"), (1234.5, "1,234.50"), (0.0015, "0.0015")])
def test_amounts_are_short(amount: float, text: str) -> None:
    assert money(amount) == text


def by_tokens(limit: float | None, price: float | None = None) -> Budget:
    return Budget(price, limit, threading.Event(), price_in=1.0, price_out=10.0)


@given(st.floats(0, 0.01), st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 90)), max_size=60))
def test_a_budget_for_tokens_is_exceeded_only_by_a_call_that_is_dearer_than_all_before(
    limit: float, calls: list[tuple[int, int]]
) -> None:
    budget, dearest = by_tokens(limit), 0.0
    for taken, given_back in calls:
        before = budget.spent
        if not budget.pay(1):
            assert budget.refused and before + dearest > limit
            break
        assert budget.settle([Answer("a dog", usage=Usage(taken, given_back))])
        cost = (taken + 10 * given_back) / 1e6
        assert budget.spent == pytest.approx(before + cost)
        assert budget.spent <= limit + 1e-8 or cost > dearest
        dearest = max(dearest, cost)


def test_calls_under_way_are_taken_to_cost_as_much_as_the_dearest() -> None:
    budget = by_tokens(5.0)
    assert budget.pay(1) and budget.settle([Answer("a dog", usage=Usage(1_000_000, 0))])
    assert [budget.pay(1) for _ in range(6)] == [True] * 4 + [False] * 2
    assert budget.settle([Answer("a dog", usage=Usage(500_000, 0))] * 4)
    assert budget.spent == 3.0 and budget.refused


def test_the_first_call_goes_alone_until_its_cost_is_known() -> None:
    budget = by_tokens(5.0)
    assert budget.pay(1)
    with ThreadPoolExecutor(4) as threads:
        others = [threads.submit(budget.pay, 1) for _ in range(4)]
        assert not any(other.done() for other in others) and budget.sent == 1
        budget.settle([Answer("a dog", usage=Usage(2_000_000, 0))])
        assert sorted(other.result(60) for other in others) == [False, False, False, True]
    assert budget.sent == 2


def test_a_run_that_is_stopped_does_not_wait_for_the_first_call() -> None:
    budget = by_tokens(5.0)
    assert budget.pay(1)
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(budget.pay, 1)
        budget.stop.set()
        assert other.result(60) is False and not budget.refused


def test_prices_of_images_and_of_tokens_add_up() -> None:
    budget = by_tokens(None, price=0.5)
    budget.pay(2)
    budget.settle([Answer("a dog", usage=Usage(1000, 100)), Failure("cut off", usage=Usage(1000, 0))])
    assert budget.spent == pytest.approx(1.0 + 0.003) and (budget.tokens_in, budget.tokens_out) == (2000, 100)


def test_an_answer_that_does_not_say_its_tokens_costs_as_much_as_the_dearest() -> None:
    budget = by_tokens(5.0)
    budget.pay(1)
    budget.settle([Answer("a dog", usage=Usage(1_000_000, 0))])
    budget.pay(2)
    assert budget.settle([Answer("a dog"), Failure("lost")])
    assert budget.spent == 2.0 and budget.uncounted == 1
    again = Budget.of(AskSettings(price_in=1.0, budget=5.0), threading.Event(), budget.account(), costs=True)
    assert again.account() == budget.account() and again.dearest == 1.0


def counting(batch: Sequence[Ask]) -> list[Answer | Failure]:
    return [Answer("a cat", usage=Usage(1000, 10)) for _ in batch]


def test_tokens_are_kept_with_the_run_and_priced(tmp_path: Path) -> None:
    use(Script(counting, parallel=3))
    prices = {"price_in": 1.0, "price_out": 100.0}
    ran = go(tmp_path, scenes={"count": 5}, ask=prices)
    kept = spending(ran, **prices)
    assert ran.problem is None and (kept.tokens_in, kept.tokens_out, kept.uncounted) == (10_000, 100, 0)
    assert kept.spent == pytest.approx(0.02)
    assert spending_lines(kept) == ["Spent: 0.02 on 10 images sent, 10,000 tokens in and 100 out."]
    assert spending_lines(spending(ran)) == ["Tokens: 10,000 tokens in and 100 out, on 10 images sent."]


def test_a_budget_for_tokens_stops_a_run_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    script = use(Script(counting, parallel=3))
    # A call costs 0.002.
    ask = {"price_in": 1.0, "price_out": 100.0, "budget": 0.0125}
    ran = go(tmp_path, scenes={"count": 5}, ask=ask)
    (stopped,) = ran.of(BudgetSpent)
    assert len(script.asked) == 6 and stopped.spent == pytest.approx(0.012) and stopped.lacking == 4
    last = go(tmp_path, scenes={"count": 5}, ask={**ask, "budget": 1.0})
    assert len(script.asked) == 10 and spending(last, **ask).tokens_in == 10_000


def test_a_budget_that_nobody_counts_for_ends_the_run(tmp_path: Path) -> None:
    script = use(Script(lambda batch: [Answer("a cat") for _ in batch]))
    ran = go(tmp_path, scenes={"count": 5}, ask={"price_in": 1.0, "budget": 5.0})
    assert isinstance(ran.problem, SystemDown) and "do not say how many they took" in str(ran.problem)
    assert len(script.asked) == 1


def test_a_system_that_does_not_count_tokens_cannot_be_priced_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fakes.FakeSystem, "counts_tokens", False)
    use(Script())
    ran = go(tmp_path, scenes={"count": 1}, ask={"price_out": 1.0})
    assert isinstance(ran.problem, UsageError) and "does not say how many it takes" in str(ran.problem)


def test_answers_that_were_paid_for_before_cost_nothing_and_are_counted_once(tmp_path: Path) -> None:
    def some(batch: Sequence[Ask]) -> list[Answer | Failure]:
        usage = Usage(1000, 10)
        return [Failure("cut off", usage=usage) if ask.attempt else Answer("a cat", usage=usage) for ask in batch]

    use(Script(some, costs=False))
    ask = {"price": 1.0, "price_in": 1.0, "budget": 2.0, "repeats": 2}
    for _ in range(2):
        ran = go(tmp_path, scenes={"count": 2}, ask=ask)
        kept = spending(ran, price=1.0, price_in=1.0)
        assert ran.problem is None and not ran.of(BudgetSpent)
        assert kept.spent == 0.0 and (kept.tokens_in, kept.tokens_out) == (8000, 80)


def test_a_call_that_died_with_its_worker_is_counted_and_asked_again(tmp_path: Path) -> None:
    lost = iter([True, True])

    def behave(batch: Sequence[Ask]) -> Sequence[Answer | Failure]:
        if next(lost, False):
            raise Lost("A copy of the system died")
        return [Answer("a cat")] * len(batch)

    script = use(Script(behave, batch=4))
    ran = go(tmp_path / "run", scenes={"count": 4}, ask={"price": 1, "give_up_after": 1})

    with ran.store() as store:
        assert store.count("answers") == 8
    assert ran.problem is None
    account = spending(ran, price=1)
    assert account.perhaps_twice == 8
    assert account.images_sent == len(script.asked) == 16
    # What killed two workers may be one image, so the third try is made one by one.
    assert [len(call) for call in script.calls][:3] == [4, 4, 1]
    assert "8 images may have been asked about, and paid for, twice" in spending_lines(account)[-1]


def test_what_was_with_the_system_when_a_run_was_killed_is_counted(tmp_path: Path) -> None:
    use(Script(batch=2))
    ran = go(tmp_path / "run", scenes={"count": 5}, ask={"budget": 4, "price": 1})
    with RunStore.open(ran.folder) as store, store.transaction():
        assert store.fact(UNDER_WAY) is None
        # What a killed run leaves: two batches with the system or not yet committed.
        store.set_fact(UNDER_WAY, 4)

    ran = go(tmp_path / "run", scenes={"count": 5}, ask={"budget": 100, "price": 1})

    with ran.store() as store:
        assert store.fact("spending")["perhaps_twice"] == 4
        assert store.fact(UNDER_WAY) is None
