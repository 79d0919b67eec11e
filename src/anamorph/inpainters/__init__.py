"""Ways to make up what is behind a hole in a picture."""
