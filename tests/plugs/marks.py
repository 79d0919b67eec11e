"""Tests that need a library of an extra: they run in `make plugs`, and skip where it is missing."""

from __future__ import annotations

import importlib.util

import pytest


def needs(library: str) -> list[pytest.MarkDecorator]:
    """The marks of a test file that needs a library."""
    missing = importlib.util.find_spec(library) is None
    reason = f"needs {library}, which is not installed here (make plugs has it)"
    return [pytest.mark.plug, pytest.mark.skipif(missing, reason=reason)]
