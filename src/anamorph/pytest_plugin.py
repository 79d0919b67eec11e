"""The pytest plugin: a marker with the settings, and a fixture that tests a system.

Anamorph is imported only once a test uses the fixture.
"""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from anamorph.api.runs import Run
    from anamorph.report.numbers import OutcomeCounts, RelationCounts

MARKER = (
    "anamorph(scenes, methods=None, max_rate=0, gate='rate', limit=None, seed=7, settings=None, "
    "baseline=None, fail_on_new=False): "
    "settings of the fixture `anamorph`."
)
OPTIONS = {
    "scenes": "The scenes of tests that name none, such as folder:photos.",
    "methods": "The methods of tests that name none, separated by spaces.",
    "max_rate": "The largest rate of violated cases that passes, such as 0.05 or 5%.",
    "gate": "rate: the rate decides. interval: the lower end of its 95 % interval decides.",
    "limit": "Use at most this many scenes.",
    "seed": "Seed for all randomness.",
    "baseline": "A file of known causes, from the project's root; only new ones can fail a test.",
    "fail_on_new": "With a baseline: true if any new cause fails the test, whatever the rate.",
    "out": "A folder for the runs, from the project's root; by default each is in the test's tmp_path.",
}
GATES = ("rate", "interval", "floor")
MOST_ISSUES = 3
MOST_CAUSES = 5
_ARGUMENTS = ("scenes", "methods", "max_rate", "gate", "limit", "seed", "settings", "baseline", "fail_on_new")


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, meaning in OPTIONS.items():
        parser.addini(f"anamorph_{name}", meaning, type="string", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)


class Checker:
    """Tests a system with the settings of the marker, the options and its arguments."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._count = 0

    def __call__(self, system: Any, scenes: Any = None, methods: Any = None, **arguments: Any) -> Run:
        """Run the methods over the scenes; returns the run, or fails with its worst issues and the report's path."""
        import anamorph
        from anamorph.errors import UsageError

        chosen = self._chosen({"scenes": scenes, "methods": methods, **arguments})
        if chosen.get("scenes") is None:
            raise UsageError(
                "No scenes given. Use @pytest.mark.anamorph(scenes='folder:photos'), or the option anamorph_scenes."
            )
        most, gate = _share(chosen.pop("max_rate", None) or 0), chosen.pop("gate", None) or "rate"
        if gate not in GATES:
            raise UsageError(f"gate must be one of {', '.join(GATES)}, got {gate!r}.")
        settings = {**(chosen.pop("settings", None) or {})}
        limit = f"floor {most:.9%}" if gate == "floor" else f"{most if gate == 'rate' else 1:.9%}"
        settings["gate"] = {"fail_over": limit, **settings.get("gate", {})}
        with warnings.catch_warnings():
            # A project may turn warnings into errors; this one comes from pycocotools 2.0.11 under numpy 2.
            warnings.filterwarnings("ignore", "__array__ implementation doesn't accept a copy", DeprecationWarning)
            run = anamorph.run(system, out=self._folder(), settings=settings, progress=False, **chosen)
        self._judge(run, most, gate)
        return run

    def _chosen(self, given: Mapping[str, Any]) -> dict[str, Any]:
        from anamorph.errors import UsageError, did_you_mean

        ini = {name: self._request.config.getini(f"anamorph_{name}") for name in OPTIONS if name != "out"}
        chosen: dict[str, Any] = {name: value for name, value in ini.items() if value}
        if "methods" in chosen:
            chosen["methods"] = re.split(r"[\s,]+", chosen["methods"].strip())
        for name in ("limit", "seed"):
            if name in chosen:
                chosen[name] = int(chosen[name])
        if "fail_on_new" in chosen:
            chosen["fail_on_new"] = _truth(chosen["fail_on_new"])
        # The marker nearest to the test comes last, so that it wins.
        for marker in reversed(list(self._request.node.iter_markers("anamorph"))):
            if len(marker.args) > 2:
                raise UsageError("The marker anamorph takes scenes, methods, and then names with values.")
            chosen |= dict(zip(("scenes", "methods"), marker.args, strict=False)) | marker.kwargs
        chosen |= {name: value for name, value in given.items() if value is not None}
        if chosen.get("baseline") is not None:
            chosen["baseline"] = self._request.config.rootpath / chosen["baseline"]
        for name in chosen:
            if name not in _ARGUMENTS:
                guess, known = did_you_mean(name, _ARGUMENTS), ", ".join(_ARGUMENTS)
                raise UsageError(f"anamorph: unknown argument {name!r}.{guess} Known: {known}.")
        return chosen

    def _folder(self) -> Path:
        self._count += 1
        name = "anamorph" if self._count == 1 else f"anamorph-{self._count}"
        out = self._request.config.getini("anamorph_out")
        if not out:
            tmp_path: Path = self._request.getfixturevalue("tmp_path")
            return tmp_path / name
        test = re.sub(r"[^\w.-]+", "-", self._request.node.nodeid).strip("-")[-150:]
        folder = Path(self._request.config.rootpath / out / (test if self._count == 1 else f"{test}-{self._count}"))
        if (folder / "run.sqlite").is_file():
            shutil.rmtree(folder)
        return folder

    def _judge(self, run: Run, most: float, gate: str) -> None:
        """A subtest for each method and relation if pytest has them, then the whole run."""
        counts = run.numbers.gated
        failed = [group for group in run.numbers.groups if _too_many(group.gated, most, gate)]
        subtests = self._subtests() if len(run.numbers.groups) > 1 else None
        if subtests is not None:
            for group in run.numbers.groups:
                with subtests.test(msg=f"{group.method}, {group.relation}"):
                    if group in failed:
                        pytest.fail(_group_text(group, most, gate), pytrace=False)
        if failed or _too_many(counts, most, gate):
            pytest.fail(failure_text(run, failed, most, gate), pytrace=False)
        if run.gate.outcome == "failed":
            # Within the rate, but with a new cause.
            pytest.fail(f"{run.gate.sentence}\n\n{failure_text(run, failed, most, gate)}", pytrace=False)
        if not run.passed:
            # Too little was decided: a broken system never looks like a pass.
            reasons = [f"  {count} x {reason}" for reason, count in run.numbers.undecided_reasons[:MOST_ISSUES]]
            pytest.fail("\n".join([run.gate.sentence, *reasons, "", f"report: {run.report()}"]), pytrace=False)

    def _subtests(self) -> Any:
        """The fixture of pytest 9, or of the plugin pytest-subtests; None if there is neither."""
        try:
            return self._request.getfixturevalue("subtests")
        except pytest.FixtureLookupError:
            return None


