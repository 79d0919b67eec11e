"""Choosing photos of any scene source: by id, split or position, or at random."""
