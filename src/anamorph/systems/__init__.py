"""Adapters to the things under test."""
