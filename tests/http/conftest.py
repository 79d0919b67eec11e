"""Fixtures that this folder shares with others."""

from __future__ import annotations

from tests.systems.fixtures import (
    asks as asks,
    certificate as certificate,
    clean_environment as clean_environment,
    photo as photo,
    server as server,
    system as system,
    tls as tls,
    trusted as trusted,
)
