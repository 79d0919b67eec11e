"""Weights of networks: their places, fetching, verification, and sessions to run them."""
