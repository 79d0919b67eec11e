"""Sources of photos and their annotations."""
