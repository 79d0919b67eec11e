"""Parquet files: a scene source, and its reader process."""
