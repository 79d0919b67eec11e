"""Whole images, generated from a class map."""
