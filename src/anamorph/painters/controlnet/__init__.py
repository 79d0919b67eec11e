"""Stable Diffusion with a ControlNet that follows a map of classes."""
