"""What search engines on the web have in common."""
