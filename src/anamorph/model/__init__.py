"""The records and protocols that everything else is made of."""

from anamorph.model.answer import Answer, Failure, LabelSet, Reading, Unreadable, Wording
from anamorph.model.case import Case, Probe
from anamorph.model.digests import canonical_json, digest_of, digest_of_bytes, digest_of_text
from anamorph.model.protocols import (
    Ask,
    Cutout,
    Edit,
    Hole,
    Inpainter,
    Manner,
    Method,
    Picture,
    Pixels,
    Reader,
    Relation,
    SceneSource,
    Segmenter,
    Studio,
    System,
)
from anamorph.model.reading import AnswerReading, CaptionReading, Mention
from anamorph.model.scene import Box, Mask, Scene, Skip, Thing
from anamorph.model.summary import Bar, Bars, Figure, HeatMap, Summary, Table, Tally
from anamorph.model.verdict import Evidence, Outcome, Verdict
from anamorph.model.wire import Kinds, decode, encode, setting

__all__ = [
    "Answer",
    "AnswerReading",
    "Ask",
    "Bar",
    "Bars",
    "Box",
    "CaptionReading",
    "Case",
    "Cutout",
    "Edit",
    "Evidence",
    "Failure",
    "Figure",
    "HeatMap",
    "Hole",
    "Inpainter",
    "Kinds",
    "LabelSet",
    "Manner",
    "Mask",
    "Mention",
    "Method",
    "Outcome",
    "Picture",
    "Pixels",
    "Probe",
    "Reader",
    "Reading",
    "Relation",
    "Scene",
    "SceneSource",
    "Segmenter",
    "Skip",
    "Studio",
    "Summary",
    "System",
    "Table",
    "Tally",
    "Thing",
    "Unreadable",
    "Verdict",
    "Wording",
    "canonical_json",
    "decode",
    "digest_of",
    "digest_of_bytes",
    "digest_of_text",
    "encode",
    "setting",
]
