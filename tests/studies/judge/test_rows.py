"""Rows that name a relation, and methods and relations of the user's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph import catalog
from anamorph.catalog import CATALOG
from anamorph.model import Reading, Relation
from anamorph.relations.same_answer import SameAnswer
from anamorph.studies.judge.files import BadLine
from anamorph.studies.judge.judge import JudgedRow
from anamorph.studies.judge.rows import RelationRow
from anamorph.studies.judge.summary import TranscriptSummary
from tests.english import wording_reader
from tests.studies.judge.judging import judged, problem, verdict

LOSES = {"kind": "only-loses", "removed": ["dog"]}


@pytest.mark.parametrize(
    ("relation", "answers", "outcome"),
    [
        (LOSES, ["a dog and a cat", "a cat"], "holds"),
        (LOSES, ["a dog and a cat", "a dog"], "violated"),
        ({**LOSES, "gone": []}, ["a dog", "a dog"], "holds"),
        ({"kind": "only-gains", "inserted": "hot_dog"}, ["a cat", "a cat and a hot dog"], "holds"),
        ({"kind": "keeps-all", "objects": [["Hot Dog", 2]]}, ["two hot dogs"], "holds"),
        ("same-answer", ["A dog.", "a dog", "a cat"], "violated"),
        ("same-answer", [["a", "b"], {"b": 0.9, "a": 0.7, "c": 0.1}], "holds"),
        ("same-answer", [["a", "b"], None], "undecided"),
        ("same-answer", ["a dog", ["dog"]], "undecided"),
        ({"kind": "stable-labels", "labels": ["a"]}, [["a"], ["b"]], "violated"),
        ("objects-add-up", [5, "two", 3], "holds"),
        ("opposites-differ", [True, True], "violated"),
        ("removal-takes-one", [1.0, "none"], "undecided"),
        ({"kind": "pieces-add-up", "asks": "is-there-no"}, ["no", "yes", "no"], "holds"),
        (LOSES, [["dog"], "a cat"], "undecided"),
    ],
)
def test_a_row_may_name_any_relation_with_its_settings(relation: Any, answers: list[Any], outcome: str) -> None:
    assert verdict({"relation": relation, "answers": answers})["outcome"] == outcome


# A photo and both of its pieces, or views of it.
OF_THREE = ("nested-views", "parts-tell-whole", "triples-recur")


@pytest.mark.parametrize("kind", CATALOG["relations"])
def test_every_relation_of_the_catalogue_judges_rows(kind: str) -> None:
    settings: dict[str, dict[str, Any]] = {
        "keeps-all": {"objects": [["dog", 1]]},
        "only-gains": {"inserted": "dog"},
        "only-loses": {"removed": ["dog"]},
        "released-keeps-all": {"objects": [["dog", 1]]},
        "released-only-gains": {"inserted": "dog"},
        "released-rerun-only-gains": {"inserted": "dog"},
        "released-only-loses": {"removed": ["dog"]},
        "stable-labels": {"labels": ["dog"]},
    }
    relation = {"kind": kind, **settings.get(kind, {})}
    answers = [None] * (4 if kind == "four-cells-agree" else 3 if kind in OF_THREE else 2)
    assert verdict({"relation": relation, "answers": answers})["outcome"] == "undecided"
    assert "answers: " in problem({"relation": relation, "answers": []})


def test_the_verdict_has_the_keys_of_every_other_row() -> None:
    found = verdict({"relation": LOSES, "answers": ["a dog and a cat", "a cat"]})
    assert list(found) == ["id", "outcome", "violated", "categories", "reason"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"relation": "same-object", "answers": ["a", "a"]}, "Unknown relation 'same-object'. Did you mean"),
        ({"relation": {"kind": "only-looses"}, "answers": ["a", "a"]}, "Did you mean 'only-loses'?"),
        ({"relation": {"removed": ["dog"]}, "answers": []}, "relation: expected a name of relations, or a table"),
        ({"relation": 3, "answers": []}, "relation: expected a name of relations, or a table"),
        ({"relation": "only-loses", "answers": ["a", "b"]}, "relation.removed: is missing."),
        ({"relation": {**LOSES, "gon": []}, "answers": ["a", "b"]}, "relation.gon: unknown key. Did you mean 'gone'?"),
        ({"relation": {**LOSES, "removed": ["dgo"]}, "answers": ["a", "b"]}, "relation.removed: 'dgo' is not a class"),
        ({"relation": {**LOSES, "removed": [3]}, "answers": ["a", "b"]}, "relation.removed[0]: expected a string"),
        ({"relation": LOSES}, "answers: is missing."),
        ({"relation": LOSES, "answers": "a dog"}, "answers: expected a list of answers"),
        ({"relation": LOSES, "answers": ["a dog"]}, "answers: only-loses needs 2, source first, got 1."),
        ({"relation": LOSES, "answers": ["a", "b", "c"]}, "answers: only-loses needs 2, source first, got 3."),
        ({"relation": "same-answer", "answers": ["a"]}, "answers: same-answer needs at least 2, source first, got 1."),
        ({"relation": "same-answer", "answers": ["a", [1]]}, "answers[1]: expected a string, true or false, a number"),
        ({"relation": "same-answer", "answers": ["a", {"a": "b"}]}, "answers[1]: expected a string"),
        ({"relation": LOSES, "answers": ["a", "b"], "questions": ["?"]}, "questions: needs one for each of the 2"),
        ({"relation": LOSES, "answers": ["a", "b"], "questions": [1, 2]}, "questions: expected a list of texts"),
        ({"relation": LOSES, "answers": ["a", "b"], "question": ["?"]}, "question: unknown key. Did you mean"),
        ({"relation": None, "answers": ["a", "b"]}, "method: is missing. A row names a method, or a relation"),
    ],
)
def test_a_bad_row_says_what_is_wrong(row: dict[str, Any], complaint: str) -> None:
    assert complaint in problem(row)


@pytest.mark.parametrize("relation", ["same-objects", "same-answer", {"kind": "only-loses", "removed": ["dog"]}])
@pytest.mark.parametrize(
    "row",
    [
        {"method": "deeptest", "source": "a dog", "follow_up": "a dog"},
        {"method": "rome", "ancestor": "a dog", "descendant": "a dog", "removed": ["dog"]},
        {"method": "atom", "labels": ["a"], "outputs": [["a"], ["a"]]},
    ],
)
def test_a_relation_in_a_row_of_a_method_that_has_none_is_never_judged_as_something_else(
    row: dict[str, Any], relation: Any
) -> None:
    told = problem({**row, "relation": relation})
    assert f"relation: rows of {row['method']} have no such key, but this one has" in told
    assert isinstance(judged({**row, "relation": None}), JudgedRow)


def test_questions_reach_the_place_where_readings_are_made() -> None:
    class Listening:
        profile = "default"
        heard: list[tuple[Any, Any, str | None]] = []

        def read(self, relation: Relation | type[Relation], output: Any, question: str | None = None) -> Reading:
            self.heard.append((relation, output, question))
            return wording_reader().read_text(output)

        def classes(self, key: str, names: Any) -> tuple[str, ...]:
            return tuple(names)

        def supercategory(self, label: str) -> str:
            return label

    row = RelationRow.from_keys({"relation": "same-answer", "answers": ["red", "blue"], "questions": ["Which?", None]})
    row.case(Listening())
    assert Listening.heard == [(SameAnswer(), "red", "Which?"), (SameAnswer(), "blue", None)]


def test_relations_have_counts_of_their_own() -> None:
    summary = TranscriptSummary()
    for answers in (["a dog and a cat", "a cat"], ["a dog and a cat", "a dog"]):
        summary.add(judged({"relation": LOSES, "answers": answers}))
    summary.add(judged({"relation": "same-objects", "answers": []}))
    record = summary.record()
    assert (record["judged"], record["violated"], record["bad_lines"]) == (2, 1, 1)
    assert record["relations"]["only-loses"]["violated_parts"] == {"mr1": 1, "mr2": 1} and record["methods"] == {}
    assert record["bad"][0]["line"] == 7 and record["bad"][0]["id"] == "x"


EXTENSIONS = """
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import RecordedCase, Verdict


