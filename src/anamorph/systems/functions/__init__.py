"""Python functions as systems: calling forms, by signature, and answers."""
