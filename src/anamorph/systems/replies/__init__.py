"""Replies of a system, as answers or failures."""
