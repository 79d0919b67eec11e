"""Samples of data sets that keep photos and what is known of them in large files, called shards."""
