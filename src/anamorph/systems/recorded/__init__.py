"""Recorded answers, read from a file."""
