"""Stable Diffusion with a ControlNet for class maps."""
