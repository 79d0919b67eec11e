"""The experiment trackers that a run can be logged to, by name."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Literal, TypeAlias

from anamorph.errors import MissingExtra, TrackingFailed
from anamorph.http.secrets import environment_redactor
from anamorph.studies.tracking.record import TrackedRun

Tracker: TypeAlias = Literal["mlflow", "wandb"]


def require(tracker: Tracker) -> None:
    """MissingExtra, before anything is asked, where the library is not installed."""
    if importlib.util.find_spec(tracker) is None:
        raise MissingExtra(f"--log {tracker}", tracker)


def send(tracker: Tracker, run: TrackedRun) -> str:
    """Log a run; gives where it is. TrackingFailed says why it could not be logged."""
    module = importlib.import_module(f"anamorph.studies.tracking.{tracker}")
    try:
        return str(module.send(run))
    except Exception as problem:
        text = environment_redactor().redact(f"{type(problem).__name__}: {problem}"[:1000])
        raise TrackingFailed(f"The run could not be logged to {tracker}: {text}") from problem
