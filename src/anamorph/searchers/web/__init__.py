"""Shared code of searchers on the web."""
