"""Shared code of relations between closed answers: their account."""
