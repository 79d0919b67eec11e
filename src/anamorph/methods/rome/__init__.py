"""ROME: melt objects."""
