"""Pure functions over arrays of pixels and over masks."""
