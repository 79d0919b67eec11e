"""Edited images with what is on them, to train with: `anamorph research export`."""
