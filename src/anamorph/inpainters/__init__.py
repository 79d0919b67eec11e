"""Ways to fill a hole in a picture."""
