"""Shared by systems based on detectors."""
