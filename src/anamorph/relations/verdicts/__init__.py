"""Comparing quantities and wording verdicts, for relations."""
