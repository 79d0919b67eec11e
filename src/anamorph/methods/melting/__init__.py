"""What methods that melt objects have in common."""
