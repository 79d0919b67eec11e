"""What methods that insert objects have in common."""
