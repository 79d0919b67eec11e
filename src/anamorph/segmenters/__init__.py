"""Segmenters and detectors for photos without annotations."""
