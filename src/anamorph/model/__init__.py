"""The records and protocols that everything else is made of."""

from anamorph.model.answer import Answer, Failure, LabelSet, Reading, Unreadable, Wording
from anamorph.model.ask import Ask, Manner
from anamorph.model.case import Case, Probe, probe_name, the_probe
from anamorph.model.codec import Kinds, decode, encode, setting
from anamorph.model.completion import Completion, CompletionRules
from anamorph.model.digests import canonical_json, digest_of, digest_of_bytes, digest_of_text
from anamorph.model.picture import Cutout, Hole, MadeUp, Picture, Pixels, Region, Studio
from anamorph.model.protocols import (
    Edit,
    Inpainter,
    Method,
    Painter,
    Reader,
    Relation,
    SceneSource,
    Searcher,
    Segmenter,
    System,
)
from anamorph.model.reading import AnswerReading, Asks, CaptionReading, Mention
from anamorph.model.scene import AmodalMask, Box, Mask, Scene, Skip, Thing
from anamorph.model.search import Find, Query, Term
from anamorph.model.summary import Bar, Bars, Figure, HeatMap, Summary, Table, Tally
from anamorph.model.verdict import Evidence, Outcome, Verdict

__all__ = [
    "AmodalMask",
    "Answer",
    "AnswerReading",
    "Ask",
    "Asks",
    "Bar",
    "Bars",
    "Box",
    "CaptionReading",
    "Case",
    "Completion",
    "CompletionRules",
    "Cutout",
    "Edit",
    "Evidence",
    "Failure",
    "Figure",
    "Find",
    "HeatMap",
    "Hole",
    "Inpainter",
    "Kinds",
    "LabelSet",
    "MadeUp",
    "Manner",
    "Mask",
    "Mention",
    "Method",
    "Outcome",
    "Painter",
    "Picture",
    "Pixels",
    "Probe",
    "Query",
    "Reader",
    "Reading",
    "Region",
    "Relation",
    "Scene",
    "SceneSource",
    "Searcher",
    "Segmenter",
    "Skip",
    "Studio",
    "Summary",
    "System",
    "Table",
    "Tally",
    "Term",
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
    "probe_name",
    "setting",
    "the_probe",
]
