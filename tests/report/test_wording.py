from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.model import Answer, encode
from anamorph.report.wording import answer_text, in_words, marked_texts, short, value_in_words


def test_a_long_name_is_cut_and_says_so() -> None:
    assert short("x" * 100, 10) == "x" * 9 + "…"
    assert short("x" * 10, 10) == "x" * 10


@given(st.text("abc ", max_size=60), st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70)), max_size=5))
def test_parts_of_a_short_text_add_up_to_it_and_mark_what_the_spans_cover(
    text: str, spans: list[tuple[int, int]]
) -> None:
    parts = marked_texts(text, spans, 1000)
    assert "".join(part.text for part in parts) == text
    marked = [part.marked for part in parts for _ in part.text]
    wanted = [any(start <= at < end for start, end in spans) for at in range(len(text))]
    assert marked == wanted


def test_a_long_text_is_cut_but_the_evidence_beyond_the_cut_is_shown() -> None:
    text = "x" * 5000 + "ZEBRA" + "y" * 5000
    parts = marked_texts(text, [(5000, 5005)], 300)
    assert [part.text for part in parts if part.marked] == ["ZEBRA"]
    assert sum(len(part.text) for part in parts) < 800
    assert parts[-1].text == "…"


def test_marking_a_megabyte_shows_a_little_of_it() -> None:
    parts = marked_texts("x" * 1_000_000, [(0, 1_000_000)], 1200)
    assert sum(len(part.text) for part in parts) < 2000
    assert parts[0].marked


def test_an_edit_is_shown_in_words() -> None:
    assert in_words(encode(Blur(1.5))) == "blur, sigma 1.5"


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ({"kind": "melt", "objects": ["4", "9"]}, "melt, objects cat (4) and 9"),
        (
            {"kind": "insert", "box": {"x": 1, "y": 2, "width": 30, "height": 40.5}},
            "insert, box 30 \u00d7 40.5 at (1, 2)",
        ),
        ({"kind": "cut-out", "mask": {"height": 4, "width": 4, "counts": "xyz"}}, "cut out, mask by its outline"),
        ({"kind": "flip", "upright": True, "fast": False}, "flip, upright, no fast"),
        ({"kind": "relayout", "moves": list(range(20))}, "relayout, moves (20 of them)"),
        ({"kind": "nested", "by": {"kind": "telea", "radius": 3}}, "nested, by (telea, radius 3)"),
        ({"kind": "odd", "name": "\u202e" + "n" * 500}, "odd, name ⟨U+202E⟩" + "n" * 58 + "…"),
    ],
)
def test_any_edit_has_words_even_one_that_is_not_known_here(plain: dict[str, object], words: str) -> None:
    assert in_words(plain, {"4": "cat"}) == words


def test_an_empty_setting_is_shown_as_none() -> None:
    assert value_in_words([]) == "none"
    assert value_in_words(None) == "none"
    assert value_in_words(True) == "yes"


def test_a_table_as_a_setting_needs_no_brackets() -> None:
    assert value_in_words({"kind": "same-answer"}) == "same answer"
    assert value_in_words({"Accept": "json", "by": {"kind": "x"}}) == "Accept json, by (x)"
    assert value_in_words({}) == "none"


def test_labels_are_listed_by_falling_score() -> None:
    assert answer_text(Answer(labels={"cat": 0.25, "dog": 0.5, "ant": 0.25})) == "dog 0.5; ant 0.25; cat 0.25"
