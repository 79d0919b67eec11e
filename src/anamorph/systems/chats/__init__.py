"""Shared by chat models of several vendors: prompts, dialects of requests and replies, refusals."""
