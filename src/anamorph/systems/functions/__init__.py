"""Python functions as systems: how one is called, found by its signature, and what it answers."""
