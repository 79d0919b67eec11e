"""Injects chosen mistakes into the answers of any system."""
