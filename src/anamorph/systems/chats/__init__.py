"""Shared code of chat models: prompts, the vendors' forms of requests and replies, and refusals."""
