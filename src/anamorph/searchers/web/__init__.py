"""What searchers on the web have in common."""
