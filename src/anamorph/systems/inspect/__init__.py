"""Models through inspect_ai."""
