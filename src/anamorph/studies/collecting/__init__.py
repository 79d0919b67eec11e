"""Photos for label combinations, found by a search engine."""
