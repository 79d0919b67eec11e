"""Questions that data sets ask about the photos of a scene source."""
