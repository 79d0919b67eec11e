"""Models that inspect_ai reaches."""
