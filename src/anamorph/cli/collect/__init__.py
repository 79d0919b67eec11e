"""`anamorph collect`."""
