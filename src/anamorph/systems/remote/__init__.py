"""Shared code of systems behind a network."""
