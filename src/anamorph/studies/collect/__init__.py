"""Photos for label combinations, found by a search engine: the study of ATOM's section II-B, and of no other method."""
