"""Image edits."""
