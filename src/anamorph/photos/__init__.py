"""Opening untrusted photos and annotation files, within limits."""
