from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given, strategies as st

from anamorph.report import Report
from anamorph.report.issues import Issue
from anamorph.report.json_file import JsonFile
from anamorph.report.numbers import RunNumbers, read_numbers
from anamorph.store.run import RunStore
from tests.report.fixtures import HandmadeRun, any_issue

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def strict(schema: Any) -> Any:
    """The published schema, but with no key beyond those it names."""
    if isinstance(schema, dict):
        closed = {key: strict(value) for key, value in schema.items()}
        if "properties" in schema and schema.get("type") == "object":
            closed.setdefault("additionalProperties", False)
        return closed
    return [strict(item) for item in schema] if isinstance(schema, list) else schema


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> RunNumbers:
    with RunStore.create(tmp_path_factory.mktemp("figures") / "run", {}) as store:
        return read_numbers(store, HandmadeRun(store).config)


def check(report: Report) -> Any:
    plain = json.loads(report.json.read_text(encoding="utf-8"))
    schema = json.loads((report.json.parent / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(strict(schema)).validate(plain)
    return plain


def test_the_report_keeps_to_its_published_schema(run: HandmadeRun) -> None:
    scene = run.scene("park", ("dog",))
    run.skip("broken.jpg", "It is cut off.")
    run.leave_out("park: dog 0", "too large to melt")
    run.case(scene, "a dog", "a cat", question="What?", tags={"edit": "blur"})
    run.case(scene, {"dog": 0.9}, {"dog": 0.2, "cat": 0.8})
    run.case(scene, "a dog", None, question="And?")
    run.judge()
    plain = check(run.report())
    assert plain["summary"]["counts"]["violated"] == 2
    assert plain["summary"]["counts"]["violation_rate"] == 1.0
    assert plain["skips"] == [{"what": "broken.jpg", "reason": "It is cut off."}]
    assert [(each["method"], each["noun"], each["count"], each["examples"]) for each in plain["left_out"]] == [
        ("deeptest", "object", 1, ["park: dog 0"])
    ]
    assert plain["tables"][0]["title"] == "Per perturbation"
    assert [issue["categories"] for issue in plain["issues"]] == [["answer-changed"], ["labels-changed"]]


def test_empty_and_unfinished_runs_keep_to_the_schema_too(new_run: Callable[..., HandmadeRun]) -> None:
    assert check(new_run("empty").report())["issues"] == []
    unfinished = new_run("unfinished")
    unfinished.case(unfinished.scene("park"), "a", "b")
    assert check(unfinished.report())["summary"]["state"] == "planning"


def test_answers_are_whole_whatever_they_hold(run: HandmadeRun) -> None:
    long = "\u202e<script>\0\u2028" + "x" * 19_000
    run.case(run.scene("park"), long, "short")
    run.judge()
    (issue,) = check(run.report())["issues"]
    assert issue["probes"][0]["answers"] == [{"attempt": 0, "text": long, "labels": None}]


@given(st.data())
def test_any_issue_comes_back_from_the_file_unchanged(
    tmp_path_factory: pytest.TempPathFactory, figures: RunNumbers, data: Any
) -> None:
    issues: list[Issue] = data.draw(st.lists(any_issue(ANY_TEXT), max_size=3))
    path = tmp_path_factory.mktemp("json") / "report.json"
    with JsonFile(path, figures, []) as file:
        for issue in issues:
            file.add(issue)
    read = json.loads(path.read_bytes())["issues"]
    assert [each["reason"] for each in read] == [same(issue.verdict.reason) for issue in issues]
    assert [each["probes"][0]["answers"][0]["text"] for each in read] == [
        same(issue.source.answers[0].text) for issue in issues
    ]


def same(text: str | None) -> str | None:
    """Two lone surrogates that meet become, by JSON's own rules, the character that they encode."""
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def test_a_score_that_is_no_number_becomes_null(run: HandmadeRun) -> None:
    run.case(run.scene("park"), {"dog": 0.9}, {"dog": 0.1, "cat": float("nan")})
    run.judge()
    (issue,) = check(run.report())["issues"]
    assert issue["probes"][1]["answers"][0]["labels"] == {"dog": 0.1, "cat": None}
