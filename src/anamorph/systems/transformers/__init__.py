"""Models of the transformers library as the system under test."""
