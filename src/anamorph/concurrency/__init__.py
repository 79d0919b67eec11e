"""Threads, pauses and tries: what calls to anything slow have in common."""
