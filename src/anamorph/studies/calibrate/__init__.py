"""Precision and recall of every method, on scenes whose truth is known."""
