"""Making images from scenes and edits."""
