"""Fixtures that this folder shares with others."""

from __future__ import annotations

from tests.report.fixtures import axe as axe, chrome as chrome, new_run as new_run, read as read, run as run
