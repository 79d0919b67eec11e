"""Samples of data sets that keep photos and annotations in large files, called shards."""
