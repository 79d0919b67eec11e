"""Chosen mistakes around any system."""
