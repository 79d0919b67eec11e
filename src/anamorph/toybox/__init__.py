"""A drawn world with known truth, and small neural systems for it."""
