"""Shared by remote systems."""
