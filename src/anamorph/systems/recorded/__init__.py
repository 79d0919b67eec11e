"""Answers that were made elsewhere, read from a file."""
