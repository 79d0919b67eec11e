"""Ledgers drawn at random say what trying every number says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from anamorph.ledger import Ledger, Statement, possibility
from anamorph.ledger.inequalities import inequalities
from anamorph.ledger.simplex import Range, whole_numbers
from tests.ledger.worlds import CAP, IMAGES, BruteForce, brute_force, fits, images, ledgers, true_ledgers, worlds

LIMIT = 50_000
thorough = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def a_short_search() -> Iterator[None]:
    # Few ledgers of four images need more, and those that do would need forever.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(possibility, "SEARCH_LIMIT", LIMIT)
        yield
    worlds.cache_clear()


def keys_of(ledger: Ledger) -> set[int]:
    return {statement.key for statement in ledger.statements}


def possible(ledger: Ledger, truth: BruteForce, keys: set[int]) -> bool:
    """Whether the statements are possible: by brute force, or by numbers over its cap that are checked one by one."""
    if truth.possible(keys):
        return True
    numbers = ledger.numbers(keys)
    return numbers is not None and fits(ledger, keys, numbers) and max(numbers.values()) > CAP


def refused(ledger: Ledger) -> bool:
    return ledger.effort.entries > LIMIT


@thorough
@given(ledgers())
def test_statements_are_possible_where_some_numbers_fit(ledger: Ledger) -> None:
    found, numbers = ledger.contradiction(), ledger.numbers()
    if found is None and not refused(ledger):
        assert numbers is not None
        assert fits(ledger, keys_of(ledger), numbers)
    if brute_force(ledger).possible(keys_of(ledger)):
        assert found is None


@thorough
@given(ledgers())
def test_the_exact_search_alone_finds_numbers_where_some_fit(ledger: Ledger) -> None:
    rules = inequalities(range(IMAGES), ledger.links)
    ranges = [Range(low=0) for _ in rules.groups]
    # Of the statements about one unknown, the last one counts.
    last = {rules.unknowns[said.image]: said for said in ledger.statements}
    for unknown, said in last.items():
        ranges[unknown] = Range(said.least, said.most, said.key, said.key)
    keys = {said.key for said in last.values()}
    found, spent = whole_numbers(ranges, rules.rows, LIMIT)
    if isinstance(found, frozenset):
        assert found <= keys
        assert not brute_force(ledger).possible(found)
    elif found is not None:
        assert fits(ledger, keys, {image: found[unknown] for image, unknown in rules.unknowns.items()})
    else:
        assert spent > LIMIT


@thorough
@given(ledgers())
def test_a_contradiction_is_impossible_and_without_any_one_statement_it_is_possible(ledger: Ledger) -> None:
    found = ledger.contradiction()
    truth = brute_force(ledger)
    for contradiction in {*ledger.contradictions(), *([found] if found else [])}:
        assert not truth.possible(contradiction)
        assert all(possible(ledger, truth, set(contradiction) - {key}) for key in contradiction)


@thorough
@given(ledgers())
def test_the_floor_is_the_fewest_statements_to_drop(ledger: Ledger) -> None:
    floor, truth = ledger.floor(), brute_force(ledger)
    assert floor.fewest <= truth.floor()
    assert floor.exact or refused(ledger)
    if floor.exact:
        assert len(floor.false) == floor.fewest
        assert possible(ledger, truth, keys_of(ledger) - set(floor.false))


@thorough
@given(ledgers())
def test_every_false_set_hits_every_contradiction_and_disjoint_ones_leave_nothing(ledger: Ledger) -> None:
    floor, left = ledger.floor(), keys_of(ledger)
    for contradiction in ledger.contradictions():
        assert not floor.exact or set(contradiction) & set(floor.false)
        left -= set(contradiction)
    assert not floor.exact or possible(ledger, brute_force(ledger), left)


@thorough
@given(ledgers(), images, st.integers(0, 4), st.none() | st.integers(0, 4))
def test_one_more_statement_never_lowers_the_floor(ledger: Ledger, image: int, least: int, most: int | None) -> None:
    more = Ledger((*ledger.statements, Statement(99, image, least, most)), ledger.links)
    if ledger.floor().exact and more.floor().exact:
        assert ledger.floor().fewest <= more.floor().fewest <= ledger.floor().fewest + 1


@thorough
@given(true_ledgers())
def test_true_statements_have_no_contradiction_and_the_floor_zero(ledger: Ledger) -> None:
    assert ledger.contradiction() is None
    assert ledger.contradictions() == ()
    assert ledger.floor().fewest == 0


@thorough
@given(true_ledgers(), st.data())
def test_the_floor_is_at_most_the_number_of_lies(ledger: Ledger, data: st.DataObject) -> None:
    lies = data.draw(st.sets(st.sampled_from(sorted(keys_of(ledger)))) if ledger.statements else st.just(set()))
    statements = [
        Statement(said.key, said.image, *data.draw(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 4))))
        if said.key in lies
        else said
        for said in ledger.statements
    ]
    assert Ledger(statements, ledger.links).floor().fewest <= len(lies)
