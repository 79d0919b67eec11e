from __future__ import annotations

import pytest

from anamorph.errors import Refused
from anamorph.model import Ask
from anamorph.toybox.systems import ToyboxSystem


def test_a_text_alone_has_no_image_to_load() -> None:
    ask = Ask.of_text("0" * 32, "Two dogs.", 1)
    assert (ask.textual, ask.question, ask.path, ask.attempt) == (True, "Two dogs.", None, 1)
    with pytest.raises(Refused, match="needs an image"):
        ask.load()


def test_a_system_that_looks_refuses_a_text_alone() -> None:
    (failure,) = ToyboxSystem("captioner").ask([Ask.of_text("0" * 32, "Two dogs.")], 1)
    assert "needs an image, but was given text alone" in str(failure)
