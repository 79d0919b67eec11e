"""Shared code of systems on top of a detector."""
