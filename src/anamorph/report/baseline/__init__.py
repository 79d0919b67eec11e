"""A baseline: a file of known causes with marks, and a run's causes that it does not know."""
