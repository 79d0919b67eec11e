"""Runs made by hand, and a browser to look at their pages."""

from __future__ import annotations

from tests.report.fixtures import axe as axe, chrome as chrome, new_run as new_run, run as run
