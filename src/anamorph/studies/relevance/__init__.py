"""Whether collected photos show their labels, by people's votes."""
