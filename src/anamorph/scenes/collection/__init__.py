"""Photos that `anamorph collect` found for label combinations."""
