"""How edits become smaller."""
