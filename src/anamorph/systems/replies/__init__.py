"""A system's reply as an answer or a failure."""
