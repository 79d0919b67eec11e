"""What is done with runs or beside them, a package each."""
