"""Threads, rate limits and retries for slow calls."""
