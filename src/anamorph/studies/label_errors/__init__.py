"""Reference captions that may be wrong."""
