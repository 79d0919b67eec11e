"""Anamorph tests systems that look at images, without labels."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Every public name and where it lives; nothing is imported until it is used.
_NAMES = {
    "run": "anamorph.api.calls",
    "plan": "anamorph.api.calls",
    "judge": "anamorph.api.calls",
    "read": "anamorph.api.calls",
    "open_run": "anamorph.api.calls",
    "Run": "anamorph.api.runs",
    "Cause": "anamorph.report.cause_words",
    "Issue": "anamorph.report.issues",
    "JudgedCase": "anamorph.report.issues",
    "Suspicion": "anamorph.report.suspicions",
    "Rate": "anamorph.statistics.rates",
    "FunctionSystem": "anamorph.api.functions",
    "register": "anamorph.catalog",
    "AnamorphError": "anamorph.errors",
    "UsageError": "anamorph.errors",
    "SystemDown": "anamorph.errors",
    "Transient": "anamorph.errors",
    "Refused": "anamorph.errors",
    "BadPicture": "anamorph.errors",
    **dict.fromkeys(
        (
            "Answer",
            "AnswerReading",
            "Ask",
            "BatchLines",
            "Box",
            "CaptionReading",
            "ChoiceReading",
            "Case",
            "Edit",
            "Evidence",
            "Failure",
            "Inpainter",
            "LabelSet",
            "LabelSpace",
            "Manner",
            "Mask",
            "Mention",
            "Method",
            "Painter",
            "Picture",
            "Pixels",
            "Probe",
            "Reader",
            "Relation",
            "Scene",
            "SceneSource",
            "Searcher",
            "Segmenter",
            "Skip",
            "System",
            "Table",
            "Tally",
            "Thing",
            "Unreadable",
            "Usage",
            "Verdict",
            "Wanted",
            "Wording",
            "setting",
        ),
        "anamorph.model",
    ),
}

if TYPE_CHECKING:
    from anamorph.api.calls import judge, open_run, plan, read, run
    from anamorph.api.functions import FunctionSystem
    from anamorph.api.runs import Run
    from anamorph.catalog import register
    from anamorph.errors import AnamorphError, BadPicture, Refused, SystemDown, Transient, UsageError
    from anamorph.model import (
        Answer,
        AnswerReading,
        Ask,
        BatchLines,
        Box,
        CaptionReading,
        Case,
        ChoiceReading,
        Edit,
        Evidence,
        Failure,
        Inpainter,
        LabelSet,
        LabelSpace,
        Manner,
        Mask,
        Mention,
        Method,
        Painter,
        Picture,
        Pixels,
        Probe,
        Reader,
        Relation,
        Scene,
        SceneSource,
        Searcher,
        Segmenter,
        Skip,
        System,
        Table,
        Tally,
        Thing,
        Unreadable,
        Usage,
        Verdict,
        Wanted,
        Wording,
        setting,
    )
    from anamorph.report.cause_words import Cause
    from anamorph.report.issues import Issue, JudgedCase
    from anamorph.report.suspicions import Suspicion
    from anamorph.statistics.rates import Rate

__all__ = [
    "AnamorphError",
    "Answer",
    "AnswerReading",
    "Ask",
    "BadPicture",
    "BatchLines",
    "Box",
    "CaptionReading",
    "Case",
    "Cause",
    "ChoiceReading",
    "Edit",
    "Evidence",
    "Failure",
    "FunctionSystem",
    "Inpainter",
    "Issue",
    "JudgedCase",
    "LabelSet",
    "LabelSpace",
    "Manner",
    "Mask",
    "Mention",
    "Method",
    "Painter",
    "Picture",
    "Pixels",
    "Probe",
    "Rate",
    "Reader",
    "Refused",
    "Relation",
    "Run",
    "Scene",
    "SceneSource",
    "Searcher",
    "Segmenter",
    "Skip",
    "Suspicion",
    "System",
    "SystemDown",
    "Table",
    "Tally",
    "Thing",
    "Transient",
    "Unreadable",
    "Usage",
    "UsageError",
    "Verdict",
    "Wanted",
    "Wording",
    "__version__",
    "judge",
    "open_run",
    "plan",
    "read",
    "register",
    "run",
    "setting",
]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(_NAMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
