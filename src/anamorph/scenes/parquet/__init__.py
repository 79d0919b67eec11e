"""Parquet files: a scene source, and the process that reads for it."""
