"""What a person would say about a handful of answers."""

from __future__ import annotations

import pytest

from anamorph.ledger import (
    Changed,
    Covered,
    Empty,
    Floor,
    Joined,
    Ledger,
    Link,
    Same,
    Statement,
    Within,
    ledger,
    possibility,
)

WHOLE, LEFT, RIGHT, OTHER = range(4)


def said(*answers: tuple[int, int] | tuple[int, int, int | None]) -> tuple[Statement, ...]:
    """Answers as (image, number) or (image, least, most), with keys in order."""
    return tuple(Statement(key, answer[0], answer[1], answer[-1]) for key, answer in enumerate(answers))


def test_answers_to_no_question_are_possible() -> None:
    assert Ledger((), ()).floor() == Floor(fewest=0, exact=True, false=())


def test_one_in_the_left_half_contradicts_none_in_the_whole() -> None:
    book = Ledger(said((LEFT, 1), (WHOLE, 0)), [Within(LEFT, WHOLE)])
    assert book.contradiction() == (0, 1)
    assert book.floor() == Floor(fewest=1, exact=True, false=(1,))


def test_halves_of_two_and_three_cannot_cover_six() -> None:
    book = Ledger(said((LEFT, 2), (RIGHT, 3), (WHOLE, 6)), [Covered(WHOLE, (LEFT, RIGHT))])
    assert book.contradictions() == ((0, 1, 2),)


def test_halves_of_two_and_three_may_cover_four_since_one_object_may_lie_on_the_cut() -> None:
    book = Ledger(said((LEFT, 2), (RIGHT, 3), (WHOLE, 4)), [Covered(WHOLE, (LEFT, RIGHT))])
    assert book.contradiction() is None
    assert book.floor() == Floor(fewest=0, exact=True, false=())


def test_a_collage_of_two_photos_of_one_keyboard_each_does_not_show_one() -> None:
    book = Ledger(said((LEFT, 1), (RIGHT, 1), (WHOLE, 1)), [Joined(WHOLE, (LEFT, RIGHT))])
    assert book.contradiction() == (0, 1, 2)


def test_a_collage_of_a_photo_with_itself_never_shows_an_odd_number() -> None:
    assert Ledger(said((WHOLE, 3)), [Joined(WHOLE, (LEFT, LEFT))]).contradiction() == (0,)


def test_three_answers_contradict_each_other_where_no_two_do() -> None:
    book = Ledger(said((LEFT, 1), (RIGHT, 1), (WHOLE, 3)), [Joined(WHOLE, (LEFT, RIGHT))])
    assert book.contradiction() == (0, 1, 2)
    assert [book.contradiction(pair) for pair in ((0, 1), (0, 2), (1, 2))] == [None, None, None]


def test_the_whole_cannot_stay_at_five_while_the_crops_go_from_two_to_one() -> None:
    before, after, crop_before, crop_after = range(4)
    links = [Changed(before, after, (crop_before,), (crop_after,))]
    book = Ledger(said((before, 5), (after, 5), (crop_before, 2), (crop_after, 1)), links)
    assert book.contradiction() == (0, 1, 2, 3)
    assert book.floor().fewest == 1


def test_a_crop_of_an_edit_shows_at_most_what_the_whole_shows() -> None:
    before, after, crop_before, crop_after = range(4)
    links = [Changed(before, after, (crop_before,), (crop_after,))]
    assert Ledger(said((crop_before, 3), (before, 2)), links).contradiction() == (0, 1)
    assert Ledger(said((crop_after, 3), (after, 2)), links).contradiction() == (0, 1)


def test_seen_in_the_crop_and_denied_in_the_whole_is_a_contradiction_of_open_answers() -> None:
    book = Ledger(said((LEFT, 1, None), (WHOLE, 0)), [Within(LEFT, WHOLE)])
    assert book.contradiction() == (0, 1)


def test_what_is_seen_where_nothing_is_stands_alone_as_false() -> None:
    assert Ledger(said((LEFT, 1, None)), [Empty(WHOLE), Same(WHOLE, LEFT)]).contradiction() == (0,)


@pytest.mark.parametrize("most", [1, -1])
def test_an_answer_can_contradict_itself(most: int) -> None:
    book = Ledger(said((WHOLE, 2, most), (WHOLE, 5)), [])
    assert book.floor() == Floor(fewest=1, exact=True, false=(0,))


def test_the_one_answer_that_contradicts_all_others_is_the_false_one() -> None:
    copies = [Same(0, copy) for copy in range(1, 6)]
    book = Ledger(said((0, 2), (1, 2), (2, 3), (3, 2), (4, 2), (5, 2)), copies)
    assert book.floor() == Floor(fewest=1, exact=True, false=(2,))


def test_answers_that_say_the_same_of_copies_are_false_together() -> None:
    copies = [Same(0, copy) for copy in range(1, 9)]
    book = Ledger(said(*((copy, (2, 3, 4)[copy % 3] if copy < 6 else 3) for copy in range(9))), copies)
    assert book.floor() == Floor(fewest=4, exact=True, false=(0, 2, 3, 5))
    assert all(len(pair) == 2 for pair in book.contradictions())


