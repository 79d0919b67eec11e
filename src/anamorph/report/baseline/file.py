"""anamorph.baseline.json: the causes of a run and what people said about them, a line each, fit for git."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import AnamorphError, BadRecord, UsageError
from anamorph.model import decode, encode
from anamorph.model.visible import visible_json
from anamorph.report.cause_words import deed
from anamorph.statistics.blame import CauseKind
from anamorph.store.causes import cause_digest
from anamorph.store.json_files import read_json_file

FORMAT = "anamorph-baseline"
FORMAT_VERSION = 2
# A baseline without an error floor is written as version 1, which older versions read.
_WITHOUT_FLOOR = 1
DEFAULT_NAME = "anamorph.baseline.json"
# A case is kept by the first digits of its digest: enough that no two of a million are alike by chance.
CASE_DIGITS = 12
MOST_BYTES = 256 * 2**20
# What --mark accepts of a cause's digest.
LEAST_DIGITS = 6

# false-alarm: the system was right, so it is left out. accepted: it is wrong and will not be fixed; it stays known.
CauseMark: TypeAlias = Literal["false-alarm", "accepted"]
MARKS: tuple[CauseMark, ...] = get_args(CauseMark)

_DIGEST = re.compile(r"[0-9a-f]{32}")
_CASE = re.compile(rf"[0-9a-f]{{{CASE_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class BaselineCause:
    """A cause that is known: what is wrong in which scene, the blamed answer's probe, and the beginnings of its cases'
    digests. `note` is for people.

    `false_alarms` are those of its cases that people found to be false alarms, as CASE:ANSWERS, the beginnings of two
    digests: with other answers they are issues again.
    """

    digest: str
    scene: str
    what: CauseKind
    label: str
    blamed: str
    cases: tuple[str, ...]
    mark: CauseMark | None = None
    note: str = ""
    false_alarms: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The error as a predicate: "loses 'person'"."""
        return deed(self.what, self.label)


@dataclass(frozen=True, slots=True)
class BaselineFloor:
    """The error floor of the run: at least `fewest` of `answers` closed answers were false."""

    fewest: int
    answers: int

    def __post_init__(self) -> None:
        if not 0 <= self.fewest <= self.answers or not self.answers:
            raise ValueError(f"floor: fewest must be from 0 to answers ({self.answers}), got {self.fewest}")

    @property
    def share(self) -> float:
        return self.fewest / self.answers


@dataclass(frozen=True, slots=True)
class Baseline:
    """The causes that are known, the plan that they were found with, and the error floor, if there was one."""

    seed: int
    methods: tuple[str, ...]
    plan: str
    causes: tuple[BaselineCause, ...] = ()
    floor: BaselineFloor | None = None


@dataclass(frozen=True, slots=True)
class ChosenBaseline:
    """A baseline that a run is held against, and what to call it; with `fail_on_new` any new cause fails the gate."""

    baseline: Baseline
    file: str = "the baseline"
    fail_on_new: bool = False


def choose_baseline(path: Path | None, *, fail_on_new: bool = False) -> ChosenBaseline | None:
    """The baseline of a file, None without one; what is wrong with it is raised."""
    if path is not None:
        return ChosenBaseline(read_baseline(path), path.name, fail_on_new)
    if fail_on_new:
        raise UsageError("Whether a cause is new can only be said against a baseline. Give one with --baseline FILE.")
    return None


