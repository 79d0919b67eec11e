"""crosscheck: closed questions about a photo, its parts and its mirror image, whose answers must fit together."""
