"""Systems under test: one adapter per kind."""
