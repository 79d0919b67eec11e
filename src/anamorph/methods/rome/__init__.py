"""ROME: melt objects (Yu et al., 2022)."""
