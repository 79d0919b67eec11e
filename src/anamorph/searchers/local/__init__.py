"""Captioned photos on this machine, searched by caption."""
