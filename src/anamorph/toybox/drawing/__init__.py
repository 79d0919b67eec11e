"""Drawing scenes from a seed."""
