"""Reads what a visual question answerer says: a number, a yes or a no."""
