"""From tagged words to the things that a text mentions."""
