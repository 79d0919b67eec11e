"""MetaIC: insert an object."""
