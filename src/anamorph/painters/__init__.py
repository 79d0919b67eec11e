"""Whole pictures, made up from a map of what is to be where."""
