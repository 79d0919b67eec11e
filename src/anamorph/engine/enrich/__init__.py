"""Enriching scenes while they are scanned: objects, amodal masks, colors."""