@dataclass(frozen=True)
class Longer:
    kind: ClassVar[str] = "longer"
    reads: ClassVar[str] = "wording"
    by: int = 1

    def judge(self, readings):
        source, follow_up = readings
        longer = len(follow_up.text) >= len(source.text) + self.by
        return Verdict("holds" if longer else "violated", "Measured.")


class Count:
    def __init__(self):
        self.rows = 0

    def add(self, row, case, verdict):
        self.rows += 1

    def record(self):
        return {"rows": self.rows}

    def shown(self):
        return [f"Rows: {self.rows}."]


@dataclass(frozen=True)
class StretchRow:
    cells: ClassVar = {"by": "word"}
    tally: ClassVar = Count
    short: str
    long: str

    def case(self, outputs):
        return RecordedCase(Longer(), tuple(outputs.read(Longer, text) for text in (self.short, self.long)))

    def notes(self, verdict):
        return {"length": str(len(self.long))}


@dataclass(frozen=True)
class Stretch:
    kind: ClassVar[str] = "stretch"
    recorded: ClassVar = StretchRow

    def plan(self, scenes, rng):
        return iter(())

    def summarise(self, tallies):
        return ()


@dataclass(frozen=True)
class Silent:
    kind: ClassVar[str] = "silent"

    def plan(self, scenes, rng):
        return iter(())

    def summarise(self, tallies):
        return ()
