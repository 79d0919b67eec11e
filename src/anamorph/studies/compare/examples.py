"""Cases that only one of two runs fails, with their pictures and what both said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamorph.model import Answer, Grade, Verdict, probe_name
from anamorph.report.images import ReportImages
from anamorph.report.suspicions import told_conflicts
from anamorph.report.wording import MarkedText, answer_text, in_words, marked_texts, short
from anamorph.store.answers import answers_of, probes_by_id
from anamorph.store.run import RunStore
from anamorph.store.scene_labels import SceneLabels
from anamorph.store.shared_cases import SharedCases, SplitCase
from anamorph.store.verdicts import find_cases, verdict_of
from anamorph.studies.compare.comparison import Comparison

# Of each side, this many cases are shown at once, and more on demand.
SHOWN = 3
MOST = 9
# With more runs there are more pairs than anybody looks at.
MOST_PAIRS = 3
_MOST_FOLLOW_UPS = 2
_MOST_ANSWER = 300
_MOST_REASON = 200
_MOST_NAME = 160


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """One system's answer; if it `fails`, this is part of the proof, and the proving words are marked."""

    run: str
    parts: tuple[MarkedText, ...]
    fails: bool


@dataclass(frozen=True, slots=True)
class SidePicture:
    """A picture of a case, what was done to it and asked about it, and what both systems said."""

    title: str
    image: str | None
    edits: tuple[str, ...]
    question: str | None
    answers: tuple[SideAnswer, ...]


@dataclass(frozen=True, slots=True)
class OneSidedCase:
    """A case that only one of two runs fails; the reason and the grade are those of the violation."""

    digest: str
    method: str
    relation: str
    scene: str
    grade: Grade | None
    reason: str
    pictures: tuple[SidePicture, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The cases that one run fails and another meets: how many there are, and the clearest of them."""

    failing: int
    holding: int
    count: int
    cases: tuple[OneSidedCase, ...]


def sides(comparison: Comparison, shared: SharedCases, stores: Sequence[RunStore], images: Path) -> Iterator[Side]:
    """Both sides of the first pairs of runs; pictures are copied to `images`."""
    for each in comparison.overall[:MOST_PAIRS]:
        for failing, holding, count in (
            (each.first, each.second, each.only_first),
            (each.second, each.first, each.only_second),
        ):
            found = shared.clearest_splits(failing, holding, MOST) if count else []
            cases = (_case(comparison, stores, split, holding, images) for split in found)
            yield Side(failing, holding, count, tuple(cases))


def _case(
    comparison: Comparison, stores: Sequence[RunStore], split: SplitCase, holding: int, images: Path
) -> OneSidedCase:
    store, other = stores[split.failing], stores[holding]
    (case,), (same,) = find_cases(store, split.digest), find_cases(other, split.digest)
    verdict = verdict_of(store, case.id)
    assert verdict is not None  # it is violated
    rows, told, held = probes_by_id(store, case.probes), answers_of(store, case.probes), answers_of(other, same.probes)
    copies, labels = ReportImages(store.images, images), SceneLabels(store)
    pictures = []
    for place in _shown(verdict, len(rows)):
        row = rows[place]
        edits = (in_words(edit, labels.of(row.scene).by_id) for edit in json.loads(row.edits))
        # A follow-up that only asks something else shows no picture again.
        again = place > 0 and row.file == rows[0].file
        picture = SidePicture(
            probe_name(place, len(rows)).capitalize(),
            None if again or row.file is None else copies.take(row.file),
            tuple(short(words, _MOST_REASON) for words in edits),
            None if row.question is None else short(row.question, _MOST_REASON),
            (
                _answer(comparison.runs[split.failing].name, told[case.probes[place]], verdict, place),
                _answer(comparison.runs[holding].name, held[same.probes[place]]),
            ),
        )
        pictures.append(picture)
    scene, reason = short(split.scene, _MOST_NAME), short(verdict.reason, _MOST_REASON)
    return OneSidedCase(split.digest, split.method, split.relation, scene, split.grade, reason, tuple(pictures))


def _shown(verdict: Verdict, count: int) -> list[int]:
    """The source, and the follow-ups that the verdict is about."""
    about = [place for each in told_conflicts(verdict) for place in each.probes]
    about += [item.probe for item in verdict.evidence]
    chosen = [place for place in dict.fromkeys(about) if 0 < place < count] or list(range(1, min(2, count)))
    return [0, *sorted(chosen[:_MOST_FOLLOW_UPS])]


def _answer(run: str, given: Mapping[int, Answer], verdict: Verdict | None = None, place: int = 0) -> SideAnswer:
    """An answer of the failing run, with its verdict, or of the other one."""
    evidence = () if verdict is None else verdict.evidence
    proof = [item for item in evidence if item.probe == place]
    fails = verdict is not None and (not evidence or bool(proof))
    if not given:
        return SideAnswer(run, (MarkedText("(no answer)"),), fails)
    answer = given[min(given)]
    text = answer_text(answer)
    if answer.labels is not None:
        spans = [(at, at + len(item.text)) for item in proof if (at := text.find(f"{item.text} ")) >= 0]
    else:
        spans = [(item.start, item.end) for item in proof if item.start is not None and item.end is not None]
    # A proof that is the whole answer marks nothing in particular.
    spans = [span for span in spans if span != (0, len(text))]
    return SideAnswer(run, marked_texts(text, spans, _MOST_ANSWER), fails)
