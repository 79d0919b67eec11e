"""The systems under test: one adapter for each kind."""
