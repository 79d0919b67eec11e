"""Annotations that their owner declares exhaustive."""
