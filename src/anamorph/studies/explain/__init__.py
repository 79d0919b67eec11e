"""Which part of an image carries a wrong word."""
