"""A run as an experiment tracker keeps it: names with values, tables and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anamorph.report.cause_words import Cause
from anamorph.report.issues import Issue, read_examples
from anamorph.report.numbers import OutcomeCounts, RunNumbers, ShownPart
from anamorph.report.wording import answer_text
from anamorph.statistics.intervals import Interval
from anamorph.store.run import RunStore

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PROOFS = 6
CAUSE_COLUMNS = ("cause", "class", "kind", "grade", "photo", "methods", "cases", "example")
# The pictures of a proof stand side by side at this height.
_HEIGHT, _GAP = 320, 8


@dataclass(frozen=True, slots=True)
class Proof:
    """The pictures of a proof side by side, and why the answers cannot all be right."""

    name: str
    picture: Image | None
    text: str


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """Everything that is sent to a tracker; `report` is the folder of the report, if there is one."""

    name: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]
    causes: tuple[tuple[str | int, ...], ...]
    proofs: tuple[Proof, ...]
    verdict: str
    report: Path | None

    def causes_csv(self) -> str:
        """The causes as a table."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(CAUSE_COLUMNS)
        writer.writerows(self.causes)
        return out.getvalue()


def tracked(store: RunStore, numbers: RunNumbers, report: Path | None) -> TrackedRun:
    """A finished run for a tracker; settings are without secrets."""
    return TrackedRun(
        Path(numbers.folder).name,
        dict(_parameters(numbers)),
        dict(_metrics(numbers)),
        tuple(map(_cause_row, numbers.causes)),
        tuple(
            Proof(f"proof-{place}", _picture(issue), _text(issue))
            for place, issue in enumerate(read_examples(store, numbers.repeats, MOST_PROOFS), start=1)
        ),
        numbers.gate.sentence,
        report,
    )


def _cause_row(cause: Cause) -> tuple[str | int, ...]:
    grade, methods = cause.grade or "", " ".join(cause.methods)
    return (cause.words, cause.label, cause.what, grade, cause.scene, methods, cause.issues, cause.example)


def _parameters(numbers: RunNumbers) -> Iterator[tuple[str, str]]:
    yield "anamorph", numbers.run_version
    for name, part in (("system", numbers.system), ("scenes", numbers.scenes), ("segmenter", numbers.segmenter)):
        if part is not None:
            yield from _part(name, part)
    yield "methods", " ".join(method.kind for method in numbers.methods)
    for method in numbers.methods:
        yield from ((f"{method.kind}.{name}", str(value)) for name, value in method.settings.items())
    for name in ("seed", "limit", "repeats"):
        yield name, str(getattr(numbers, name))


def _part(name: str, part: ShownPart) -> Iterator[tuple[str, str]]:
    yield name, part.kind
    yield from ((f"{name}.{key}", str(value)) for key, value in part.settings.items() if key != "kind")


def _metrics(numbers: RunNumbers) -> Iterator[tuple[str, float]]:
    yield from _counts("", numbers.counts)
    if numbers.floor is not None:
        yield "error_floor", numbers.floor.share
        yield from _ends("error_floor", numbers.floor.interval)
    yield "causes", float(numbers.cause_count)
    yield "photos", float(numbers.scene_count)
    yield "answers", float(numbers.answer_count)
    yield "failures", float(numbers.failure_count)
    spending: dict[str, Any] = {
        name: getattr(numbers.spending, name) for name in ("images_sent", "tokens_in", "tokens_out", "spent")
    }
    yield from ((name, float(value)) for name, value in spending.items() if value is not None)
    for group in numbers.groups:
        yield from _counts(f"{group.method}/{group.relation}/", group.counts)


def _counts(prefix: str, counts: OutcomeCounts) -> Iterator[tuple[str, float]]:
    decided = counts.holds + counts.violated
    if decided:
        yield f"{prefix}violation_rate", counts.violated / decided
        yield from _ends(f"{prefix}violation_rate", counts.interval)
    yield from (
        (f"{prefix}{name}", float(getattr(counts, name))) for name in ("violated", "holds", "undecided", "leads")
    )


def _ends(name: str, interval: Interval | None) -> Iterator[tuple[str, float]]:
    if interval is not None:
        yield f"{name}_low", interval[0]
        yield f"{name}_high", interval[1]


def _text(issue: Issue) -> str:
    said = []
    for probe in issue.probes:
        answer = "no answer" if probe.answer is None else answer_text(probe.answer)
        image = ", ".join([probe.scene, *probe.edits_in_words])
        said.append(f"{image}: {'' if probe.question is None else f'{probe.question} '}{answer}")
    return "\n".join([issue.reason, *said])


def _picture(issue: Issue) -> Image | None:
    from PIL import Image

    shown = [image.convert("RGB") for probe in issue.probes if (image := probe.image) is not None]
    if not shown:
        return None
    scaled = [image.resize((max(1, round(image.width * _HEIGHT / image.height)), _HEIGHT)) for image in shown]
    joined = Image.new("RGB", (sum(image.width + _GAP for image in scaled) - _GAP, _HEIGHT), "white")
    left = 0
    for image in scaled:
        joined.paste(image, (left, 0))
        left += image.width + _GAP
    return joined
