"""Opening untrusted photos and annotation files: within limits and upright, or with an error that says why not."""
