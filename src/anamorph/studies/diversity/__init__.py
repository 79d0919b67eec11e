"""How far edited images lie from their photos and from each other."""
