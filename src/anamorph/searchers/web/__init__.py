"""Shared parts of web searchers."""
