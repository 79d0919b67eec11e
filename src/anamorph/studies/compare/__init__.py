"""Runs of several systems side by side."""
