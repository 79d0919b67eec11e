"""Judging outputs that were recorded elsewhere."""
