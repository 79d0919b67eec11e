"""Orders that change a picture."""
