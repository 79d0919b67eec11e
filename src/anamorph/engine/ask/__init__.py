"""Rendering images and asking the system, with a bound on what is under way."""
