from __future__ import annotations

import json

from hypothesis import given, strategies as st

from anamorph.model.visible import one_line, visible, visible_json

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
HIDING = set("\x7f\x85\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


@given(ANY_TEXT)
def test_a_visible_text_can_be_written_to_any_file_and_hides_nothing(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\t\n" for character in shown)
    assert not set(shown) & HIDING
    assert "\n" not in one_line(text) and "\t" not in one_line(text) and one_line(visible(text)) == one_line(text)


@given(ANY_TEXT)
def test_making_a_text_visible_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_what_hides_is_named() -> None:
    assert visible("a\0b\x1bc\u202ed\ud800e\r\nf") == "a␀b␛c⟨U+202E⟩d⟨U+D800⟩e\nf"


def test_joiners_that_scripts_and_emoji_need_stay() -> None:
    family = "\U0001f469\u200d\U0001f467 \u0645\u06cc\u200c\u062e\u0648\u0645"
    assert visible(family) == family


@given(ANY_TEXT)
def test_json_in_which_nothing_hides_means_the_same(text: str) -> None:
    written = visible_json(json.dumps({text: [text]}, ensure_ascii=False, indent=1))
    assert json.loads(written) == {text: [text]}
    assert visible(written) == written
