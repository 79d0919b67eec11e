"""The workflows of the CI guide. No YAML parser is among the test dependencies, so their structure is read by the few
rules that they keep to: mappings and lists by indentation, plain scalars, and blocks after `|`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.docs.test_pages import parsed
from tests.report.fixtures import HandmadeRun, new_run as new_run

GUIDE = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
WORKFLOWS = dict(BLOCKS)


def yaml_of(text: str) -> Any:
    """The value of a text in the part of YAML that the guide uses; AssertionError for anything else."""
    assert "\t" not in text
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    value, rest = _block(lines, 0)
    assert not rest, rest
    return value


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], least: int) -> tuple[Any, list[str]]:
    here = _indent(lines[0])
    assert here >= least and here % 2 == 0, lines[0]
    if lines[0].lstrip().startswith("- "):
        items = []
        while lines and _indent(lines[0]) == here and lines[0].lstrip().startswith("- "):
            first = " " * (here + 2) + lines[0].lstrip()[2:]
            item: Any
            if re.match(r"[\w-]+:( |$)", first.strip()):
                item, lines = _block([first, *lines[1:]], here + 2)
            else:
                item, lines = _scalar(first.strip()), lines[1:]
            items.append(item)
        return items, lines
    table: dict[str, Any] = {}
    while lines and _indent(lines[0]) == here:
        match = re.fullmatch(r"([\w-]+):(?: (.*))?", lines[0].strip())
        assert match, f"not a key with a value: {lines[0]!r}"
        key, text = match[1], (match[2] or "").strip()
        assert key not in table, f"{key} is there twice"
        lines = lines[1:]
        if text == "|":
            deeper = []
            while lines and _indent(lines[0]) > here:
                deeper.append(lines.pop(0).strip())
            table[key] = "\n".join(deeper)
        elif text:
            table[key] = _scalar(text)
        elif lines and _indent(lines[0]) > here:
            table[key], lines = _block(lines, here + 2)
        else:
            table[key] = None
    assert not lines or _indent(lines[0]) < here, f"indented by chance: {lines[0]!r}"
    return table, lines


def _scalar(text: str) -> str:
    if text[0] in "\"'":
        assert text[-1] == text[0] and text.count(text[0]) == 2, text
        return text[1:-1]
    # What would be something else than a text to a real parser.
    assert text[0] not in "[]{}&*!|>%@`" and ": " not in text and " #" not in text, text
    return text


def commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for each in value.values() for line in commands(each)]
    if isinstance(value, list):
        return [line for each in value for line in commands(each)]
    return [line for line in str(value).splitlines() if line.startswith("anamorph ")]


def test_there_is_a_workflow_for_both() -> None:
    assert set(WORKFLOWS) == {".github/workflows/anamorph.yml", ".gitlab-ci.yml"}
    assert GUIDE.count("```yaml") == 2


def test_the_workflow_of_github_has_what_it_needs() -> None:
    flow = yaml_of(WORKFLOWS[".github/workflows/anamorph.yml"])
    assert set(flow) == {"name", "on", "jobs"} and set(flow["on"]) == {"pull_request", "schedule"}
    (job,) = flow["jobs"].values()
    assert {"runs-on", "timeout-minutes", "steps"} == set(job)
    for step in job["steps"]:
        assert set(step) <= {"name", "uses", "with", "run", "env", "if"} and ("uses" in step) != ("run" in step)
    uses = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [re.sub(r"@v\d+$", "", each) for each in uses] == [
        "actions/checkout",
        "actions/setup-python",
        "actions/upload-artifact",
    ]
    keep = job["steps"][-1]
    assert keep["if"] == "always()" and keep["with"]["path"] == "runs/ci/report"
    assert any("--log github" in line and "--out runs/ci" in line for line in commands(flow))


def test_the_workflow_of_gitlab_has_what_it_needs() -> None:
    flow = yaml_of(WORKFLOWS[".gitlab-ci.yml"])
    (job,) = flow.values()
    assert {"image", "script", "artifacts", "cache"} <= set(job)
    assert job["artifacts"]["reports"]["junit"] == "runs/ci/report/junit.xml"
    assert job["artifacts"]["when"] == job["cache"]["when"] == "always"


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_every_command_of_a_workflow_parses(name: str) -> None:
    lines = commands(yaml_of(WORKFLOWS[name]))
    assert len(lines) == 2 and "--check" in lines[0]
    for line in lines:
        parsed(shlex.split(line)[1:])


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_real_parser_reads_the_same(name: str) -> None:
    yaml = pytest.importorskip("yaml")
    read = yaml.load(WORKFLOWS[name], Loader=yaml.BaseLoader)
    ours = yaml_of(WORKFLOWS[name])
    assert commands(read) == commands(ours) and list(read) == list(ours)


SCHEMAS = {".github/workflows/anamorph.yml": "vendor.github-workflows", ".gitlab-ci.yml": "vendor.gitlab-ci"}


def schema_check(name: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What check-jsonschema says with the schema that it carries; nothing is fetched."""
    file = folder / Path(name).name
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMAS[name], str(file)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_is_valid_by_the_schema_of_its_service(name: str, tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema", reason="needs check-jsonschema, which is not installed here")
    done = schema_check(name, WORKFLOWS[name], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = WORKFLOWS[name].replace("steps:", "stepz:").replace("script:", "skript:")
    assert wrong != WORKFLOWS[name] and schema_check(name, wrong, tmp_path).returncode == 1


@pytest.mark.parametrize("text", ["a: 1\n   b: 2", "a: 1\na: 2", "a\tb: 1", "a: b: c", "- x\na: 1"])
def test_the_reader_refuses_what_is_no_yaml(text: str) -> None:
    with pytest.raises(AssertionError):
        yaml_of(text)


def test_every_option_of_the_plugin_is_in_its_table() -> None:
    from anamorph.pytest_plugin import _ARGUMENTS, OPTIONS

    for name in OPTIONS:
        assert f"`anamorph_{name}`" in GUIDE
    for name in _ARGUMENTS:
        assert f"| `{name}` |" in GUIDE


def test_the_exit_codes_are_those_of_the_commands() -> None:
    from anamorph.cli.main import EPILOG
    from anamorph.engine.gate import EXIT_CODES
    from anamorph.errors import AnamorphError, UsageError

    told = dict(re.findall(r"^  (\d+)  (.+)$", EPILOG, re.MULTILINE))
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", GUIDE, re.MULTILINE)
    assert [code for code, _ in rows] == list(told)
    assert {*map(str, EXIT_CODES.values()), str(UsageError.exit_code), str(AnamorphError.exit_code), "130"} == {*told}
    for code, meaning in rows:
        assert meaning.startswith(told[code]), code


@pytest.mark.parametrize("fail_over, column", [("100%", 1), ("0%", 2)])
def test_the_junit_file_is_as_the_table_says(new_run: Callable[..., HandmadeRun], fail_over: str, column: int) -> None:
    run = new_run(gate={"fail_over": fail_over, "max_undecided": "100%"})
    table = GUIDE.split("| in junit.xml |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    for name in ("good", "bad", "mute"):
        run.scene(name)
    run.case("good", "a dog", "a dog")
    run.case("bad", "a dog", "a cat")
    run.case("mute", "a dog", None)
    run.judge()
    own, suite = ET.parse(run.report().junit).getroot()
    (gate,) = own.iter("testcase")
    shown = {case.get("name"): _how(case) for case in suite.iter("testcase")}
    assert (_how(gate), shown["bad"], shown["mute"]) == tuple(row[column] for row in rows)


def _how(case: ET.Element) -> str:
    return next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passes")
