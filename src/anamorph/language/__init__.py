"""What answers mean."""
