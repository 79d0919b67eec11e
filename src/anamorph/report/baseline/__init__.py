"""What is known of a system already: a file of causes with marks, and what a run has that the file has not."""
