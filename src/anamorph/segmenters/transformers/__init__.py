"""Segmenters and detectors of the transformers library."""
