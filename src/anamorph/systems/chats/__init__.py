"""What chat models of several vendors share: prompts, the dialects of requests and replies, and how they say no."""
