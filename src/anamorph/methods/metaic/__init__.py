"""MetaIC: insert an object (Yu et al., 2022)."""
