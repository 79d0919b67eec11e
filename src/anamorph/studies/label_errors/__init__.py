"""Reference captions that may be wrong, and objects that annotations may lack."""
