from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anamorph.cli.relevance import relevance
from anamorph.errors import UsageError


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(relevance, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, choices in (("ann", "strong weak irrelevant"), ("bob", "strong weak weak")):
        rows = [
            {"image": str(number), "labels": ["cat", "dog"], "annotator": name, "relevance": choice}
            for number, choice in enumerate(choices.split())
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"]


def test_files_of_several_annotators_are_summed_up(files: list[Path]) -> None:
    output = run(*files).output
    assert "100.0%" in output and "ann, bob" in output and "6 judgements, 0 revised, 1 ties, 0 bad lines." in output


def test_a_program_reads_the_figures_and_the_votes(files: list[Path], tmp_path: Path) -> None:
    record = json.loads(run(*files, "--json", "--votes", tmp_path / "votes.csv").output)
    (row,) = record["per_size"]
    assert (row["strong"], row["weak"], row["irrelevant"], row["ri"], row["rlc"]) == (1, 2, 0, 1.0, 1.0)
    # 2 of 3 alike; by chance (1 * 1 + 1 * 2 + 0) / 9.
    assert record["mean_cohen"] == pytest.approx((2 / 3 - 1 / 3) / (2 / 3))
    assert len((tmp_path / "votes.csv").read_text().splitlines()) == 4


def test_a_file_without_a_judgement_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("nonsense\n")
    with pytest.raises(UsageError, match="has no judgement"):
        run(tmp_path / "empty.jsonl")
