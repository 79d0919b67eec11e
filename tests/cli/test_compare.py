from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anamorph.cli.compare import compare_command
from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from anamorph.errors import UsageError

EXAMPLE = Path(__file__).parents[2] / "examples" / "constant_answers.py"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    for function in ("always_zero", "always_yes"):
        config = resolve({"methods": ["metavqa"], "scenes": "toybox:3", "system": f"callable:{EXAMPLE}:{function}"})
        with start(config, folder / function) as store:
            for _ in carry_out(store, config):
                pass
    return [folder / "always_zero", folder / "always_yes"]


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(compare_command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_two_runs_are_put_side_by_side(runs: list[Path]) -> None:
    output = run(*runs).output
    assert "The runs have the same" in output and "always_yes less always_zero" in output
    assert "reversion" in output and "only always_yes fails" in output


def test_a_program_reads_json_or_csv(runs: list[Path]) -> None:
    record = json.loads(run(*runs, "--json").output)
    (reversion,) = (each for each in record["rates"] if each["name"] == "reversion")
    assert reversion["runs"]["always_yes"]["rate"] == 1.0 and reversion["runs"]["always_zero"]["rate"] == 0.0
    (difference,) = (each for each in record["differences"] if each["relation"] == "opposites-differ")
    assert difference["difference"] == 1.0 and difference["only_second_fails"] == difference["decided_by_both"]
    rows = list(csv.DictReader(io.StringIO(run(*runs, "--csv").output)))
    assert {row["run"] for row in rows} == {"always_zero", "always_yes"}


def test_a_page_is_written_where_it_is_wanted(runs: list[Path], tmp_path: Path) -> None:
    output = run(*runs, "--out", tmp_path / "page").output
    assert (tmp_path / "page" / "index.html").is_file() and str(tmp_path / "page") in output.replace("\n", "")


def test_prices_are_one_for_all_or_one_for_each(runs: list[Path]) -> None:
    record = json.loads(run(*runs, "--cost-per-call", 2, "--cost-per-call", 0, "--json").output)
    assert [each["cost"] for each in record["runs"]] == [2 * record["runs"][0]["calls"], 0]
    with pytest.raises(UsageError, match="given 3 times for 2 runs"):
        run(*runs, *["--cost-per-call", 1] * 3)
