from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from anamorph import catalog
from anamorph.cli.judge import judge
from anamorph.errors import UsageError
from tests.conftest import ROOT

HOLDS = {"id": "h", "method": "rome", "ancestor": "a dog and a cat", "descendant": "a cat", "removed": ["dog"]}
VIOLATED = {"id": "v", "method": "rome", "ancestor": "a dog", "descendant": "a cat", "removed": ["dog"]}
UNDECIDED = {"id": "u", "method": "rome", "ancestor": "a dog", "descendant": "", "removed": ["dog"]}
VAGUE = {"id": "w", "method": "rome", "ancestor": "things", "descendant": "a photo of things", "removed": ["dog"]}
CONSTANT = {"id": "c", "method": "rome", "ancestor": "a zebra", "descendant": "a zebra", "removed": ["dog"]}


def run(*arguments: object, text: str | None = None) -> Result:
    result = CliRunner().invoke(judge, [str(argument) for argument in arguments], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def recorded(tmp_path: Path) -> Any:
    def write(*rows: dict[str, Any] | str) -> Path:
        file = tmp_path / "recorded.jsonl"
        file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
        return file

    return write


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_verdicts_go_to_a_file_and_the_summary_to_stdout(recorded: Any, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    result = run(recorded(HOLDS, VIOLATED), "-o", out)
    assert result.exit_code == 1
    assert [(line["id"], line["outcome"]) for line in lines(out.read_text())] == [("h", "holds"), ("v", "violated")]
    assert list(lines(out.read_text())[0]) == ["id", "outcome", "violated", "categories", "reason"]
    assert "Failed: 1 of 2 decided cases are violated (50.0%)" in result.stdout


def test_without_a_file_stdout_has_the_verdicts_and_nothing_else(recorded: Any) -> None:
    result = run(recorded(HOLDS, VIOLATED))
    assert [line["id"] for line in lines(result.stdout)] == ["h", "v"]
    assert "Failed: 1 of 2" in result.stderr


def test_json_prints_one_object_and_nothing_else(recorded: Any) -> None:
    result = run(recorded(HOLDS, VIOLATED, UNDECIDED), "--json")
    record = json.loads(result.stdout)
    assert (record["holds"], record["violated"], record["undecided"], record["exit_code"]) == (1, 1, 1, 1)
    assert record["methods"]["rome"]["categories"] == {"newly named": 1} and record["profile"] == "default"


def test_evidence_is_added_on_request(recorded: Any) -> None:
    (line,) = lines(run(recorded(VIOLATED), "--evidence").stdout)
    assert line["evidence"] == [{"probe": 1, "text": "cat", "start": 2, "end": 5}]


@pytest.mark.parametrize(
    ("rows", "flags", "code"),
    [
        ([HOLDS], [], 0),
        ([VIOLATED], [], 1),
        ([HOLDS, VIOLATED], ["--fail-over", "50%"], 0),
        ([HOLDS, VIOLATED], ["--fail-on", "2"], 0),
        ([HOLDS, VIOLATED, VIOLATED], ["--fail-on", "2"], 1),
        ([UNDECIDED], [], 4),
        ([HOLDS, UNDECIDED, UNDECIDED], [], 4),
        ([HOLDS, UNDECIDED, UNDECIDED], ["--set", "gate.max_undecided=70%"], 0),
        ([VAGUE, HOLDS], [], 4),
        ([VAGUE, HOLDS, VIOLATED], [], 1),
        ([CONSTANT] * 10, [], 4),
        ([CONSTANT] * 9, [], 0),
        ([HOLDS, "nonsense"], [], 2),
        ([VIOLATED, "nonsense"], [], 1),
        (["nonsense"], [], 2),
        ([HOLDS, VIOLATED, "nonsense"], ["--fail-over", "50%"], 2),
    ],
)
def test_exit_codes_are_as_everywhere(recorded: Any, rows: list[Any], flags: list[str], code: int) -> None:
    assert run(recorded(*rows), *flags).exit_code == code


def test_a_bad_line_is_named_and_does_not_stop_the_rest(recorded: Any) -> None:
    file = recorded("{", HOLDS, {**HOLDS, "removed": ["dgo"]}, HOLDS)
    result = run(file)
    assert len(lines(result.stdout)) == 2
    assert f"{file}, line 1: not valid JSON" in result.stderr
    assert (
        f"{file}, line 3 (id 'h'): removed: 'dgo' is not a class of the label space coco. Did you mean 'dog'?"
        in result.stderr
    )
    assert "2 lines are bad and could not be judged. Passed: all 2 decided cases hold." in result.stderr


def test_very_many_bad_lines_do_not_flood_the_terminal(recorded: Any) -> None:
    result = run(recorded(HOLDS, *["{"] * 500))
    assert len(result.stderr.splitlines()) < 50 and "500 lines are bad" in result.stderr


def test_an_empty_file_is_no_pass(recorded: Any) -> None:
    with pytest.raises(UsageError, match="it has no line to judge"):
        run(recorded())


def test_a_file_that_cannot_be_read_or_written_is_named(recorded: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.jsonl: cannot be read \(No such file"):
        run(tmp_path / "gone.jsonl")
    with pytest.raises(UsageError, match=r"is a folder"):
        run(tmp_path)
    with pytest.raises(UsageError, match=r"--out .*no/such/out\.jsonl: cannot be written"):
        run(recorded(HOLDS), "-o", tmp_path / "no/such/out.jsonl")


def test_the_judged_file_is_never_overwritten(recorded: Any) -> None:
    file = recorded(HOLDS)
    with pytest.raises(UsageError, match="is the file that is judged"):
        run(file, "-o", file)
    assert json.loads(file.read_text()) == HOLDS


def test_rows_come_from_stdin_with_a_dash() -> None:
    assert lines(run("-", text=json.dumps(HOLDS)).stdout)[0]["outcome"] == "holds"


def test_a_table_is_judged_like_json(tmp_path: Path) -> None:
    file = tmp_path / "recorded.csv"
    file.write_text("id,method,relation,answers\n1,metavqa,removal+,3|2\n2,metavqa,removal+,0|0\n")
    assert [line["outcome"] for line in lines(run(file).stdout)] == ["holds", "violated"]


def test_readers_and_gate_are_set_by_a_toml_file_and_flags(recorded: Any, tmp_path: Path) -> None:
    config = tmp_path / "anamorph.toml"
    config.write_text('[readers.caption]\nlabels = "voc"\n[gate]\nfail_over = "100%"\n')
    file = recorded({**VIOLATED, "ancestor": "a sofa", "descendant": "a sofa", "removed": ["sofa"], "gone": ["sofa"]})
    assert run(file, "--config", config).exit_code == 0
    assert run(file, "--config", config, "--fail-over", "5%").exit_code == 1
    assert run(file, "--set", "readers.caption.labels=voc").exit_code == 1
    with pytest.raises(UsageError, match="Unknown label space 'nope'"):
        run(file, "--set", "readers.caption.labels=nope")


def test_the_released_profile_replays_the_released_tools(recorded: Any) -> None:
    row = {"id": 1, "method": "metaic", "background": "a wave", "generated": "a parrot", "inserted": "bird"}
    assert run(recorded(row)).exit_code == 0
    assert run(recorded(row), "--profile", "released").exit_code == 1


def test_atoms_summary_follows_the_verdicts(recorded: Any) -> None:
    both, one = ["cat", "dog"], ["cat"]
    rows = [
        {"id": 1, "method": "atom", "labels": both, "outputs": [both] * 8},
        {"id": 2, "method": "atom", "labels": both, "outputs": [both] * 2 + [one] * 6},
        {"id": 3, "method": "atom", "labels": ["bird"], "outputs": [one] * 8},
    ]
    result = run(recorded(*rows))
    assert [line["image"] for line in lines(result.stdout)] == ["confident", "label-error", "none"]
    assert "confident 1, label error 1, unspecific 0, none of these 1." in result.stderr
    assert "Label combinations: 2, confident 50.0 %, vulnerable 50.0 %." in result.stderr
    atom = json.loads(run(recorded(*rows), "--json").stdout)["atom"]
    assert atom["scores"] == [
        {"labels": ["bird"], "score": None, "confident": 0, "label_error": 0},
        {"labels": ["cat", "dog"], "score": 0.625, "confident": 1, "label_error": 1},
    ]


def test_half_an_emoji_in_an_id_does_not_break_the_output(recorded: Any, tmp_path: Path) -> None:
    out = tmp_path / "verdicts.jsonl"
    assert run(recorded({**HOLDS, "id": "\ud83d"}), "-o", out).exit_code == 0
    assert lines(out.read_text())[0]["id"] == "\ud83d"


def test_the_example_of_the_page_is_judged_as_the_page_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "judge.md").read_text("utf-8")
    rows, verdicts = re.findall(r"^```json\n(.*?)^```$", page.partition("### Rows that name")[2], re.M | re.S)[:2]
    file = tmp_path / "recorded.jsonl"
    file.write_text(rows)
    result = run(file)
    assert lines(result.stdout) == lines(verdicts) and len(lines(verdicts)) == 4
    assert "same-answer" in result.stderr and "method or relation" in result.stderr


def test_an_unknown_relation_is_named_with_line_and_id_and_a_suggestion(recorded: Any) -> None:
    bad = {"id": "odd", "relation": "same-answr", "answers": ["a dog", "a dog"]}
    result = run(recorded(HOLDS, bad, {**bad, "method": "deeptest", "source": "a", "follow_up": "a"}))
    assert result.exit_code == 2 and [line["id"] for line in lines(result.stdout)] == ["h"]
    assert "line 2 (id 'odd'): Unknown relation 'same-answr'. Did you mean 'same-answer'?" in result.stderr
    assert "line 3 (id 'odd'): relation: rows of deeptest have no such key" in result.stderr


def test_a_relation_of_a_loaded_file_is_judged(recorded: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_loaded", {})
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\nfrom anamorph.model import Verdict\n"
        "@dataclass(frozen=True)\nclass Empty:\n    kind: ClassVar[str] = 'always-broken'\n"
        "    reads: ClassVar[str] = 'wording'\n"
        "    def judge(self, readings):\n        return Verdict('violated', 'It always is.', (self.kind,))\n"
    )
    file = recorded({"id": 1, "relation": "always-broken", "answers": ["a", "b"]})
    record = json.loads(run(file, "--load", own, "--json").stdout)
    assert record["relations"]["always-broken"]["violated"] == 1 and record["exit_code"] == 1
