"""Captioned photos on this machine, searched by the words of their captions."""
