from __future__ import annotations

from tests.weights.surroundings import certificate, hub, links, models, registry

__all__ = ["certificate", "hub", "links", "models", "registry"]
