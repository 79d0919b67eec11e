"""OAMT: the captions of a photo and of its two pieces."""
