"""Putting the shards of a run together."""
