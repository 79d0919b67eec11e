"""Finding the objects of photos that nobody annotated."""