"""


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(catalog, "_loaded", {})
    file = tmp_path / "own.py"
    file.write_text(EXTENSIONS)
    before = {*sys.modules}
    catalog.load_file(file)
    yield
    for name in {*sys.modules} - before:
        if name.startswith("anamorph_loaded_"):
            del sys.modules[name]


@pytest.mark.usefixtures("loaded")
def test_a_relation_of_the_users_own_is_judged_and_its_failure_is_a_bad_line() -> None:
    row = {"relation": {"kind": "longer", "by": 2}, "answers": ["a", "abc"]}
    assert verdict(row)["outcome"] == "holds"
    assert verdict({**row, "answers": ["a", "ab"]})["outcome"] == "violated"
    told = problem({**row, "answers": ["a", "b", "c"]})
    assert told.startswith("relation: longer cannot judge these answers: ValueError: too many values")


@pytest.mark.usefixtures("loaded")
def test_a_method_of_the_users_own_brings_its_rows_notes_and_totals() -> None:
    row = {"method": "stretch", "short": "a", "long": "abc"}
    assert verdict(row) == {**verdict(row), "outcome": "holds", "length": "3"}
    summary = TranscriptSummary()
    summary.add(judged(row))
    assert summary.record()["stretch"] == {"rows": 1}
    assert "short: is missing." in problem({"method": "stretch", "long": "abc"})


@pytest.mark.usefixtures("loaded")
def test_a_method_without_rows_says_what_to_give_instead() -> None:
    assert problem({"method": "silent"}).startswith("method: silent has no rows of its own. Name a relation instead")


@given(
    st.fixed_dictionaries(
        {"relation": st.sampled_from(sorted(CATALOG["relations"])) | st.text(max_size=5)},
        optional={
            "answers": st.lists(
                st.none()
                | st.booleans()
                | st.floats()
                | st.text(max_size=5)
                | st.lists(st.text(max_size=3) | st.integers(), max_size=3)
                | st.dictionaries(st.text(max_size=3), st.floats(), max_size=3),
                max_size=4,
            ),
            "questions": st.none() | st.lists(st.none() | st.text(max_size=5), max_size=4),
        },
    )
)
def test_any_row_with_a_relation_is_judged_or_named_as_bad(row: dict[str, Any]) -> None:
    found = judged(row)
    assert isinstance(found, JudgedRow | BadLine)
    if isinstance(found, BadLine):
        assert found.problem.endswith(".") and found.id == "x"