@pytest.fixture
def anamorph(request: pytest.FixtureRequest) -> Checker:
    """Test a system: `anamorph(my_model)` runs the marker's methods, and fails if too many cases are violated."""
    return Checker(request)


def failure_text(run: Run, failed: Sequence[RelationCounts], most: float, gate: str) -> str:
    """Why a test fails: the rates, the causes, the clearest issues of each relation that failed, and the report."""
    from anamorph.model import probe_name
    from anamorph.report.cause_words import issues_from_causes
    from anamorph.report.wording import answer_text, short

    lines = [_sentence(run.numbers.gated, most, gate)]
    if len(run.numbers.groups) > 1:
        lines += [f"  {_group_text(group, most, gate)}" for group in failed]
    lines += ["", issues_from_causes(run.numbers.counts.violated, run.numbers.cause_count)]
    if run.numbers.baseline is not None:
        lines.append(run.numbers.baseline.sentence)
    for cause in run.numbers.causes[:MOST_CAUSES]:
        sure = "".join(f"{word}, " for word in (cause.standing, cause.grade) if word)
        issues = "1 issue" if cause.issues == 1 else f"{cause.issues} issues"
        lines.append(f"  {short(cause.words, 200)} in {short(cause.scene, 80)} ({sure}{issues})")
    if run.numbers.cause_count > MOST_CAUSES:
        lines.append(f"  and {run.numbers.cause_count - MOST_CAUSES} more")
    wanted = {(group.method, group.relation): MOST_ISSUES for group in failed or run.numbers.groups}
    shown: set[tuple[str, str, str | None]] = set()
    for issue in run.issues:
        key = (issue.method, issue.relation)
        cause_of_issue = (*key, None if issue.cause is None else issue.cause.digest)
        if not wanted.get(key) or cause_of_issue in shown:
            continue
        wanted[key] -= 1
        shown.add(cause_of_issue)
        sure = f", {issue.certainty}" if issue.certainty else ""
        lines += ["", f"{issue.method}, {issue.relation}, {short(issue.source.scene, 80)} ({issue.digest[:12]}{sure})"]
        lines.append(f"  {short(issue.reason, 300)}")
        for place, probe in enumerate(issue.probes[:4]):
            said = "(no answer)" if probe.answer is None else " ".join(answer_text(probe.answer).split())
            edits = f" [{'; '.join(probe.edits_in_words)}]" if probe.edits_in_words else ""
            lines.append(f"  {probe_name(place, len(issue.probes))}{short(edits, 120)}: {short(said, 200)}")
        if not any(wanted.values()):
            break
    return "\n".join([*lines, "", f"report: {run.report()}"])


def _sentence(counts: OutcomeCounts, most: float, gate: str) -> str:
    from anamorph.statistics.rates import Rate

    rate = Rate(counts.holds, counts.violated, counts.undecided, counts.interval)
    what = "the lower end of the interval" if gate == "interval" else "the rate"
    undecided = f"; {counts.undecided} are undecided" if counts.undecided else ""
    return f"{rate}{undecided}; {what} may be at most {most:.1%}."


def _group_text(group: RelationCounts, most: float, gate: str) -> str:
    return f"{group.method}, {group.relation}: {_sentence(group.gated, most, gate)}"


def _too_many(counts: OutcomeCounts, most: float, gate: str) -> bool:
    rate = counts.violation_rate
    if rate is None or gate == "floor":
        # Only the whole run has a floor.
        return False
    # A single photo has no interval.
    low = counts.interval[0] if counts.interval is not None else 0.0
    return (low if gate == "interval" else rate) > most


def _truth(text: str) -> bool:
    from anamorph.errors import UsageError

    if text.strip().lower() not in ("true", "false"):
        raise UsageError(f"anamorph_fail_on_new must be true or false, got {text!r}.")
    return text.strip().lower() == "true"


def _share(value: Any) -> float:
    from anamorph.config import parse_share
    from anamorph.errors import UsageError

    try:
        # A Python number is a share, as in max_rate=0.05; a string may also be a percentage.
        return parse_share(value if isinstance(value, str) else f"{100 * value:.9f}%", "max_rate")
    except (TypeError, ValueError) as problem:
        raise UsageError(f"max_rate must be a share such as 5% or 0.05, got {value!r}.") from problem
