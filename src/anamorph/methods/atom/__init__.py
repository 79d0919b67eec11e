"""ATOM: label combinations."""
