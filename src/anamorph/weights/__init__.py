"""Weights of networks: where they are, how they are fetched and checked, and sessions that run them."""
