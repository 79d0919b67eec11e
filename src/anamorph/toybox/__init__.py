"""A drawn world whose truth is known, and small neural systems that look at it."""
