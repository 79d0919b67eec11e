"""Searchers that find photos by words."""
