"""Anamorph tests systems that look at images, without labels."""

__version__ = "0.1.0"
