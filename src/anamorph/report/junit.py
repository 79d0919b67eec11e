"""junit.xml: the gate, and a suite per method and relation with a test case per scene, for CI systems to show.

The file is green exactly where the gate is: violations are failures only in a run that fails because of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from anamorph.model import Decision
from anamorph.report.cause_words import UNGRADED
from anamorph.report.issues import SHORT_DIGEST
from anamorph.report.numbers import RelationCounts, RunNumbers
from anamorph.report.reviews import marks_of_run, read_reviews
from anamorph.store.run import RunStore
from anamorph.store.suites import suite_cases, suite_totals

# A test case lists this many of its cases and counts the rest.
MOST_LISTED = 100
# What XML 1.0 cannot hold, even escaped.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_TEXT = 2_000


@dataclass(slots=True)
class _SceneOutcome:
    """How the cases of one scene came out within a suite; of the violated ones, some count for the gate, and of leads
    none does.
    """

    scene: str
    cases: int = 0
    violated: int = 0
    counted: int = 0
    undecided: int = 0
    leads: int = 0
    violated_lines: list[str] = field(default_factory=list)
    undecided_lines: list[str] = field(default_factory=list)
    lead_lines: list[str] = field(default_factory=list)

    def add(
        self,
        said: Mapping[str, Decision],
        digest: str,
        outcome: str | None,
        reason: str | None,
        certainty: str,
        counted: int,
    ) -> None:
        """Add a case; `said` is what reviewers say about cases that they marked, by digest."""
        self.cases += 1
        reviewed = f"reviewed: {said[digest]}" if digest in said else ""
        notes = ", ".join(filter(None, (certainty, reviewed)))
        line = f"{digest[:SHORT_DIGEST]}{f' ({notes})' if notes else ''}: {xml_text(reason or 'It is not judged yet.')}"
        if outcome == "violated":
            self.violated += 1
            self.counted += counted
            _list(self.violated_lines, line)
        elif outcome == "lead":
            self.leads += 1
            _list(self.lead_lines, line)
        elif outcome != "holds":
            self.undecided += 1
            _list(self.undecided_lines, line)


def write_junit(path: Path, store: RunStore, numbers: RunNumbers) -> None:
    """Write the whole file, one scene at a time."""
    failed = numbers.gate.outcome == "failed"
    grades, known = numbers.gate_grades, numbers.baseline is not None
    reviews = read_reviews(store, numbers.repeats, marks_of_run(store)).issues
    said: dict[str, Decision] = {review.case: review.decision for review in reviews}
    totals = {
        (method, relation): (tests, violated if failed else 0, 0, skipped)
        for method, relation, tests, violated, skipped in suite_totals(store, grades, against_baseline=known)
    }
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        xml = XMLGenerator(stream, "utf-8", short_empty_elements=True)
        xml.startDocument()
        own = (1, int(failed), int(numbers.gate.outcome in ("broken", "inconclusive")), 0)
        sums = [sum(column) for column in zip(own, *totals.values(), strict=True)]
        groups = {(group.method, group.relation): group for group in numbers.groups}
        with _element(xml, "testsuites", {"name": f"anamorph {xml_text(numbers.run)}", **_attributes(*sums)}):
            _gate_suite(xml, numbers, own)
            cases = suite_cases(store, grades, against_baseline=known)
            for key, rows in itertools.groupby(cases, key=lambda case: (case.method, case.relation)):
                _suite(xml, groups[key], numbers, totals[key], _scenes((row[2:] for row in rows), said))
        xml.endDocument()


def xml_text(text: str) -> str:
    """A text without what XML cannot hold, of a length that CI systems can show."""
    clean = _ILLEGAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return clean if len(clean) <= _MOST_TEXT else f"{clean[:_MOST_TEXT]}\u2026"


def _scenes(rows: Iterable[tuple[Any, ...]], said: Mapping[str, Decision]) -> Iterator[_SceneOutcome]:
    for _, cases in itertools.groupby(rows, key=lambda row: row[0]):
        outcome: _SceneOutcome | None = None
        for _, name, *case in cases:
            outcome = outcome or _SceneOutcome(name)
            outcome.add(said, *case)
        if outcome is not None:
            yield outcome


def _suite(
    xml: XMLGenerator,
    group: RelationCounts,
    numbers: RunNumbers,
    totals: Iterable[int],
    scenes: Iterable[_SceneOutcome],
) -> None:
    name = xml_text(f"{group.method}.{group.relation}")
    attributes = {"name": name, **_attributes(*totals)}
    if numbers.created_at:
        attributes["timestamp"] = numbers.created_at.removesuffix("Z")
    counts = group.counts
    properties: dict[str, str | int] = {
        "cases": counts.cases,
        "holds": counts.holds,
        "violated": counts.violated,
        "undecided": counts.undecided,
        "leads": counts.leads,
        "violation_rate": "" if counts.violation_rate is None else f"{counts.violation_rate:.6f}",
        **{each.grade or UNGRADED: each.violated for each in group.grades},
        **({} if numbers.baseline is None else {"new": group.gated.violated}),
        "state": numbers.state,
    }
    with _element(xml, "testsuite", attributes):
        with _element(xml, "properties", {}):
            for property_name, value in properties.items():
                with _element(xml, "property", {"name": property_name, "value": str(value)}):
                    pass
        for scene in scenes:
            _test_case(xml, name, scene, failed=numbers.gate.outcome == "failed")


def _gate_suite(xml: XMLGenerator, numbers: RunNumbers, totals: Iterable[int]) -> None:
    """One test case that says how the run ends."""
    result = numbers.gate
    kind = {"passed": "system-out", "failed": "failure"}.get(result.outcome, "error")
    attributes = {} if kind == "system-out" else {"type": result.outcome, "message": xml_text(result.sentence)}
    lines = [result.sentence, *(() if numbers.reviews is None else (numbers.reviews.sentence,))]
    with (
        _element(xml, "testsuite", {"name": "gate", **_attributes(*totals)}),
        _element(xml, "testcase", {"classname": "gate", "name": "gate"}),
        _element(xml, kind, attributes),
    ):
        xml.characters(xml_text("\n".join(lines)))


def _test_case(xml: XMLGenerator, suite: str, scene: _SceneOutcome, *, failed: bool) -> None:
    undecided = f"{scene.undecided} of {scene.cases} cases undecided"
    with _element(xml, "testcase", {"classname": suite, "name": xml_text(scene.scene)}):
        message = f"{scene.violated} of {scene.cases} cases violated"
        if scene.violated and not (failed and scene.counted):
            with _element(xml, "system-out", {}):
                listing = _listing(scene.violated_lines, scene.violated)
                xml.characters(f"{message}, which does not fail this run:\n{listing}")
                if scene.undecided:
                    xml.characters(f"\n{undecided}.")
                xml.characters(_leads(scene, "\n"))
        elif scene.violated:
            with _element(xml, "failure", {"type": "violated", "message": message}):
                xml.characters(_listing(scene.violated_lines, scene.violated))
                if scene.undecided:
                    xml.characters(f"\n{undecided}.")
        elif scene.undecided:
            why = scene.undecided_lines[0].partition(": ")[2]
            with _element(xml, "skipped", {"message": f"{undecided}: {why}"}):
                xml.characters(_listing(scene.undecided_lines, scene.undecided))
        if scene.leads and ((failed and scene.counted) or not scene.violated):
            with _element(xml, "system-out", {}):
                xml.characters(_leads(scene))


def _leads(scene: _SceneOutcome, before: str = "") -> str:
    """Suspicions in a scene that were not proved and do not count."""
    if not scene.leads:
        return ""
    count = "1 lead was" if scene.leads == 1 else f"{scene.leads} leads were"
    return f"{before}{count} not proved, and not counted:\n{_listing(scene.lead_lines, scene.leads)}"


@contextmanager
def _element(xml: XMLGenerator, name: str, attributes: dict[str, str]) -> Iterator[None]:
    xml.startElement(name, AttributesImpl(attributes))
    yield
    xml.endElement(name)
    xml.ignorableWhitespace("\n")


def _list(lines: list[str], line: str) -> None:
    if len(lines) < MOST_LISTED:
        lines.append(line)


def _listing(lines: list[str], count: int) -> str:
    more = f"\nand {count - len(lines)} more" if count > len(lines) else ""
    return "\n".join(lines) + more


def _attributes(tests: int, failures: int, errors: int, skipped: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": str(skipped)}
