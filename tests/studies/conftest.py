"""Runs made by hand, and a browser to look at their pages."""

from __future__ import annotations

from tests.report.fixtures import axe as axe
from tests.report.fixtures import chrome as chrome
from tests.report.fixtures import new_run as new_run
from tests.report.fixtures import run as run
