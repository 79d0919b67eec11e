"""A local web app in which a person goes through a list of items, and every answer is kept at once.

`session.py` says what a list of items must offer, `server.py` shows it, `guard.py` keeps everybody else out. Reviews
and studies bring their items, a template and a file for the answers; they share everything else.
"""