def test_each_of_several_liars_is_caught_in_a_contradiction_of_its_own() -> None:
    copies = [Same(0, copy) for copy in range(1, 5)]
    book = Ledger(said((0, 2), (1, 2), (2, 2), (3, 3), (4, 3)), copies)
    assert book.floor() == Floor(fewest=2, exact=True, false=(3, 4))
    assert book.contradictions() == ((0, 3), (1, 4))


def test_an_answer_given_often_stands_against_one_liar_after_the_other() -> None:
    copies = [Same(0, copy) for copy in range(1, 5)]
    book = Ledger(said((0, 3), (1, 2), (2, 2), (3, 2), (4, 4)), copies)
    assert book.floor() == Floor(fewest=2, exact=True, false=(0, 4))
    assert book.contradictions() == ((0, 1), (2, 4))


def test_a_pair_is_preferred_to_a_larger_contradiction() -> None:
    links: list[Link] = [Covered(WHOLE, (LEFT, RIGHT)), Within(OTHER, WHOLE)]
    book = Ledger(said((LEFT, 1), (RIGHT, 1), (WHOLE, 3), (OTHER, 4)), links)
    assert book.contradiction() == (2, 3)


def test_photos_that_are_not_linked_are_counted_each_on_its_own() -> None:
    book = Ledger(said((0, 1), (0, 2), (1, 1), (1, 2), (2, 7)), [])
    assert book.floor() == Floor(fewest=2, exact=True, false=(1, 3))
    assert book.contradictions() == ((0, 1), (2, 3))


def test_only_the_answers_asked_about_are_looked_at() -> None:
    book = Ledger(said((LEFT, 1), (LEFT, 2), (WHOLE, 0)), [Within(LEFT, WHOLE)])
    assert book.contradiction(among=[1, 2]) == (1, 2)
    assert book.contradiction(among=[2]) is None


def test_numbers_that_make_the_answers_true_can_be_asked_for() -> None:
    book = Ledger(said((WHOLE, 3), (LEFT, 1)), [Joined(WHOLE, (LEFT, RIGHT))])
    assert book.numbers() == {WHOLE: 3, LEFT: 1, RIGHT: 2}


def test_a_collage_of_collages_may_show_more_than_anybody_said() -> None:
    doubled = [Joined(image + 1, (image, image)) for image in range(40)]
    book = Ledger(said((0, 1, None), (40, 2**40)), doubled)
    assert book.numbers() is not None
    assert Ledger(said((0, 1, None), (40, 0, 2**40 - 1)), doubled).contradiction() == (0, 1)


def test_two_statements_cannot_have_one_key() -> None:
    with pytest.raises(ValueError, match="same key"):
        Ledger([Statement(0, 0, 1, 1), Statement(0, 0, 2, 2)], [])


def test_two_edits_in_either_order_change_as_much() -> None:
    start, first, second, both = range(4)
    edits = [(start, first), (first, both), (start, second), (second, both)]
    links = [Changed(*edit, (4 + place,), (8 + place,)) for place, edit in enumerate(edits)]
    one_each = [(4 + place, 1) for place in range(4)]
    gained = [(8, 2), (9, 1), (10, 1), (11, 1)]
    # None of the wholes is stated: the contradiction is between the crops alone.
    book = Ledger(said(*one_each, *gained), links)
    assert book.contradiction() == tuple(range(8))
    assert book.effort.entries == 0


# More in the whole than in the part, and yet the whole is no more than the part: bounds would climb forever.
CLIMBING: tuple[Link, ...] = (Joined(WHOLE, (LEFT, RIGHT)), Within(WHOLE, OTHER), Within(OTHER, LEFT))


def test_bounds_that_climb_without_end_are_a_contradiction() -> None:
    book = Ledger(said((RIGHT, 1)), CLIMBING)
    assert book.contradiction() == (0,)
    assert book.floor() == Floor(fewest=1, exact=True, false=(0,))


def test_over_the_limit_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possibility, "SEARCH_LIMIT", 0)
    book = Ledger(said((RIGHT, 1)), CLIMBING)
    assert book.contradiction() is None
    assert book.numbers() is None
    assert book.contradictions() == ()
    assert book.floor() == Floor(fewest=0, exact=False, false=())


def test_over_the_limit_what_was_proved_before_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possibility, "SEARCH_LIMIT", 0)
    book = Ledger(said((RIGHT, 1), (7, 1), (7, 2)), CLIMBING)
    assert book.contradiction() == (1, 2)
    assert book.floor() == Floor(fewest=1, exact=False, false=())


def test_with_too_many_contradictions_the_floor_is_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "CONTRADICTION_LIMIT", 1)
    book = Ledger(said((0, 1), (0, 2), (0, 3), (0, 4)), [])
    assert book.floor() == Floor(fewest=2, exact=False, false=())


def test_numbers_that_could_grow_forever_end_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possibility, "SEARCH_LIMIT", 20_000)
    # Twice one number is twice another and one more: no fraction rules it out, and no bound ends the search.
    book = Ledger(said((RIGHT, 1)), [Joined(WHOLE, (LEFT, LEFT)), Joined(WHOLE, (OTHER, OTHER, RIGHT))])
    assert book.contradiction() is None
    assert book.floor() == Floor(fewest=0, exact=False, false=())
