"""What comes back from a system, as an answer or a failure."""
