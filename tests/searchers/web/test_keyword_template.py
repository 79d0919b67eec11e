from __future__ import annotations

import pytest

from anamorph.model import Query, Term
from anamorph.searchers.web.keyword_template import KeywordTemplate

TWO = Query((Term("hot dog", "food"), Term("cat", "animal")))


def test_a_keyword_is_objects_then_what_is_said_of_each_then_the_end() -> None:
    template = KeywordTemplate("a {category} {word}", " AND ", "intitle:{quoted}", "inurl:photo")
    assert template.text(TWO) == 'a food hot dog AND a animal cat intitle:"hot dog" intitle:cat inurl:photo'


def test_templates_can_be_as_plain_as_one_likes() -> None:
    assert KeywordTemplate("{word}").text(TWO) == "hot dog cat"


def test_a_quotation_mark_in_a_word_does_not_end_the_quotation() -> None:
    assert KeywordTemplate("{quoted}").text(Query((Term('a" OR "b', "x"),))) == '"a OR b"'


@pytest.mark.parametrize(
    ("term", "complaint"), [("{colour} {word}", "{colour} is unknown"), ("dog", "must have {word}")]
)
def test_templates_that_make_no_sense_are_refused(term: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        KeywordTemplate(term)
