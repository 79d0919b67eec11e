"""SPOLRE: re-lay the scene."""
