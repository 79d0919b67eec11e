"""Finding the objects of photos without annotations."""
