from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamorph.errors import UsageError
from anamorph.studies.relevance.files import BadJudgement, read_judgements, write_judgements, write_votes
from anamorph.studies.relevance.votes import Judgement, sum_up

JUDGEMENTS = [
    Judgement("a.jpg", ("cat", "hot dog"), "ann", "strong"),
    Judgement("a.jpg", ("cat", "hot dog"), "bob", "weak", 'small, "far away"'),
    Judgement("ü.jpg", ("car",), "ann", "irrelevant"),
]


@pytest.mark.parametrize("name", ["judgements.jsonl", "judgements.csv"])
def test_judgements_round_trip(name: str, tmp_path: Path) -> None:
    write_judgements(tmp_path / name, JUDGEMENTS)
    assert list(read_judgements(tmp_path / name)) == JUDGEMENTS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not JSON"),
        ("[1]", "is not a JSON object"),
        ('{"image": "a", "labels": ["cat"], "annotator": "ann", "relevance": "very"}', "relevance: expected one of"),
        ('{"image": "a", "labels": ["cat"], "annotator": "ann"}', "relevance"),
        ('{"image": "a", "labels": ["cat", "cat"], "annotator": "ann", "relevance": "weak"}', "none twice"),
        ('{"image": "a", "labels": ["cat"], "annotator": "ann", "relevance": "weak", "colour": 1}', "colour"),
    ],
)
def test_a_bad_line_is_shown_and_passed_over(line: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "judgements.jsonl"
    good = '{"image": "a", "labels": ["cat"], "annotator": "ann", "relevance": "weak"}'
    file.write_text(f"{good}\n\n{line}\n{good}\n")
    first, bad, last = read_judgements(file)
    assert isinstance(first, Judgement) and isinstance(last, Judgement)
    assert isinstance(bad, BadJudgement) and bad.line == 3 and problem in bad.problem


def test_a_spreadsheets_file_is_read_with_its_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "judgements.csv"
    file.write_text("relevance,image,labels,annotator\nweak, a.jpg ,dog+cat,ann\nweak,b\n", encoding="utf-8-sig")
    good, bad = read_judgements(file)
    assert good == Judgement("a.jpg", ("dog", "cat"), "ann", "weak")
    assert isinstance(bad, BadJudgement) and "fewer cells" in bad.problem


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judgements.csv"
    file.write_text("photo,verdict\n")
    with pytest.raises(UsageError, match="has no column 'image'"):
        list(read_judgements(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read"):
        list(read_judgements(file))


def test_votes_are_written_for_programs_and_for_spreadsheets(tmp_path: Path) -> None:
    votes = sum_up(JUDGEMENTS).votes
    write_votes(tmp_path / "votes.jsonl", votes)
    first, _ = (json.loads(line) for line in (tmp_path / "votes.jsonl").read_text().splitlines())
    assert (first["image"], first["labels"], first["relevance"]) == ("a.jpg", ["cat", "hot dog"], "weak")
    assert first["votes"] == {"strong": 1, "weak": 1} and first["tied"] is True
    write_votes(tmp_path / "votes.csv", votes)
    assert (tmp_path / "votes.csv").read_text().splitlines()[1] == "a.jpg,cat + hot dog,weak,1,1,0,1"
