"""Finding the objects of photos that no one annotated."""
