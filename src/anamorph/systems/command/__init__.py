"""A program in any language as the system under test."""
