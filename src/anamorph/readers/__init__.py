"""What an answer means: one file for each reader."""
