"""Templates for the wording of queries, by search engine."""

from __future__ import annotations

import string
from dataclasses import dataclass

from anamorph.model import Query, Term, setting

_FIELDS = frozenset(("word", "quoted", "category"))


@dataclass(frozen=True, slots=True)
class KeywordTemplate:
    """A keyword: `term` for each object, joined by `between`, then `also` for each, then `end`."""

    term: str = setting(help="For each object; {word}, {quoted} (in quotation marks if several words) and {category}.")
    between: str = setting(" ", "Text between the objects.")
    also: str = setting("", "For each object again, after all of them.")
    end: str = setting("", "Text at the end.")

    def __post_init__(self) -> None:
        for template in (self.term, self.also):
            unknown = [name for _, name, _, _ in string.Formatter().parse(template) if name not in (None, *_FIELDS)]
            if unknown:
                raise ValueError(f"{{{unknown[0]}}} is unknown; use {{word}}, {{quoted}} and {{category}}")
        if "{word}" not in self.term and "{quoted}" not in self.term:
            raise ValueError("term must have {word} or {quoted} in it")

    def text(self, query: Query) -> str:
        """The keyword for a query."""
        objects = self.between.join(_filled(self.term, term) for term in query.terms)
        also = (_filled(self.also, term) for term in query.terms) if self.also else ()
        return " ".join(part for part in (objects, *also, self.end) if part)


def _filled(template: str, term: Term) -> str:
    # A quotation mark would end the quotation, and is never part of a label.
    word, category = (" ".join(text.replace('"', " ").split()) for text in (term.word, term.category))
    return template.format(word=word, quoted=f'"{word}"' if " " in word else word, category=category)


# ATOM, figure 2 and section II-B: its Google queries.
GOOGLE_KEYWORD = KeywordTemplate("a {category} {word}", " AND ", "intitle:{quoted}", "inurl:photo")
GOOGLE_SIMPLE = KeywordTemplate("{word} ({category})", " AND ")
