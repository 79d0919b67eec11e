"""ReIC in our own reading: crops and stretched images of a photo."""
