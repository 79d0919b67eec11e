"""What the papers' own tools reported, replayed from what real systems answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamorph.config import resolve
from anamorph.studies.judge.files import RecordedLine, rows_of
from anamorph.studies.judge.judge import JudgedRow, TranscriptJudge
from anamorph.studies.judge.summary import TranscriptSummary


def reported(shared: Path, name: str, profile: str) -> tuple[TranscriptSummary, set[str | int]]:
    summary, violated = TranscriptSummary(), set()
    with (shared / "recorded" / f"{name}.jsonl").open("rb") as file:
        for row in TranscriptJudge(resolve({}).readers(), profile).judge_all(rows_of(file, name)):
            summary.add(row)
            if isinstance(row, JudgedRow) and row.verdict.outcome == "violated":
                violated.add(row.id)
    assert not summary.bad_count
    return summary, violated


@pytest.mark.parametrize(("name", "least"), [("rome-azure", 0.97), ("metaic-azure-0", 0.99)])
def test_the_released_profile_reports_what_the_released_tools_did(shared: Path, name: str, least: float) -> None:
    published = set(json.loads((shared / "recorded" / f"{name}.expected.json").read_text())["violated"])
    _, ours = reported(shared, name, "released")
    assert len(ours & published) / len(ours) >= least
    assert len(ours & published) / len(published) >= least


def test_the_default_profile_drops_the_released_tools_misreadings(shared: Path) -> None:
    with (shared / "recorded" / "rome-azure.jsonl").open("rb") as file:
        rows_by_id = {row.plain["id"]: row.plain for row in rows_of(file, "rome") if isinstance(row, RecordedLine)}
    published = json.loads((shared / "recorded" / "rome-azure.expected.json").read_text())["violated"]
    _, ours = reported(shared, "rome-azure", "default")
    dropped = [rows_by_id[each]["ancestor"] for each in published if each not in ours]
    for words in ("on snow skis", "with sheep", "microwave oven", "a cell phone"):
        assert any(words in text for text in dropped), words


def test_atom_is_replayed_exactly(shared: Path) -> None:
    expected = json.loads((shared / "recorded" / "atom-voc-msrn.expected.json").read_text())
    record = reported(shared, "atom-voc-msrn", "default")[0].record()["atom"]
    assert {key: record[key] for key in expected} == expected
    assert record["images"] == 898 and record["combinations"] == 188


def test_the_ablations_of_rome_and_metaic_are_replayed(shared: Path) -> None:
    """ROME's table 1 for Azure: 1,895 reports, 1,019 of MR1, 1,057 of MR2. MetaIC's table 2: 888, 873 of MR1."""
    summary, violated = reported(shared, "rome-azure", "released")
    parts = summary.record()["methods"]["rome"]["violated_parts"]
    # Eight rows about sheep are ours alone, all of MR2; see docs/judge.md.
    assert (len(violated), parts["mr1"], parts["mr2"]) == (1895 + 8, 1019, 1057 + 8)
    depths = summary.record()["rome"]["classes_melted"]
    assert [(depth, counts["decided"]) for depth, counts in depths.items()] == [("1", 6575), ("2", 2423), ("3", 252)]
    assert sum(counts["violated"] for counts in depths.values()) == len(violated)
    summary, violated = reported(shared, "metaic-azure-0", "released")
    assert (len(violated), summary.record()["methods"]["metaic"]["violated_parts"]["mr1"]) == (888, 873)


def test_both_released_oracles_of_metaic_report_the_same_of_its_own_list(shared: Path) -> None:
    """No object of the five classes was inserted there, and where captions name one, something else is wrong, too."""
    (_, own), (_, rerun) = (reported(shared, "metaic-azure-0", each) for each in ("released", "released-rerun"))
    assert own == rerun
