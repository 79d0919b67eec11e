"""Which of the objects that a network found are kept; shared by all segmenters."""
