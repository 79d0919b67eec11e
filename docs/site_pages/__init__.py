"""What the documentation site makes from the code: reference pages, and notebooks with their results."""
