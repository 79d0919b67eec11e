"""Photos that `anamorph research collect` found for label combinations."""