def read_baseline(path: Path) -> Baseline:
    """Read a baseline; whatever is wrong with the file is a UsageError that names it."""
    plain = read_json_file(path, MOST_BYTES, "Write a baseline with `anamorph baseline RUN -o FILE`.")
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise UsageError(f'{path}: is not a baseline of Anamorph (it has no "format": "{FORMAT}").')
    version = plain.get("version")
    if type(version) is not int or version < 1:
        raise UsageError(f"{path}: has no version of the format that could be read; expected {FORMAT_VERSION}.")
    if version > FORMAT_VERSION:
        raise UsageError(
            f"{path}: was written by a later version of Anamorph (its format is {version}, and this version reads "
            f"{FORMAT_VERSION}). Update Anamorph, or write the baseline again."
        )
    try:
        baseline = decode(Baseline, {name: value for name, value in plain.items() if name not in ("format", "version")})
        _check(baseline)
    except (AnamorphError, ValueError, RecursionError) as problem:
        raise UsageError(f"{path}: is damaged: {problem}") from problem
    return baseline


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, sorted, a line for each cause, in place of an earlier one."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(baseline_text(baseline), encoding="utf-8", newline="\n")
        os.replace(draft, path)  # noqa: PTH105
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written ({problem.strerror or problem}).") from problem
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def baseline_text(baseline: Baseline) -> str:
    """The file's content, which depends on nothing but the record."""
    version = _WITHOUT_FLOOR if baseline.floor is None else FORMAT_VERSION
    head: dict[str, Any] = {"format": FORMAT, "version": version}
    head |= {"seed": baseline.seed, "methods": sorted(baseline.methods), "plan": baseline.plan}
    if baseline.floor is not None:
        head |= {"floor": {"fewest": baseline.floor.fewest, "answers": baseline.floor.answers}}
    lines = [f"{_json(name)}: {_json(value)}" for name, value in head.items()]
    ranked = sorted(baseline.causes, key=lambda cause: (cause.scene, cause.label, cause.what, cause.digest))
    causes = ",\n".join(_json(_cause_record(cause)) for cause in ranked)
    lines.append(f'"causes": [\n{causes}\n]' if causes else '"causes": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def marked(baseline: Baseline, marks: Mapping[str, CauseMark | None]) -> Baseline:
    """The baseline with marks on some causes, named by the beginnings of their digests; None takes a mark away."""
    chosen: dict[str, CauseMark | None] = {}
    for start, mark in marks.items():
        if not re.fullmatch(rf"[0-9a-f]{{{LEAST_DIGITS},32}}", start):
            raise UsageError(
                f"--mark {start}: name a cause by at least the first {LEAST_DIGITS} digits of its digest, as the "
                "summary and the baseline show them."
            )
        found = [cause.digest for cause in baseline.causes if cause.digest.startswith(start)]
        if len(found) != 1:
            count = f"{len(found)} causes begin so; give more digits" if found else "there is no such cause in the run"
            raise UsageError(f"--mark {start}: {count}.")
        chosen[found[0]] = mark
    causes = (replace(cause, mark=chosen.get(cause.digest, cause.mark)) for cause in baseline.causes)
    return replace(baseline, causes=tuple(causes))


def _check(baseline: Baseline) -> None:
    """Checks beyond types: digests that fit their content, and no cause twice."""
    if not _DIGEST.fullmatch(baseline.plan):
        raise BadRecord("plan", "expected 32 hexadecimal digits")
    seen = set()
    for place, cause in enumerate(baseline.causes):
        path = f"causes[{place}]"
        if not _DIGEST.fullmatch(cause.blamed):
            raise BadRecord(f"{path}.blamed", "expected 32 hexadecimal digits")
        if cause.digest != cause_digest(cause.scene, cause.what, cause.label, cause.blamed):
            raise BadRecord(f"{path}.digest", "is not the digest of its scene, what, label and blamed probe")
        if cause.digest in seen:
            raise BadRecord(f"{path}.digest", f"{cause.digest} is there twice")
        if not cause.cases or not all(map(_CASE.fullmatch, cause.cases)):
            raise BadRecord(f"{path}.cases", f"expected the first {CASE_DIGITS} hexadecimal digits of each case")
        for text in cause.false_alarms:
            case, _, answers = text.partition(":")
            if case not in cause.cases or not _CASE.fullmatch(answers):
                raise BadRecord(
                    f"{path}.false_alarms",
                    f"expected CASE:ANSWERS, one of its cases and the first {CASE_DIGITS} hexadecimal digits of its "
                    f"answers' digest, got {text[:40]!r}",
                )
        seen.add(cause.digest)


def _cause_record(cause: BaselineCause) -> dict[str, Any]:
    plain = encode(
        replace(cause, cases=tuple(sorted(cause.cases)), false_alarms=tuple(sorted(set(cause.false_alarms))))
    )
    assert isinstance(plain, dict)
    # Always there, so that it is clear where a mark goes; the cases come last, because there may be many.
    last = {name: plain[name] for name in ("false_alarms", "cases") if name in plain}
    return {**{name: value for name, value in plain.items() if name not in last}, "mark": cause.mark} | last


def _json(value: Any) -> str:
    return visible_json(json.dumps(value, ensure_ascii=False))
