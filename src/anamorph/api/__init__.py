"""Anamorph as a library: what `import anamorph` offers."""
