"""Choosing photos of any scene source: by id, by split, by place, at random."""
