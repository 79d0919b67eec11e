from __future__ import annotations

import dataclasses
import io
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.studies.judge.files import BadLine, RecordedLine, rows_of
from anamorph.studies.judge.judge import JudgedRow
from tests.studies.judge.judging import JUDGE


def lines(name: str, content: str | bytes) -> list[RecordedLine | BadLine]:
    return list(rows_of(io.BytesIO(content if isinstance(content, bytes) else content.encode()), name))


def judged(name: str, content: str) -> list[JudgedRow | BadLine]:
    return list(JUDGE.judge_all(lines(name, content)))


def keys(judged: JudgedRow | BadLine) -> dict[str, Any]:
    assert isinstance(judged, JudgedRow), judged
    row: Any = judged.row
    return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}


def test_json_lines_are_read_around_bad_ones() -> None:
    content = b'\xef\xbb\xbf{"id": 1}\n\n{"id": 2\n[3]\n\xff\xfe\n{"id": 4}'
    found = lines("recorded.jsonl", content)
    assert [each.line for each in found] == [1, 3, 4, 5, 6]
    assert [isinstance(each, BadLine) for each in found] == [False, True, True, True, False]
    assert isinstance(found[1], BadLine) and "not valid JSON" in found[1].problem and "column" in found[1].problem


CSV = """\ufeffid,method,ancestor,descendant,removed,gone,references
1,rome,"a dog, and a cat",a cat,dog,,a cat|a kitten
2,rome,a dog and a cat,a cat,"[""dog"", ""hot dog""]",dog,
3,rome,a dog
4,rome,a dog,"a
dog",dog;car,,
"""


def test_csv_rows_have_the_same_columns_as_json_has_keys() -> None:
    first, second, bad, last = judged("recorded.csv", CSV)
    assert keys(first)["ancestor"] == "a dog, and a cat" and keys(first)["references"] == ("a cat", "a kitten")
    assert keys(first)["gone"] is None and keys(second)["gone"] == ("dog",)
    assert keys(second)["removed"] == ("dog", "hot dog") and keys(last)["removed"] == ("dog", "car")
    assert bad == BadLine(4, "has 3 cells, but the first line names 7 columns.")
    assert isinstance(last, JudgedRow) and last.line == 5 and last.verdict.outcome == "undecided"


def test_tsv_rows_have_no_quoting_and_lists_in_cells() -> None:
    content = 'id\tmethod\tlabels\toutputs\n1\tatom\tcat;dog\tcat,dog|cat|dog,"cat\n'
    (row,) = judged("recorded.tsv", content)
    assert keys(row)["outputs"] == (("cat", "dog"), ("cat",), ("dog", '"cat'))
    (row,) = judged("r.tsv", "id\tmethod\tobjects\tgenerated\treferences\n1\tspolre\tdog=2; hot dog=1\t\t\n")
    assert keys(row) == {"generated": "", "objects": {"dog": 2, "hot dog": 1}, "references": ()}
    assert isinstance(row, JudgedRow) and row.verdict.outcome == "undecided"


def test_a_table_may_mix_methods_and_relations() -> None:
    table = [
        "id,method,relation,answers,questions,source,follow_up,compare",
        "1,metavqa,removal+,3|2,,,,",
        '2,,"{""kind"": ""only-loses"", ""removed"": [""dog""]}",a dog and a cat|a cat,,,,',
        "3,, same-answer ,a dog|A dog.,What is it?|What is it?,,,",
        '4,,same-answer,"[[""a"", ""b""], {""b"": 0.9, ""a"": 0.7}]",,,,',
        "5,deeptest,,,,a dog,a cat,",
        "6,deeptest,,,,a dog,a black dog,",
        "7,deeptest,,,,a dog,a black dog, wording ",
    ]
    outcomes = [row.verdict.outcome for row in judged("r.csv", "\n".join(table) + "\n") if isinstance(row, JudgedRow)]
    assert outcomes == ["holds"] * 4 + ["violated", "holds", "violated"]


def test_answers_to_a_question_must_agree_by_their_wording_and_captions_by_what_they_name() -> None:
    table = ["id,method,source,follow_up,question", "1,deeptest,red,blue,What colour?", "2,deeptest,a red dog,a dog,"]
    rows = [row for row in judged("r.csv", "\n".join(table) + "\n") if isinstance(row, JudgedRow)]
    assert [row.verdict.outcome for row in rows] == ["violated", "holds"]


@pytest.mark.parametrize(
    ("cell", "complaint"), [("dog=two", "objects: expected class=count"), ("{bad", "objects: not valid JSON")]
)
def test_a_cell_that_cannot_be_read_is_named(cell: str, complaint: str) -> None:
    (bad,) = judged("r.csv", f'id,method,objects\n1,spolre,"{cell}"\n')
    assert isinstance(bad, BadLine) and complaint in bad.problem and bad.id == "1"


def test_a_table_that_is_not_utf8_is_named_by_line() -> None:
    good, bad = lines("r.csv", b"id,method\n1,rome\n2,caf\xe9\n")
    assert isinstance(good, RecordedLine) and bad == BadLine(3, "not UTF-8 text.")


def test_a_table_whose_columns_say_neither_method_nor_relation_is_refused() -> None:
    with pytest.raises(UsageError, match="with id and method or relation among them"):
        lines("r.csv", "id,answers\n1,yes|no\n")
