"""One SQLite file per run, and its images by digest."""
