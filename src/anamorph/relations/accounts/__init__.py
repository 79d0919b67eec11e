"""Accounts: shared by relations between closed answers."""
