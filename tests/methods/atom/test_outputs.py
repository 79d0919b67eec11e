from __future__ import annotations

from pathlib import Path

from anamorph.config import resolve
from anamorph.methods.atom.outputs import OperationCount, OutputCoverage, OutputTally, operations_table
from anamorph.studies.judge.files import rows_of
from anamorph.studies.judge.judge import TranscriptJudge
from anamorph.studies.judge.summary import TranscriptSummary


def sets(*outputs: str) -> list[frozenset[str]]:
    return [frozenset(output) for output in outputs]


def test_combinations_count_over_all_outputs_and_over_those_of_photos_whose_outputs_differ() -> None:
    tally = OutputTally()
    tally.add(2, sets("ab", "ab"))
    tally.add(2, sets("ac", "abc"))
    tally.add(1, sets("d", "d"))
    assert tally.sizes == [1, 2]
    assert tally.coverage("abcd", 2) == OutputCoverage(2, 6, 2, 1, covered=3, covered_by_revealing=3)
    assert tally.coverage("abcd", 1) == OutputCoverage(1, 4, 1, 0, covered=1, covered_by_revealing=0)
    # What is not of the label space does not count.
    assert tally.coverage("ab", 2) == OutputCoverage(2, 1, 2, 1, covered=1, covered_by_revealing=1)


def test_a_photo_that_is_used_for_several_combinations_counts_once_for_a_size() -> None:
    tally = OutputTally()
    for size in (2, 2, 1):
        tally.add(size, sets("ab", "a"), ["blur 1"], photo=7)
    assert [tally.coverage("ab", size).photos for size in (1, 2)] == [1, 1]
    assert tally.operations() == (OperationCount("blur 1", 1, 1, 1, 0),)


def test_operations_are_counted_by_name_with_what_was_lost_and_gained() -> None:
    tally = OutputTally()
    tally.add(1, sets("ab", "a", "ab"), ["blur 1", "rotate 2"])
    tally.add(1, sets("ab", "ac", "abc"), ["blur 1", "rotate 2"])
    assert tally.operations() == (OperationCount("blur 1", 2, 2, 2, 1), OperationCount("rotate 2", 2, 1, 0, 1))
    assert operations_table(tally.operations()).rows[1] == ("rotate 2", 2, 1, "50.0%", 0, 1)
    unnamed = OutputTally()
    unnamed.add(1, sets("a", "a", "b"))
    assert [each.operation for each in unnamed.operations()] == ["follow-up 1", "follow-up 2"]


def test_table_five_of_the_paper_is_replayed_exactly(shared: Path) -> None:
    """MSRN on VOC, k = 2: 64.7 % of the combinations in all outputs, 56.3 % in those of error-revealing images."""
    summary = TranscriptSummary()
    with (shared / "recorded" / "atom-voc-msrn.jsonl").open("rb") as file:
        for row in TranscriptJudge(resolve({}).readers()).judge_all(rows_of(file, "atom")):
            summary.add(row)
    (found,) = summary.record()["atom"]["outputs"]
    assert (found["possible"], found["photos"], found["revealing_photos"]) == (190, 898, 304)
    assert round(found["covered"] / 1.9, 1) == 64.7 and round(found["covered_by_revealing"] / 1.9, 1) == 56.3
