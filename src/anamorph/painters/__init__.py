"""Whole pictures, generated from a map of what should be where."""
