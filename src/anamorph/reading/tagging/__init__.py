"""Taggers: the part of speech of every word."""
