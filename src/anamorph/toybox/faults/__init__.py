"""Fault injection into the answers of any system."""
