"""Claims over what a system said."""
