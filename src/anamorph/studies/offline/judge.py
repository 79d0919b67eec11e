"""Judges outputs that were recorded elsewhere: rows in, verdicts out; pure, and in bounded memory."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from anamorph.errors import BadRecord, UnknownName, did_you_mean
from anamorph.methods.metavqa.relations import BY_NAME
from anamorph.model import Answer, CaptionReading, LabelSet, Reader, Reading, Relation, Unreadable, Verdict
from anamorph.readers.caption import CaptionReader
from anamorph.relations.keeps_all import KeepsAll
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.only_gains import OnlyGains
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.removal_takes_one import RemovalTakesOne
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.stable_labels import ImageGroup, StableLabels, image_group
from anamorph.studies.label_errors.references import ReferenceCheck, check_references
from anamorph.studies.offline.files import BadLine, Row
from anamorph.studies.offline.rows import (
    AtomRow,
    DeeptestRow,
    Labels,
    MetaicRow,
    MetavqaRow,
    RomeRow,
    SpolreRow,
    parse_row,
)

Profile: TypeAlias = Literal["default", "released"]
PROFILES: tuple[Profile, ...] = ("default", "released")

# By the names of the paper and by the kinds of the relations.
_VQA_SPELLINGS: Mapping[str, type[Any]] = {
    **BY_NAME,
    **{cls.kind: cls for cls in BY_NAME.values()},
    "partition": ObjectsAddUp,
    "removal-plus": RemovalTakesOne,
}
_PAIRS = (OppositesDiffer, RemovalTakesOne)

_NO_ANSWER = Unreadable("", "there is no answer")
# Long texts hardly come twice, and would fill the memory.
_LONGEST_REMEMBERED = 1000
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """What ATOM makes of a row: the label combination, the label sets of source and follow-ups, the image's group."""

    labels: tuple[str, ...]
    outputs: tuple[frozenset[str], ...]
    group: ImageGroup


