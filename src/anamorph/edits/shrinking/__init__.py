"""Smaller edits, for shrinking."""
