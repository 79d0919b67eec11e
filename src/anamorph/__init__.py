"""Anamorph tests systems that look at images, without labels."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Every public name and where it lives; nothing is imported until it is used.
_PLACES = {
    "anamorph.api.calls": "judge open_run plan read run",
    "anamorph.api.functions": "FunctionSystem",
    "anamorph.api.runs": "Run",
    "anamorph.catalog": "register",
    "anamorph.errors": "AnamorphError BadPicture Refused SystemDown Transient UsageError",
    "anamorph.model": (
        "Answer AnswerReading Ask BatchLines Box CaptionReading Case ChoiceReading Edit Evidence Failure "
        "Inpainter LabelSet LabelSpace Manner Mask Mention Method Painter Picture Pixels Probe Reader "
        "Relation Scene SceneSource Searcher Segmenter Skip System Table Tally Thing Unreadable Usage Verdict "
        "Wanted Wording setting"
    ),
    "anamorph.report.cause_words": "Cause",
    "anamorph.report.issues": "Issue JudgedCase",
    "anamorph.report.suspicions": "Suspicion",
    "anamorph.statistics.rates": "Rate",
}
_NAMES = {name: module for module, names in _PLACES.items() for name in names.split()}
__all__ = ["__version__", *sorted(_NAMES)]

if TYPE_CHECKING:
    from anamorph.api.calls import (
        judge as judge,
        open_run as open_run,
        plan as plan,
        read as read,
        run as run,
    )
    from anamorph.api.functions import FunctionSystem as FunctionSystem
    from anamorph.api.runs import Run as Run
    from anamorph.catalog import register as register
    from anamorph.errors import (
        AnamorphError as AnamorphError,
        BadPicture as BadPicture,
        Refused as Refused,
        SystemDown as SystemDown,
        Transient as Transient,
        UsageError as UsageError,
    )
    from anamorph.model import (
        Answer as Answer,
        AnswerReading as AnswerReading,
        Ask as Ask,
        BatchLines as BatchLines,
        Box as Box,
        CaptionReading as CaptionReading,
        Case as Case,
        ChoiceReading as ChoiceReading,
        Edit as Edit,
        Evidence as Evidence,
        Failure as Failure,
        Inpainter as Inpainter,
        LabelSet as LabelSet,
        LabelSpace as LabelSpace,
        Manner as Manner,
        Mask as Mask,
        Mention as Mention,
        Method as Method,
        Painter as Painter,
        Picture as Picture,
        Pixels as Pixels,
        Probe as Probe,
        Reader as Reader,
        Relation as Relation,
        Scene as Scene,
        SceneSource as SceneSource,
        Searcher as Searcher,
        Segmenter as Segmenter,
        Skip as Skip,
        System as System,
        Table as Table,
        Tally as Tally,
        Thing as Thing,
        Unreadable as Unreadable,
        Usage as Usage,
        Verdict as Verdict,
        Wanted as Wanted,
        Wording as Wording,
        setting as setting,
    )
    from anamorph.report.cause_words import Cause as Cause
    from anamorph.report.issues import (
        Issue as Issue,
        JudgedCase as JudgedCase,
    )
    from anamorph.report.suspicions import Suspicion as Suspicion
    from anamorph.statistics.rates import Rate as Rate


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(_NAMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
