"""What systems on top of a detector have in common."""
