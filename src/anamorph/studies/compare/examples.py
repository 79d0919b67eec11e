"""Cases that only one of two runs fails, with their pictures and what both said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamorph.model import Answer, Grade, Verdict, probe_name
from anamorph.report.images import ReportImages
from anamorph.report.issues import replay_command
from anamorph.report.suspicions import told_conflicts
from anamorph.report.wording import MarkedText, answer_text, in_words, marked_texts, short
from anamorph.store.answers import PendingProbe, answers_of, probes_by_id
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
    replay: str


@dataclass(frozen=True, slots=True)
class Side:
    """The cases that one run fails and another meets: how many there are, and the clearest of them."""

    failing: int
    holding: int
    count: int
    cases: tuple[OneSidedCase, ...]


def sides(
    comparison: Comparison, shared: SharedCases, stores: Sequence[RunStore], images: Path | None
) -> Iterator[Side]:
    """Both sides of the first pairs of runs; pictures are copied to `images`, where that is given."""
    for each in comparison.overall[:MOST_PAIRS]:
        for failing, holding, count in (
            (each.first, each.second, each.only_first),
            (each.second, each.first, each.only_second),
        ):
            found = shared.clearest_splits(failing, holding, MOST) if count else []
            cases = (_case(comparison, stores, split, holding, images) for split in found)
            yield Side(failing, holding, count, tuple(case for case in cases if case is not None))


def _case(
    comparison: Comparison, stores: Sequence[RunStore], split: SplitCase, holding: int, images: Path | None
) -> OneSidedCase | None:
    store = stores[split.failing]
    (case,) = find_cases(store, split.digest)
    verdict = verdict_of(store, case.id)
    if verdict is None:
        return None
    rows = probes_by_id(store, case.probes)
    told = answers_of(store, case.probes)
    (same,) = find_cases(stores[holding], split.digest)
    held = answers_of(stores[holding], same.probes)
    copies = None if images is None else ReportImages(store.images, images)
    labels = SceneLabels(store)
    done = [tuple(in_words(edit, labels.of(row.scene).by_id) for edit in json.loads(row.edits)) for row in rows]
    pictures = [
        SidePicture(
            probe_name(place, len(rows)).capitalize(),
            _address(copies, rows, place),
            tuple(short(words, _MOST_REASON) for words in done[place]),
            None if (question := rows[place].question) is None else short(question, _MOST_REASON),
            (
                _answer(comparison.runs[split.failing].name, told[case.probes[place]], verdict, place),
                _answer(comparison.runs[holding].name, held[same.probes[place]]),
            ),
        )
        for place in _shown(verdict, len(rows))
    ]
    return OneSidedCase(
        split.digest,
        split.method,
        split.relation,
        short(split.scene, _MOST_NAME),
        split.grade,
        short(verdict.reason, _MOST_REASON),
        tuple(pictures),
        replay_command(store.folder, split.digest),
    )


def _shown(verdict: Verdict, count: int) -> list[int]:
    """The source, and the follow-ups that the verdict is about."""
    about = [place for each in told_conflicts(verdict) for place in each.probes]
    about += [item.probe for item in verdict.evidence]
    chosen = [place for place in dict.fromkeys(about) if 0 < place < count] or list(range(1, min(2, count)))
    return [0, *sorted(chosen[:_MOST_FOLLOW_UPS])]


def _address(copies: ReportImages | None, rows: Sequence[PendingProbe], place: int) -> str | None:
    """Where the picture is in the folder; a follow-up that only asks something else shows none again."""
    file = rows[place].file
    if copies is None or file is None or (place and file == rows[0].file):
        return None
    return copies.take(file)


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
