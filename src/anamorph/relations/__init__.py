"""Claims about a system's answers."""
