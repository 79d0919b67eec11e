"""Weights of networks: where they are, what they are, and sessions that run them."""
