"""Fixtures that this folder shares with others."""

from __future__ import annotations

from tests.systems.fixtures import asks as asks
from tests.systems.fixtures import clean_environment as clean_environment
from tests.systems.fixtures import photo as photo
from tests.systems.fixtures import server as server
