"""The stage that finds what is behind the issues of a run: causes in scenes, and patterns over scenes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from anamorph import catalog
from anamorph.errors import AnamorphError
from anamorph.model import encode
from anamorph.model.protocols import EditOptions, RelationOptions
from anamorph.reading.nouns import counted
from anamorph.statistics.blame import PatternCounts, SceneCause, Trigger, causes_of_scene
from anamorph.statistics.intervals import merged
from anamorph.store.causes import (
    SceneIssues,
    classes_of_scenes,
    has_causes,
    issues_by_scene,
    write_causes,
    write_patterns,
)
from anamorph.store.proofs import edits_of_probes
from anamorph.store.run import RunStore
from anamorph.store.scene_labels import SceneLabels
from anamorph.store.verdicts import PHOTO_GROUPS, tallies


def causes_stage(store: RunStore) -> None:
    """Find the causes of all issues, and keep them in the run."""
    if store.fact("judged") and not has_causes(store):
        with store.transaction():
            group_issues(store)


class CauseSorter(Protocol):
    """Says of each cause whether it is new or known, and leaves out those that are false alarms."""

    def sort(self, store: RunStore, issues: SceneIssues, causes: Sequence[SceneCause]) -> list[SceneCause]: ...


def group_issues(store: RunStore, sorter: CauseSorter | None = None, *, beside: bool = False) -> None:
    """Group all issues, a scene at a time, in the run or `beside` it; a `sorter` holds them against a baseline."""
    counts = PatternCounts()
    write_causes(
        store, _counted(store, counts, sorter), beside=beside or sorter is not None, against_baseline=sorter is not None
    )
    decided = merged(tally.clusters for tally in tallies(store))
    by_photo = {photo: number for photo, (number, _) in decided.items()}
    patterns = counts.patterns(by_photo, store.count("scenes"), classes_of_scenes(store)) if len(counts) else []
    write_patterns(store, map(encode, patterns))


def _counted(
    store: RunStore, counts: PatternCounts, sorter: CauseSorter | None
) -> Iterator[tuple[SceneIssues, Sequence[SceneCause]]]:
    scenes = SceneLabels(store)
    for issues in issues_by_scene(store):
        causes = causes_of_scene(issues.violations)
        if sorter is not None:
            causes = sorter.sort(store, issues, causes)
        labels = scenes.of(issues.scene)
        edits = edits_of_probes(store, list(dict.fromkeys(cause.blamed for cause in causes)))
        triggers = {
            probe: tuple(_triggers(text, labels.by_id, issues.claims.get(probe, "{}"))) for probe, text in edits.items()
        }
        counts.add(issues.scene % PHOTO_GROUPS, causes, triggers, labels.counts)
        yield issues, causes


def _triggers(edits: str, labels: Mapping[str, str], claim: str) -> Iterator[Trigger]:
    """The edits of an image, by the classes that they change, and in general."""
    for edit in json.loads(edits):
        kind = str(edit.get("kind", ""))
        does = what_edit_does(kind)
        if does is None:
            yield Trigger(f"under {kind.replace('-', ' ')}", general=True)
            continue
        objects = edit.get("objects", ())
        named = [labels[id] for id in objects if id in labels] if isinstance(objects, list) else []
        if does == "inserted":
            named = claimed_classes(claim)
        for label in dict.fromkeys(named):
            yield Trigger(f"when {counted(label, 1)} is {does}")
        yield Trigger(f"when objects are {does}", general=True)


def what_edit_does(kind: str) -> str | None:
    """An edit's effect on objects ("removed"), by its kind; None for an edit of the whole picture."""
    try:
        return EditOptions.does.of(catalog.find("edits", kind))
    except AnamorphError:
        # A user's edit, in a file that is not loaded.
        return None


def claimed_classes(claim: str) -> list[str]:
    """The one class that a claim, in JSON, names, which is that of the inserted object; none where it names several."""
    plain = json.loads(claim)
    try:
        settings = RelationOptions.class_settings.of(catalog.find("relations", str(plain.get("kind", ""))))
    except AnamorphError:
        return []
    named = [plain[name] for name in settings if isinstance(plain.get(name), str)]
    return named if len(named) == 1 else []