@dataclass(frozen=True, slots=True)
class Finding:
    """What a row came to: the verdict, what its reference captions lack, and for ATOM the image."""

    verdict: Verdict
    references: ReferenceCheck | None = None
    image: LabelledImage | None = None


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One row and what it came to."""

    line: int
    id: str | int
    method: str
    finding: Finding

    def record(self, evidence: bool = False) -> dict[str, Any]:
        """The verdict as a line of output."""
        verdict = self.finding.verdict
        record: dict[str, Any] = {
            "id": self.id,
            "outcome": verdict.outcome,
            "violated": verdict.violated,
            "categories": verdict.categories,
            "reason": verdict.reason,
        }
        if self.finding.image is not None:
            record["image"] = self.finding.image.group
        if self.finding.references is not None:
            record["references"] = dataclasses.asdict(self.finding.references)
        if evidence:
            record["evidence"] = [dataclasses.asdict(each) for each in verdict.evidence]
        return record


class TranscriptJudge:
    """Judges rows with the readers of a configuration, each distinct text read once."""

    def __init__(self, readers: Mapping[str, Reader], profile: Profile = "default") -> None:
        self._readers = readers
        self._profile = profile
        self._caption_reader = functools.cache(self._make_caption_reader)
        self._class_names = functools.cache(self._make_class_names)
        self._read_often = functools.lru_cache(maxsize=_REMEMBERED)(self._read_anew)
        self._methods: Mapping[type, Callable[..., Finding]] = {
            RomeRow: self._rome,
            MetaicRow: self._metaic,
            SpolreRow: self._spolre,
            MetavqaRow: self._metavqa,
            AtomRow: self._atom,
            DeeptestRow: self._deeptest,
        }

    def judge_all(self, rows: Iterable[Row | BadLine]) -> Iterator[JudgedRow | BadLine]:
        """Judge rows as they come; one that is bad does not stop the rest."""
        for row in rows:
            yield row if isinstance(row, BadLine) else self.judge(row)

    def judge(self, row: Row) -> JudgedRow | BadLine:
        """The verdict on a row, or what is wrong with it."""
        try:
            row_id, method, record = parse_row(row.plain)
            return JudgedRow(row.line, row_id, method, self._methods[type(record)](record))
        except (BadRecord, UnknownName) as problem:
            return BadLine(row.line, f"{str(problem).rstrip('.')}.")

    # --- the methods ---

    def _rome(self, row: RomeRow) -> Finding:
        reader = self._caption_reader("rome")
        released = reader.profile == "released-rome"
        removed = self._classes("rome", "removed", row.removed)
        # The released tool knows no scene; it counts in the caption.
        gone = None if released or row.gone is None else self._classes("rome", "gone", row.gone)
        pair = [self._caption("rome", row.ancestor), self._caption("rome", row.descendant)]
        verdict = OnlyLoses(removed, gone, released).judge(pair)
        return Finding(verdict, self._references("rome", pair, row.references, str))

    def _metaic(self, row: MetaicRow) -> Finding:
        reader = self._caption_reader("metaic")
        (inserted,) = self._classes("metaic", "inserted", (row.inserted,))
        pair = [self._caption("metaic", row.background), self._caption("metaic", row.generated)]
        verdict = OnlyGains(inserted, mr2_only_if_mr1_holds=reader.profile == "released-metaic").judge(pair)

        def general(label: str) -> str:
            return reader.space.supercategory(label) or label

        return Finding(verdict, self._references("metaic", pair, row.references, general))

    def _spolre(self, row: SpolreRow) -> Finding:
        for label, count in row.objects.items():
            if count < 0:
                raise BadRecord(f"objects.{label}", f"must be at least 0, got {count}")
        names = self._classes("spolre", "objects", tuple(row.objects))
        objects = tuple(zip(names, row.objects.values(), strict=True))
        named = None
        if row.references:
            readings = [self._caption("spolre", text) for text in row.references]
            named = tuple(
                label for label in names if any(isinstance(r, CaptionReading) and r.names(label) for r in readings)
            )
        verdict = KeepsAll(objects, named).judge([self._caption("spolre", row.generated)])
        return Finding(verdict)

    def _metavqa(self, row: MetavqaRow) -> Finding:
        cls = _VQA_SPELLINGS.get(row.relation.strip().casefold().replace(" ", "-").replace("_", "-"))
        if cls is None:
            raise UnknownName("relation", row.relation, BY_NAME)
        if len(row.answers) < 2 or (cls in _PAIRS and len(row.answers) != 2):
            least = "two answers" if cls in _PAIRS else "the source's answer and at least one follow-up's"
            raise BadRecord("answers", f"{cls.name} needs {least}, got {len(row.answers)}")
        settings = {}
        if row.asks is not None:
            if "asks" not in {each.name for each in dataclasses.fields(cls)}:
                raise BadRecord("asks", f"{cls.name} always asks the same; leave it out")
            settings["asks"] = row.asks
        relation = cast(Relation, cls(**settings))
        readings = [self._reading("answer", _said(answer)) for answer in row.answers]
        return Finding(relation.judge(readings))

    def _atom(self, row: AtomRow) -> Finding:
        if not row.labels:
            raise BadRecord("labels", "needs at least one label")
        if len(row.outputs) < 2:
            raise BadRecord(
                "outputs", f"needs the source's labels and at least one follow-up's, got {len(row.outputs)}"
            )
        readings = [self._labels(output) for output in row.outputs]
        verdict = StableLabels(row.labels).judge(readings)
        sets = tuple(reading.labels for reading in readings if isinstance(reading, LabelSet))
        if len(sets) < len(readings):
            return Finding(verdict)
        return Finding(verdict, image=LabelledImage(row.labels, sets, image_group(row.labels, sets)))

    def _deeptest(self, row: DeeptestRow) -> Finding:
        readings = [
            self._reading("plain", output) if output is None or isinstance(output, str) else self._labels(output)
            for output in (row.source, row.follow_up)
        ]
        return Finding(SameAnswer().judge(readings))

    # --- reading ---

    def _caption(self, method: str, text: str | None) -> Reading:
        return self._reading(f"caption:{method}", text)

    def _reading(self, key: str, text: str | None) -> Reading:
        if text is None:
            return _NO_ANSWER
        return self._read_often(key, text) if len(text) <= _LONGEST_REMEMBERED else self._read_anew(key, text)

    def _read_anew(self, key: str, text: str) -> Reading:
        name, _, method = key.partition(":")
        reader = self._caption_reader(method) if method else self._readers[name]
        return reader.read(Answer(text))

    def _labels(self, output: Labels) -> Reading:
        """Labels without scores have reached the system's own threshold."""
        if output is None:
            return _NO_ANSWER
        if isinstance(output, Mapping):
            return self._readers["plain"].read(Answer(labels=output))
        return LabelSet(frozenset(output))

    def _make_caption_reader(self, method: str) -> CaptionReader:
        reader = cast(CaptionReader, self._readers["caption"])
        if self._profile == "released" and method == "rome":
            return dataclasses.replace(reader, profile="released-rome")
        if self._profile == "released" and method == "metaic":
            return dataclasses.replace(reader, profile="released-metaic")
        return reader

    def _make_class_names(self, method: str) -> Mapping[str, str]:
        return {name.casefold(): name for name in self._caption_reader(method).space.names}

    def _classes(self, method: str, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """Names of classes as the label space spells them; the released lists write hot_dog."""
        known = self._class_names(method)
        found = []
        for name in names:
            label = known.get(name.strip().replace("_", " ").casefold()) or known.get(name.casefold())
            if label is None:
                space = self._caption_reader(method).space
                guess = did_you_mean(name, space.names)
                raise BadRecord(key, f"{name!r} is no class of the label space {space.name}.{guess}")
            found.append(label)
        return tuple(found)

    def _references(
        self, method: str, pair: Sequence[Reading], references: Sequence[str], general: Callable[[str], str]
    ) -> ReferenceCheck | None:
        """Whether reference captions name what both captions of a pair name; else the label may be wrong."""
        source, follow_up = pair
        if not references or not isinstance(source, CaptionReading) or not isinstance(follow_up, CaptionReading):
            return None
        readings = [self._caption(method, text) for text in references]
        return check_references(source, follow_up, readings, general)


def _said(answer: str | bool | int | None) -> str | None:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return None if answer is None else str(answer)
