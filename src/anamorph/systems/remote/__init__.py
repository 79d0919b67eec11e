"""What systems behind a network have in common."""
