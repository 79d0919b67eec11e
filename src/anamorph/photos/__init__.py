"""Opening the photos and annotation files of strangers: within limits, upright, or with a word on what is wrong."""
